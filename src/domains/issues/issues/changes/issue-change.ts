import type { Actor, SignedIn } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { EventPayload, Events, NewEvent } from '../../../../core/events/index.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import { type IssueEntities, type issueEvents, issuePayload } from '../issues.events.ts'
import { type Issue, updateIssue } from '../records/issue.store.ts'
import { insertEntries, type NewEntry } from '../timeline/timeline-entry.store.ts'
import { wireTime } from '../../../../core/platform/clock.ts'
import type { Hook } from '../../../../core/platform/hook.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import { flag } from '../../../../core/db/flag.ts'
import { type CounterChange, addToMilestoneCounters } from '../../milestones/milestone.store.ts'
import { updateStateCopies } from '../records/records.store.ts'

/** A change of an issue in one transaction. */
export interface IssueChange {
  readonly tx: Tx
  readonly events: Events
  readonly actor: Actor
  readonly repo: Repo
  /** The issue before the change; the row is locked. */
  readonly issue: Issue
  /** The time of the entries, the events and `updated_at`, in epoch milliseconds. */
  readonly at: number
}

/** A change by an account. */
export interface AccountChange extends IssueChange {
  readonly actor: SignedIn
}

/** Adds entries to the timeline of the issue. */
export const addEntries = async ({ tx, issue, actor, at }: IssueChange, ...entries: NewEntry[]): Promise<void> =>
  void (await insertEntries(tx, { issue, actorId: actor.account.id, at }, entries))

type OfIssue = keyof ReturnType<typeof issuePayload>
type IssueEventKind = keyof typeof issueEvents

/** An event of an issue; `payload` contains its members except the ids. */
interface IssueEventOf<Kind extends IssueEventKind> {
  readonly kind: Kind
  readonly payload: Omit<EventPayload<Kind>, OfIssue>
}
export type NewIssueEvent = { [Kind in IssueEventKind]: IssueEventOf<Kind> }[IssueEventKind]

export const appendIssueEvent = <Kind extends IssueEventKind>(
  change: IssueChange,
  kind: Kind,
  payload: IssueEventOf<Kind>['payload'],
): Promise<void> => appendIssueEvents(change, [{ kind, payload } as unknown as NewIssueEvent])

/** Appends events of the changed issue in this order; see `Events.appendAll`. */
export async function appendIssueEvents(
  { tx, events, issue, actor, repo, at }: IssueChange,
  added: readonly NewIssueEvent[],
): Promise<void> {
  const ids = issuePayload(issue)
  const entities: IssueEntities = { repo, issue }
  const whole = added.map(
    ({ kind, payload }) => ({ kind, payload: { ...ids, ...payload }, entities }) as unknown as NewEvent,
  )
  await events.appendAll(tx, { actor, repoId: repo.id, at }, whole)
}

/** Sets the due date (epoch milliseconds) or deletes it. Returns the changed issue. */
export async function changeDeadline(change: IssueChange, dueAt: number | undefined): Promise<Issue> {
  const { tx, issue, at } = change
  if (issue.dueAt === dueAt) return issue
  const changed = await updateIssue(tx, issue.id, { due_at: dueAt ?? 0, updated_at: at })
  await addEntries(change, entryOf(issue.dueAt, dueAt))
  return changed
}

const dateOf = (time: number): string => wireTime(time).slice(0, 10)

/** The bodies are those of the API (behaviour/issues#timeline). */
function entryOf(before: number | undefined, after: number | undefined): NewEntry {
  if (after === undefined) return { kind: 'removed_deadline', body: dateOf(before!) }
  if (before === undefined) return { kind: 'added_deadline', body: dateOf(after) }
  return { kind: 'modified_deadline', body: `${dateOf(after)}|${dateOf(before)}` }
}

/** A notification for individual users, whether or not they watch the issue. */
export interface IssueNotice extends IssueEntities {
  readonly actorId: UserId
  readonly userIds: readonly UserId[]
  readonly reason: 'mentioned' | 'assigned' | 'review-requested'
  /** The comment that mentions them; undefined for the issue itself. */
  readonly commentId?: number | undefined
}

/**
 * Sends a notice; registered by the module of notifications. Excludes users who may not read the issue, users who block
 * the actor, and the actor.
 */
export type IssueNotices = Hook<[tx: Tx, notice: IssueNotice]>

/**
 * Rules that refuse states, such as dependencies. A rule throws Precondition when the issue may not get the state, for
 * example because it depends on an open issue.
 */
export type StateRules = Hook<[change: IssueChange, state: 'open' | 'closed']>

/**
 * Books the time that the actor spent on the issue, unless the repository tracks none; registered by the module of time
 * tracking. Commits that close an issue can contain a time.
 */
export type TimeBookings = Hook<[change: AccountChange, seconds: number]>

/** The counter of the repository that includes the issue. */
export function counterOf({
  isPull,
  isClosed,
}: Pick<Issue, 'isPull' | 'isClosed'>): Parameters<typeof repoQueries.addToCounter>[2] {
  if (isPull) return isClosed ? 'closed_pulls_count' : 'open_pulls_count'
  return isClosed ? 'closed_issues_count' : 'open_issues_count'
}

/** The contribution of an issue to the counters of its milestone. */
export const milestoneCount = ({ isClosed }: Pick<Issue, 'isClosed'>, change: 1 | -1): CounterChange =>
  isClosed ? { open: 0, closed: change } : { open: change, closed: 0 }

interface StateChange {
  readonly isClosed: boolean
  /** The commit that closes or reopens the issue. */
  readonly commitOid?: string
  /** A pull request is closed because `commitOid` merged it. */
  readonly merge?: 'merged' | 'auto-merged'
}

/** Closes or reopens the issue. The caller has checked that the state differs and that no rule forbids it. */
export async function changeState(change: IssueChange, { isClosed, commitOid, merge }: StateChange): Promise<Issue> {
  const { tx, issue, repo, at } = change
  const changed = await updateIssue(tx, issue.id, {
    is_closed: flag(isClosed),
    closed_at: isClosed ? at : 0,
    updated_at: at,
  })
  await updateStateCopies(tx, changed)
  await repoQueries.addToCounter(tx, repo.id, counterOf(issue), -1)
  await repoQueries.addToCounter(tx, repo.id, counterOf(changed), 1)
  const moved = isClosed ? { open: -1, closed: 1 } : { open: 1, closed: -1 }
  if (issue.milestoneId !== undefined) await addToMilestoneCounters(tx, new Map([[issue.milestoneId, moved]]))
  const entry =
    merge === undefined
      ? ({ kind: isClosed ? 'close' : 'reopen', ...(commitOid && { payload: { commitOid } }) } as const)
      : ({ kind: 'merge_pull', payload: { commitOid: commitOid! } } as const)
  await addEntries(change, entry)
  const cause = commitOid === undefined ? {} : { commit_oid: commitOid }
  const after = { ...change, issue: changed }
  if (isClosed) await appendIssueEvent(after, 'issue.closed', { ...cause, ...(merge && { merge }) })
  else await appendIssueEvent(after, 'issue.reopened', cause)
  return changed
}
