import type { FastifyInstance } from 'fastify'
import type { Services } from '../../../core/module.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { type RepoInView, serveAttachment } from '../../repositories/index.ts'
import { webPages } from '../../accounts/index.ts'
import type { Releases } from './releases.service.ts'
import type { ReleaseView } from './views.ts'

type ReleaseReads = Pick<Releases, 'getByTag' | 'getLatest'>

interface ReleaseRouteDeps {
  readonly attachments: Pick<Services['attachments'], 'countDownload' | 'directLink' | 'findByName' | 'open'>
  readonly webAccess: Services['webAccess']
  readonly releases: ReleaseReads
}

/**
 * Serves the files of releases at the URLs in responses: `releases/download/<tag>/<name>`
 * (behaviour/repositories#releases).
 */
export function registerReleases(app: FastifyInstance, { attachments, webAccess, releases }: ReleaseRouteDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/:owner/:repo/releases/download/*',
    handler: webPages.plainTextErrors(async (request, reply) => {
      const { viewer, ...target } = await webAccess.requireRepo(request, { unit: 'repo.releases' })
      const path = (request.params as Record<string, string>)['*']!
      const slash = path.lastIndexOf('/')
      const { release } = await releaseOf(releases, viewer, target, path.slice(0, Math.max(0, slash)))
      const found = await attachments.findByName('release', release.id, path.slice(slash + 1))
      if (found === undefined) throw errors.attachmentNotFound()
      return serveAttachment(attachments, found, request, reply)
    }),
  })
}

/** `latest` means the newest release, unless a release has that tag. */
async function releaseOf(
  releases: ReleaseReads,
  viewer: Viewer,
  target: RepoInView,
  tag: string,
): Promise<ReleaseView> {
  try {
    return await releases.getByTag(viewer, target, tag)
  } catch (error) {
    if (tag === 'latest' && isDomainError(error, 'not-found')) return releases.getLatest(target)
    throw error
  }
}
