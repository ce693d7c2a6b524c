import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import { repoUrls } from '../../../core/access/repo-urls.ts'
import { bytes, ok } from '../../../core/http/answer/answer.ts'
import { OneOf } from '../../../core/http/answer/text.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards, Services } from '../../../core/module.ts'
import { type Commit, Compare } from './commit.model.ts'
import { presentCommit } from './commit.present.ts'
import type { Comparisons } from './history.service.ts'
import { AccessMode, unitMode } from '../../../core/access/repo-access.ts'
import { markupFamily } from '../../repositories/index.ts'
import type { Commits } from './commits.service.ts'

const query = Type.Object({
  verification: Type.Optional(Type.Boolean({ description: 'Verify signatures (default true)' })),
  files: Type.Optional(Type.Boolean({ description: 'List changed files (default true)' })),
  output: Type.Optional(OneOf('diff', 'patch')),
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
      errors: [400, 404, 422],
      async handler({ viewer, access: { repo }, params, query: { files, output, verification }, signal }) {
        if (output !== undefined) {
          const text = await comparisons.text(viewer, repo, params.basehead, { kind: output, signal })
          return bytes(Readable.from(text, { objectMode: false }), { 'content-type': 'text/plain; charset=utf-8' })
        }
        const { head, total, commits } = await comparisons.compare(viewer, repo, params.basehead, {
          stat: true,
          files: files ?? true,
          verification: verification ?? true,
        })
        const urls = repoUrls(head, site)
        const presented = commits.map((view) => presentCommit(view, urls, site))
        return ok({ total_commits: total, commits: presented, files: filesOf(presented) } satisfies Compare)
      },
    }),
  ]
}

/** The files that the commits change, each with its status in the newest of them. */
function filesOf(commits: readonly Commit[]): Compare['files'] {
  const files = new Map<string, Compare['files'][number]>()
  for (const file of commits.flatMap((commit) => commit.files ?? []))
    if (!files.has(file.filename)) files.set(file.filename, file)
  return [...files.values()]
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
