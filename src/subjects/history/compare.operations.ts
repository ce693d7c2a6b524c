import { Type } from '@sinclair/typebox'
import { repoUrls } from '../../access/repo-urls.ts'
import type { AreaDeps } from '../../app/deps.ts'
import { ok } from '../../http/answer.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { Compare } from './commit.model.ts'
import { presentCommit } from './commit.present.ts'

const query = Type.Object({
  verification: Type.Optional(Type.Boolean({ description: 'Verify signatures (default true)' })),
  files: Type.Optional(Type.Boolean({ description: 'List changed files (default true)' })),
})

/** What one ref has that another lacks (reference git-data §7). */
export function compareOperations({ guards, code, site }: Pick<AreaDeps, 'guards' | 'code' | 'site'>): Operation[] {
  return [
    defineOperation({
      area: 'repository',
      scopes: ['repository'],
      guard: guards.repo('read', { unit: 'repo.code' }),
      id: 'repoCompareDiff',
      method: 'GET',
      path: '/repos/{owner}/{repo}/compare/{basehead*}',
      summary: 'The commits that a head has and a base lacks: base...head, base..head or head',
      query,
      responses: { 200: Compare },
      errors: [400, 404],
      async handler({ viewer, access: { repo }, params, query: { files, verification } }) {
        const { head, total, commits } = await code.comparisons.compare(viewer, repo, params['basehead']!, {
          stat: true,
          files: files ?? true,
          verification: verification ?? true,
        })
        const urls = repoUrls(head, site)
        return ok({ total_commits: total, commits: commits.map((view) => presentCommit(view, urls, site)) })
      },
    }),
  ]
}
