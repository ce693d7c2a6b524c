import { AccessMode, isRepoAdmin, unitMode } from '../../../core/access/repo-access.ts'
import type { Database } from '../../../core/db/database.ts'
import { type Guard, nested } from '../../../core/http/guards/guard.ts'
import { forbidden, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { parseInteger } from '../../../core/platform/paging.ts'
import { issueRules, issueQueries } from '../../issues/index.ts'
import { type RepoGuard, type RepoInView, unreadableUnit } from '../../repositories/index.ts'
import type { PullInView } from './pull-in-view.ts'
import { findPullByNumber } from './records/records.store.ts'

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
      decide({ repo, access }) {
        if (repo.isEmpty || repo.isMirror) throw notFound('the repository has no pull requests')
        if (unitMode(access, 'repo.code') < AccessMode.read) throw unreadableUnit(repo, 'repo.code')
      },
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
      async resolve({ repo }, { params }) {
        const found = await findPullByNumber(read, repo.id, parseInteger(params['index']))
        if (found === undefined) throw errors.pullNotFound()
        return found
      },
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
