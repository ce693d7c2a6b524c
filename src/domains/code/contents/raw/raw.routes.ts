import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../../../core/module.ts'
import type { Viewer } from '../../../../core/access/viewer.ts'
import { abortOnClose } from '../../../../core/http/answer/stream.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import type { Commits } from '../../history/commits.service.ts'
import { webPages } from '../../../accounts/index.ts'
import type { Media } from './media.service.ts'
import { presentRawFile } from '../contents.present.ts'
import type { RawFile, RawFiles, RawKind } from './raw-files.service.ts'

interface RawRouteDeps {
  readonly commits: Commits
  readonly webAccess: Services['webAccess']
  readonly media: Media
  readonly rawFiles: RawFiles
}

const TYPED = /^(branch|tag|commit)\/(.+)$/s
const BLOB = /^blob\/([0-9a-f]{40}|[0-9a-f]{64})$/
const COMMIT_TEXT = /^([0-9a-f]{4,64})\.(diff|patch)$/

/**
 * `/{owner}/{repo}/raw/{branch|tag|commit}/{ref}/{path}`, `raw/blob/{sha}`, the same below `media`, and
 * `/{owner}/{repo}/commit/{sha}.{diff|patch}` (behaviour/git-data-and-transport#web-addresses).
 */
export function registerRaw(app: FastifyInstance, { commits, webAccess, media, rawFiles }: RawRouteDeps): void {
  for (const word of ['raw', 'media'] as const) {
    app.route({
      method: ['GET', 'HEAD'],
      url: `/:owner/:repo/${word}/*`,
      handler: webPages.plainTextErrors(async (request, reply) => {
        const { repo, viewer } = await webAccess.requireRepo(request, { unit: 'repo.code' })
        const rest = (request.params as Record<string, string>)['*']!
        const typed = TYPED.exec(rest)
        const blob = BLOB.exec(rest)
        const found = typed
          ? await rawFiles.getTyped(repo, typed[1] as RawKind, typed[2]!)
          : blob && (await rawFiles.getBlob(repo, blob[1]!))
        if (found) return sendFile(word === 'media' ? await media.resolve(repo, found) : found, viewer, request, reply)
        const kind = await rawFiles.kindOf(repo, rest)
        return reply.redirect(
          `/${[repo.owner.name, repo.name, word, kind, ...rest.split('/')].map(encodeURIComponent).join('/')}`,
          303,
        )
      }),
    })
  }
  app.route({
    method: ['GET', 'HEAD'],
    url: '/:owner/:repo/commit/:file(^[^.]+\\.(?:diff|patch)$)',
    handler: webPages.plainTextErrors(async (request, reply) => {
      const { repo } = await webAccess.requireRepo(request, { unit: 'repo.code' })
      const [, sha, kind] = COMMIT_TEXT.exec((request.params as Record<string, string>)['file']!) ?? []
      if (sha === undefined) throw notFound('not the id of a commit')
      void reply.header('content-type', 'text/plain; charset=utf-8').header('x-content-type-options', 'nosniff')
      const text = await commits.patch(repo, sha, kind as 'diff' | 'patch', abortOnClose(reply))
      return reply.send(request.method === 'HEAD' ? '' : Readable.from(text))
    }),
  })
}

async function sendFile(
  file: RawFile,
  viewer: Viewer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { status, headers, window } = presentRawFile(file, request.headers, viewer)
  void reply.code(status).headers(headers).header('x-content-type-options', 'nosniff')
  if (window === undefined || request.method === 'HEAD') return reply.send()
  return reply.send(await file.body(window, abortOnClose(reply)))
}
