import { AccessMode } from '../../../core/access/access-mode.ts'
import { unitMode } from '../../../core/access/repo-access.ts'
import type { Operation } from '../../../core/http/operation.ts'
import { type Markup, markupFamily } from '../../repositories/index.ts'
import type { Guards } from '../../../core/module.ts'
import type { Commits } from './commits.service.ts'

interface RepoMarkupDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly commits: Pick<Commits, 'filterCommitIds'>
  readonly markup: Markup
}

/** Renders texts in the context of a repository: ids of its commits become links. */
export const repoMarkupOperations = ({ guards, commits, markup }: RepoMarkupDeps): Operation[] =>
  markupFamily(
    { markup },
    {
      prefix: '/repos/{owner}/{repo}',
      suffix: 'InRepo',
      guard: guards.repo('see'),
      place: ({ repo, access }) => ({
        context: `/${repo.fullName}`,
        findCommits:
          unitMode(access, 'repo.code') >= AccessMode.read ? (ids) => commits.filterCommitIds(repo, ids) : undefined,
      }),
    },
  )
