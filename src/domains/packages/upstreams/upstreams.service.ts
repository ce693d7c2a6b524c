import type { Actor } from '../../../core/access/viewer.ts'
import type { Core } from '../../../core/module.ts'
import { invalid, notFound } from '../../../core/platform/errors.ts'
import { isHttpUrl } from '../../../core/platform/html.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { trimEndOf } from '../../../core/platform/trim.ts'
import type { User } from '../../accounts/index.ts'
import { CREDENTIALS_CONTEXT } from './upstream-client.ts'
import { deleteUpstreamFiles } from './upstream-file.store.ts'
import { findUpstreamFormat } from './upstream-formats.ts'
import {
  deleteUpstream,
  findUpstream,
  listUpstreams,
  saveUpstream,
  type Upstream,
  type UpstreamSettings,
} from './upstream.store.ts'

export interface NewUpstream extends UpstreamSettings {
  /** Empty for a password that is a token. */
  readonly username: string
  /** Empty for none; undefined for the former credentials, unless the upstream is on another server. */
  readonly password: string | undefined
}

interface UpstreamDeps extends Pick<Core, 'database' | 'clock' | 'events' | 'secrets' | 'site'> {
  readonly enabled: boolean
}

export type Upstreams = ReturnType<typeof createUpstreams>

/** The upstreams of owners, one for each type of packages. Callers check permissions. */
export function createUpstreams({ database, clock, events, secrets, site, enabled }: UpstreamDeps) {
  const seal = (username: string, password: string): string => {
    if (password === '') return ''
    const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    return secrets.seal(username === '' ? `Bearer ${password}` : basic, CREDENTIALS_CONTEXT)
  }
  return {
    /** Upstreams ordered by type. */
    list: (owner: User, paging: Paging): Promise<Page<Upstream>> => listUpstreams(database.read, owner.id, paging),

    /** Throws NotFound. */
    async get(owner: User, type: string): Promise<Upstream> {
      const upstream = await findUpstream(database.read, owner.id, type)
      if (upstream === undefined) throw noUpstream()
      return upstream
    },

    /**
     * Creates the upstream of a type, or replaces it; the copies of one with another address are deleted. Throws
     * NotFound for a type without upstreams, Invalid for settings that it cannot have.
     */
    async save(
      actor: Actor,
      owner: User,
      { type, username, password, ...sent }: NewUpstream & { readonly type: string },
    ): Promise<Upstream> {
      if (!enabled) throw invalid('upstreams are disabled by packages.upstream_hosts')
      const format = findUpstreamFormat(type)
      if (format === undefined) throw notFound('packages of this type cannot have an upstream')
      if (!format.hasTimes && sent.minAgeDays > 0)
        throw invalid('min_age_days: the indexes of this type do not tell the age of versions')
      const url = readAddress(sent.url, site.rootUrl())
      return database.transaction(async (tx) => {
        const former = await findUpstream(tx, owner.id, type)
        if (former !== undefined && former.url !== url) await deleteUpstreamFiles(tx, former.id)
        const isSameServer = former !== undefined && new URL(former.url).origin === new URL(url).origin
        const kept = isSameServer ? former.credentials : ''
        const credentials = password === undefined ? kept : seal(username, password)
        const at = clock.now()
        const { allowed: allow, isOffline: offline } = sent
        const payload = { owner_id: owner.id, type, url, allow: [...allow], offline }
        await events.append(tx, 'package_upstream.saved', { actor, repoId: 0, at }, payload)
        return saveUpstream(tx, { ...sent, url, ownerId: owner.id, type, credentials, at })
      })
    },

    /** Deletes the upstream with its stored copies. Throws NotFound. */
    async delete(actor: Actor, owner: User, type: string): Promise<void> {
      await database.transaction(async (tx) => {
        const url = await deleteUpstream(tx, owner.id, type)
        if (url === undefined) throw noUpstream()
        const payload = { owner_id: owner.id, type, url }
        await events.append(tx, 'package_upstream.deleted', { actor, repoId: 0, at: clock.now() }, payload)
      })
    },
  }
}

const noUpstream = () => notFound('there is no upstream of this type')

/** Throws Invalid. */
function readAddress(text: string, rootUrl: string): string {
  const url = isHttpUrl(text) ? new URL(text) : undefined
  if (url === undefined || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw invalid('url: is not an HTTP address without credentials and query')
  if (url.origin === new URL(rootUrl).origin) throw invalid('url: is an address of this server')
  return trimEndOf(url.href, '/')
}
