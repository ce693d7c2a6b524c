import { isRepoAdmin } from '../../access/repo-access.ts'
import type { Viewer } from '../../access/viewer.ts'
import type { Database } from '../../db/database.ts'
import { type Guard, onTop } from '../../http/guards/guard.ts'
import { forbidden, notFound } from '../../platform/errors.ts'
import { parseInteger } from '../../platform/paging.ts'
import type { RepoGuard } from '../repos/index.ts'
import { canEditIssue, canReadIssue, canWriteIssue } from './issue.policy.ts'
import { findIssueById, findIssueByNumber } from './records/issue.store.ts'
import type { IssueInView } from './views.ts'

/**
 * `read`: readers of the unit of the issue or pull request. `edit`: its poster and writers. `write`: writers. `admin`:
 * administrators of the repository.
 */
export type IssueLevel = 'read' | 'edit' | 'write' | 'admin'

interface IssueGuardOptions {
  /** Anonymous callers get 401; implied by every level but read. */
  readonly needsUser?: boolean
  /** 423 when the repository is archived. */
  readonly archived?: 'refuse'
  /** Replaces the text of the 403; empty for none. */
  readonly refusal?: string
  /** Those without the level get 404 in place of 403. */
  readonly isHidden?: boolean
}

/** `{owner}/{repo}` and the issue or pull request `{index}` of it. */
export type IssueGuard = (level: IssueLevel, options?: IssueGuardOptions) => Guard<IssueInView>

const REFUSALS: Readonly<Record<IssueLevel, string>> = {
  read: '',
  edit: '',
  write: 'write permission is required',
  admin: 'user should be an owner or a collaborator with admin write of a repository',
}

const DESCRIPTIONS: Readonly<Record<IssueLevel, string>> = {
  read: 'read the unit of the issue',
  edit: 'the poster of the issue, or write its unit',
  write: 'write the unit of the issue',
  admin: 'admin',
}

/** Issues that the caller may not read are 404 (behaviour/issues#conventions). */
export function createIssueGuard({ read }: Database, repoGuard: RepoGuard): IssueGuard {
  return (level, { needsUser = level !== 'read', archived, refusal = REFUSALS[level], isHidden } = {}) =>
    onTop(repoGuard('see', { unit: 'repo.issues', needsUser, ...(archived && { archived }) }), {
      describe: `${DESCRIPTIONS[level]}${archived ? ', not archived' : ''}`,
      async resolve({ repo, access }, { params }) {
        const issue = await findIssueByNumber(read, repo.id, parseInteger(params['index']))
        if (issue === undefined || !canReadIssue(access, issue)) throw notFound('issue does not exist')
        return { issue }
      },
      decide(found, { viewer }) {
        if (isAllowed(level, viewer, found)) return
        throw isHidden ? notFound('issue is not writable') : forbidden(refusal)
      },
      async recheck({ issue }) {
        if ((await findIssueById(read, issue.id)) === undefined) throw notFound('the issue was deleted meanwhile')
      },
    })
}

function isAllowed(level: IssueLevel, viewer: Viewer, { access, issue }: IssueInView): boolean {
  switch (level) {
    case 'read':
      return true
    case 'edit':
      return canEditIssue(viewer, access, issue)
    case 'write':
      return canWriteIssue(access, issue)
    case 'admin':
      return isRepoAdmin(access)
  }
}
