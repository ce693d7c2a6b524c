import { flag } from '../../../../core/db/flag.ts'
import { type CounterChange, addToMilestoneCounters } from '../../milestones/milestone.store.ts'
import { type RepoCounter, addToRepoCounter } from '../../../repositories/index.ts'
import { updateStateCopies } from '../records/records.store.ts'
import { type Issue, updateIssue } from '../records/issue.store.ts'
import { addEntries, appendIssueEvent, type IssueChange } from './issue-change.ts'

/** The counter of the repository that counts the issue. */
export function counterOf({ isPull, isClosed }: Pick<Issue, 'isPull' | 'isClosed'>): RepoCounter {
  if (isPull) return isClosed ? 'closed_pulls_count' : 'open_pulls_count'
  return isClosed ? 'closed_issues_count' : 'open_issues_count'
}

/** What an issue adds to the counters of its milestone. */
export const milestoneCount = ({ isClosed }: Pick<Issue, 'isClosed'>, change: 1 | -1): CounterChange =>
  isClosed ? { open: 0, closed: change } : { open: change, closed: 0 }

interface StateChange {
  readonly isClosed: boolean
  /** The commit that closes or reopens the issue. */
  readonly commitOid?: string
  /** A pull request is closed because `commitOid` has merged it. */
  readonly merge?: 'merged' | 'auto-merged'
}

/** Closes or reopens the issue. The caller has checked that the state differs and that nothing forbids it. */
export async function changeState(change: IssueChange, { isClosed, commitOid, merge }: StateChange): Promise<Issue> {
  const { tx, issue, repo, at } = change
  const changed = await updateIssue(tx, issue.id, {
    is_closed: flag(isClosed),
    closed_at: isClosed ? at : 0,
    updated_at: at,
  })
  await updateStateCopies(tx, changed)
  await addToRepoCounter(tx, repo.id, counterOf(issue), -1)
  await addToRepoCounter(tx, repo.id, counterOf(changed), 1)
  const moved = isClosed ? { open: -1, closed: 1 } : { open: 1, closed: -1 }
  if (issue.milestoneId !== undefined) await addToMilestoneCounters(tx, new Map([[issue.milestoneId, moved]]))
  const entry =
    merge === undefined
      ? ({ kind: isClosed ? 'close' : 'reopen', ...(commitOid && { payload: { commitOid } }) } as const)
      : ({ kind: 'merge_pull', payload: { commitOid: commitOid! } } as const)
  await addEntries(change, entry)
  const cause = commitOid === undefined ? {} : { commit_oid: commitOid }
  if (isClosed) await appendIssueEvent(change, 'issue.closed', { ...cause, ...(merge && { merge }) })
  else await appendIssueEvent(change, 'issue.reopened', cause)
  return changed
}
