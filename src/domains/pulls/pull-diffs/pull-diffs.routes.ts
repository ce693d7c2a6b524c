import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Services } from '../../../core/module.ts'
import { AccessMode, unitMode } from '../../../core/access/repo-access.ts'
import type { Database } from '../../../core/db/database.ts'
import { abortOnClose } from '../../../core/http/answer/stream.ts'
import { errors } from '../../errors.ts'
import { parseInteger } from '../../../core/platform/paging.ts'
import { issueQueries } from '../../issues/index.ts'
import { type Pull, findPullByIssue } from '../pulls/records/pull.store.ts'
import type { RepoInView } from '../../repositories/index.ts'
import { webPages } from '../../accounts/index.ts'
import type { PullDiffs } from './pull-diffs.service.ts'

interface PullTextDeps {
  readonly database: Database
  readonly diffs: PullDiffs
  readonly webAccess: Services['webAccess']
}

/**
 * `/{owner}/{repo}/pulls/{index}.{diff|patch}`: the addresses of a pull request's `diff_url` and `patch_url`
 * (behaviour/git-data-and-transport#web-addresses).
 */
export function registerPullTexts(app: FastifyInstance, { database: { read }, diffs, webAccess }: PullTextDeps): void {
  async function getPull({ repo, access }: RepoInView, index: string): Promise<Pull> {
    const hasPulls = !repo.isEmpty && !repo.isMirror && unitMode(access, 'repo.code') >= AccessMode.read
    const issue = hasPulls ? await issueQueries.findByNumber(read, repo.id, parseInteger(index)) : undefined
    const pull = issue?.isPull ? await findPullByIssue(read, issue.id) : undefined
    if (pull === undefined) throw errors.pullNotFound()
    return pull
  }

  app.route({
    method: ['GET', 'HEAD'],
    url: '/:owner/:repo/pulls/:file(^[0-9]+\\.(?:diff|patch)$)',
    handler: webPages.plainTextErrors(async (request, reply) => {
      const visit = await webAccess.requireRepo(request, { unit: 'repo.pulls' })
      const [index, kind] = (request.params as { file: string }).file.split('.')
      const pull = await getPull(visit, index!)
      void reply.header('content-type', 'text/plain; charset=utf-8').header('x-content-type-options', 'nosniff')
      if (request.method === 'HEAD') return reply.send('')
      const text = await diffs.text(visit.repo, pull, kind as 'diff' | 'patch', abortOnClose(reply))
      return reply.send(Buffer.isBuffer(text) ? text : Readable.from(text))
    }),
  })
}
