import { isPublicRepo } from '../../../core/access/authorize.ts'
import { isRepoAdmin } from '../../../core/access/repo-access.ts'
import { isPublicOnly, type Viewer } from '../../../core/access/viewer.ts'
import type { Database, Db } from '../../../core/db/database.ts'
import { type Guard, nested } from '../../../core/http/guards/guard.ts'
import { MovedError, forbidden, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { parseInteger } from '../../../core/platform/paging.ts'
import { type Repo, type RepoGuard, type RepoInView, repoQueries, accessQueries } from '../../repositories/index.ts'
import { canEditIssue, canReadIssue, canWriteIssue } from './issue.policy.ts'
import { findIssueById, findIssueByNumber, type Issue } from './records/issue.store.ts'
import { findTransferredIssue } from './transfer/issue-redirect.store.ts'
import type { IssueInView } from './views.ts'

/**
 * `read`: readers of the unit of the issue or pull request. `edit`: its author and writers. `write`: writers. `admin`:
 * administrators of the repository.
 */
type IssueLevel = 'read' | 'edit' | 'write' | 'admin'

interface IssueGuardOptions {
  /** Anonymous callers get 401; implied by every level but read. */
  readonly needsUser?: boolean
  /** 423 when the repository is archived. */
  readonly archived?: 'refuse'
  /** The message of the 403; empty for none. */
  readonly refusal?: string
  /** Accounts without the level get 404 instead of 403. */
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
  edit: 'the author of the issue, or write its unit',
  write: 'write the unit of the issue',
  admin: 'admin',
}

/** Returns 404 for issues that the requester may not read (behaviour/issues#conventions). */
export function createIssueGuard({ read }: Database, repoGuard: RepoGuard): IssueGuard {
  return (level, { needsUser = level !== 'read', archived, refusal = REFUSALS[level], isHidden } = {}) =>
    nested(repoGuard('see', { unit: 'repo.issues', needsUser, ...(archived && { archived }) }), {
      describe: `${DESCRIPTIONS[level]}${archived ? ', not archived' : ''}`,
      resolve: async (target, { params, viewer }) => ({
        issue: await getReadableIssue(read, viewer, target, parseInteger(params['index'])),
      }),
      decide(found, { viewer }) {
        if (isAllowed(level, viewer, found)) return
        throw isHidden ? notFound('issue is not writable') : forbidden(refusal)
      },
      async recheck({ issue }) {
        if ((await findIssueById(read, issue.id)) === undefined) throw errors.issueDeleted()
      },
    })
}

/** Throws NotFound for a missing or hidden issue or pull request, and Moved after a transfer. */
export async function getReadableIssue(
  db: Db,
  viewer: Viewer,
  { repo, access }: RepoInView,
  number: number,
): Promise<Issue> {
  const issue = await findIssueByNumber(db, repo.id, number)
  if (issue === undefined) throw (await findTransferred(db, viewer, repo, number)) ?? errors.issueNotFound()
  if (!canReadIssue(access, issue)) throw errors.issueNotFound()
  return issue
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

/** The redirect to a transferred issue; undefined when the viewer may not read it. */
async function findTransferred(db: Db, viewer: Viewer, from: Repo, number: number): Promise<MovedError | undefined> {
  const issue = await findTransferredIssue(db, from.id, number)
  const repo = issue && (await repoQueries.findById(db, issue.repoId))
  if (issue === undefined || repo === undefined) return undefined
  if (!canReadIssue(await accessQueries.load(db, viewer, repo), issue)) return undefined
  if (isPublicOnly(viewer) && !isPublicRepo(repo)) return undefined
  return new MovedError('issue', `${from.fullName}/issues/${number}`, `${repo.fullName}/issues/${issue.number}`)
}
