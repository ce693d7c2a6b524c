import { isRepoAdmin } from '../../../core/access/repo-access.ts'
import type { Database } from '../../../core/db/database.ts'
import { type Guard, nested } from '../../../core/http/guards/guard.ts'
import { forbidden } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { parseInteger } from '../../../core/platform/paging.ts'
import { issueRules, issueQueries } from '../../issues/index.ts'
import type { RepoGuard, RepoInView } from '../../repositories/index.ts'
import type { PullInView } from './pull-in-view.ts'
import { getPull, requirePulls } from './readable-pull.ts'

interface PullGuardOptions {
  /** Anonymous callers get 401. */
  readonly needsUser?: boolean
  /** 423 when the repository is archived. */
  readonly archived?: 'refuse'
}

/** `{owner}/{repo}` as the base of pull requests. */
export type PullsGuard = (options?: PullGuardOptions) => Guard<RepoInView>

/**
 * COMPAT: an empty repository and a pull mirror have no pull requests, for any account (test/pulls/create.test.ts;
 * behaviour/pull-requests#access-gates).
 */
export const createPullsGuard =
  (repoGuard: RepoGuard): PullsGuard =>
  (options = {}) =>
    nested(repoGuard('read', { unit: 'repo.pulls', ...options }), {
      resolve: () => ({}),
      decide: requirePulls,
    })

/** `edit`: the author and writers of pull requests; `write`: the writers; `admin`: administrators of the repository. */
type PullLevel = 'read' | 'edit' | 'write' | 'admin'

interface OnePullOptions extends PullGuardOptions {
  /** The text of the 403; empty unless given. */
  readonly refusal?: string
}

/** `{owner}/{repo}` and its pull request `{index}`. */
export type PullGuard = (level: PullLevel, options?: OnePullOptions) => Guard<PullInView>

export function createPullGuard({ read }: Database, pullsGuard: PullsGuard): PullGuard {
  return (level, { refusal = '', ...options } = {}) =>
    nested(pullsGuard({ needsUser: level !== 'read', ...options }), {
      describe: DESCRIPTIONS[level],
      resolve: ({ repo }, { params }) => getPull(read, repo, parseInteger(params['index'])),
      decide({ access, issue }, { viewer }) {
        const isAllowed = {
          read: () => true,
          edit: () => issueRules.canEdit(viewer, access, issue),
          write: () => issueRules.canWrite(access, issue),
          admin: () => isRepoAdmin(access),
        }[level]
        if (!isAllowed()) throw forbidden(refusal)
      },
      async recheck({ issue }) {
        if ((await issueQueries.findById(read, issue.id)) === undefined) throw errors.pullDeleted()
      },
    })
}

const DESCRIPTIONS: Readonly<Record<PullLevel, string>> = {
  read: 'read repo.pulls and repo.code',
  edit: 'the author of the pull request, or write repo.pulls',
  write: 'write repo.pulls',
  admin: 'admin',
}
