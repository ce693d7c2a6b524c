import type { FastifyInstance } from 'fastify'
import { ok, send } from '../../../core/http/answer/answer.ts'
import { engineErrors, notFound } from '../../../core/platform/errors.ts'
import type { Site } from '../../../core/platform/site.ts'
import { SERVER_VERSION } from '../../../core/platform/version.ts'
import { userPresenters } from '../../accounts/index.ts'
import type { Fediverse } from './fediverse.service.ts'

export interface WellKnownOptions {
  readonly fediverse: Fediverse
  readonly site: Site
  /** Anonymous clients get no information about accounts. */
  readonly requireSignIn: boolean
}

/**
 * Well-known addresses outside of the API for other servers and clients
 * (behaviour/users-and-admin#miscellaneous-endpoints).
 */
export function registerWellKnown(app: FastifyInstance, { fediverse, site, requireSignIn }: WellKnownOptions): void {
  app.get('/api/forgejo/v1/version', (_, reply) => {
    if (requireSignIn) throw engineErrors.signInRequired()
    return send(reply, ok({ version: SERVER_VERSION }))
  })

  app.get('/.well-known/nodeinfo', (_, reply) => {
    fediverse.requireOn()
    const href = `${site.rootUrl()}/api/v1/nodeinfo`
    return reply
      .type('application/json')
      .send(JSON.stringify({ links: [{ href, rel: 'http://nodeinfo.diaspora.software/ns/schema/2.1' }] }))
  })

  app.get('/.well-known/webfinger', async (request, reply) => {
    if (requireSignIn) throw notFound('signing in is required')
    const { resource } = request.query as { resource?: string | string[] }
    const user = await fediverse.find(typeof resource === 'string' ? resource : '')
    const profile = `${site.rootUrl()}/${user.name}`
    const answer = {
      subject: `acct:${user.name}@${new URL(site.rootUrl()).host}`,
      aliases: [profile, ...(user.isEmailHidden || user.kind !== 'individual' ? [] : [`mailto:${user.email}`])],
      links: [
        { rel: 'http://webfinger.net/rel/profile-page', type: 'text/html', href: profile },
        { rel: 'http://webfinger.net/rel/avatar', href: userPresenters.avatarUrl(user, site) },
      ],
    }
    return reply.type('application/jrd+json').header('access-control-allow-origin', '*').send(JSON.stringify(answer))
  })
}
