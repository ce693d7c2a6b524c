import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { IssueId } from '../../../../core/platform/crypto/ids.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import { decideUpdateTime } from '../issue.policy.ts'
import { type Issue, lockIssue, updateIssue } from '../records/issue.store.ts'
import type { IssueInView } from '../views.ts'
import type { IssueDeps } from './create-issue.ts'
import type { AccountChange } from './issue-change.ts'

/** As lockIssue. Throws NotFound. */
export async function requireLocked(tx: Tx, id: IssueId): Promise<Issue> {
  const issue = await lockIssue(tx, id)
  if (issue === undefined) throw notFound('the issue was deleted meanwhile')
  return issue
}

interface Target extends IssueInView {
  /** Epoch milliseconds; administrators only. */
  readonly updatedAt?: number | undefined
}

/**
 * Runs a change of an issue in one transaction, with its row locked. A time that the client gives is stored even if
 * `work` changes nothing. Throws NotFound when the issue was deleted meanwhile, and Forbidden as `decideUpdateTime`.
 */
export const changeLocked = <T>(
  { database, clock, events }: IssueDeps,
  actor: SignedIn,
  { repo, access, issue: seen, updatedAt }: Target,
  work: (change: AccountChange) => Promise<T>,
): Promise<T> =>
  database.transaction(async (tx) => {
    const issue = await requireLocked(tx, seen.id)
    const at = decideUpdateTime(actor, { access, issue, given: updatedAt, now: clock.now() })
    if (updatedAt !== undefined) await updateIssue(tx, issue.id, { updated_at: at })
    return work({ tx, events, actor, repo, issue, at })
  })
