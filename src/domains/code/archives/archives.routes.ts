import type { FastifyInstance } from 'fastify'
import type { Services } from '../../../core/module.ts'
import { repoUrls } from '../../../core/access/repo-urls.ts'
import { abortOnClose } from '../../../core/http/answer/stream.ts'
import { etagMatches } from '../../../core/platform/http/media-type.ts'
import type { RateLimit } from '../../../core/platform/concurrency/rate-limit.ts'
import { clientNetwork } from '../../../core/platform/http/client-network.ts'
import type { Site } from '../../../core/platform/site.ts'
import { webPages } from '../../accounts/index.ts'
import { archiveHeaders } from './archive.present.ts'
import { ARCHIVE_COST, type Archives } from './archives.service.ts'

interface ArchiveRouteDeps {
  readonly archives: Archives
  readonly webAccess: Services['webAccess']
  readonly site: Site
  /** The rate limit of requests without credentials. */
  readonly rateLimit: RateLimit
}

/**
 * `/{owner}/{repo}/archive/{ref}.{zip|tar.gz|bundle}`, the target of the links of releases and tags
 * (behaviour/repositories#archives).
 */
export function registerArchives(
  app: FastifyInstance,
  { archives, webAccess, site, rateLimit }: ArchiveRouteDeps,
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/:owner/:repo/archive/*',
    handler: webPages.plainTextErrors(async (request, reply) => {
      const { repo, viewer } = await webAccess.requireRepo(request, { unit: 'repo.code' })
      const { path } = request.query as { path?: string | string[] }
      const paths = path === undefined ? [] : Array.isArray(path) ? path : [path]
      const archive = await archives.get(repo, { file: (request.params as Record<string, string>)['*']!, paths })
      const headers = archiveHeaders(archive, repoUrls(repo, site))
      void reply.headers(headers)
      if (etagMatches(request.headers['if-none-match'], headers['etag']!)) return reply.code(304).send()
      if (request.method === 'HEAD') return reply.send()
      if (viewer.kind === 'anonymous') rateLimit.take(clientNetwork(request.ip), ARCHIVE_COST)
      await archives.countDownload(repo, archive)
      return reply.send(archive.body(abortOnClose(reply)))
    }),
  })
}
