import { Type } from '@sinclair/typebox'
import { repoUrls } from '../../../core/access/repo-urls.ts'
import { ok } from '../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards, Services } from '../../../core/module.ts'
import { Compare } from './commit.model.ts'
import { presentCommit } from './commit.present.ts'
import type { Comparisons } from './history.service.ts'
import { AccessMode, unitMode } from '../../../core/access/repo-access.ts'
import { markupFamily } from '../../repositories/index.ts'
import type { Commits } from './commits.service.ts'

const query = Type.Object({
  verification: Type.Optional(Type.Boolean({ description: 'Verify signatures (default true)' })),
  files: Type.Optional(Type.Boolean({ description: 'List changed files (default true)' })),
})

interface CompareOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly comparisons: Comparisons
  readonly site: Site
}

/** Comparison of two refs (behaviour/git-data-and-transport#refs-trees-blobs-notes-and-comparison). */
export function compareOperations({ guards, comparisons, site }: CompareOperationDeps): Operation[] {
  return [
    defineOperation({
      area: 'repository',
      scopes: ['repository'],
      guard: guards.repo('read', { unit: 'repo.code' }),
      id: 'repoCompareDiff',
      cost: 1,
      method: 'GET',
      path: '/repos/{owner}/{repo}/compare/{basehead*}',
      summary: 'The commits that a head has and a base lacks: base...head, base..head or head',
      query,
      responses: { 200: Compare },
      errors: [400, 404],
      async handler({ viewer, access: { repo }, params, query: { files, verification } }) {
        const { head, total, commits } = await comparisons.compare(viewer, repo, params.basehead, {
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

interface RepoMarkupDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly commits: Pick<Commits, 'filterCommitIds'>
  readonly markup: Services['markup']
}

/** Renders texts in the context of a repository: ids of its commits become links. */
export const repoMarkupOperations = ({ guards, commits, markup }: RepoMarkupDeps): Operation[] =>
  markupFamily(
    { markup },
    {
      prefix: '/repos/{owner}/{repo}',
      suffix: 'InRepo',
      guard: guards.repo('see'),
      contextOf: ({ repo, access }) => ({
        context: `/${repo.fullName}`,
        findCommits:
          unitMode(access, 'repo.code') >= AccessMode.read ? (ids) => commits.filterCommitIds(repo, ids) : undefined,
      }),
    },
  )
