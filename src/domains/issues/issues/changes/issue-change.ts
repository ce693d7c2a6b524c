import type { Actor, SignedIn } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { EventKind, EventPayload, Events, NewEvent } from '../../../../core/events/index.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import type { Repo } from '../../../repositories/index.ts'
import { issuePayload } from '../issues.events.ts'
import { findIssueById, type Issue } from '../records/issue.store.ts'
import { insertEntries, type NewEntry } from '../timeline/timeline-entry.store.ts'

/** A change of an issue in one transaction. */
export interface IssueChange {
  readonly tx: Tx
  readonly events: Events
  readonly actor: Actor
  readonly repo: Repo
  /** As it was before the change; the row is locked. */
  readonly issue: Issue
  /** Epoch milliseconds: of the entries, the events and `updated_at`. */
  readonly at: number
}

/** A change that an account asked for. */
export interface AccountChange extends IssueChange {
  readonly actor: SignedIn
}

/** Adds entries to the timeline of the issue. */
export const addEntries = async ({ tx, issue, actor, at }: IssueChange, ...entries: NewEntry[]): Promise<void> =>
  void (await insertEntries(tx, { issue, actorId: actor.account.id, at }, entries))

type OfIssue = keyof ReturnType<typeof issuePayload>
type IssueEventKind = Extract<EventKind, `issue.${string}`>

/** An event of an issue; `payload` is what it has beside the ids. */
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

/** Appends events of the issue in this order, as `Events.appendAll`. */
export async function appendIssueEvents(
  { tx, events, issue, actor, repo, at }: IssueChange,
  added: readonly NewIssueEvent[],
): Promise<void> {
  const ids = issuePayload(issue)
  const whole = added.map(({ kind, payload }) => ({ kind, payload: { ...ids, ...payload } }) as unknown as NewEvent)
  await events.appendAll(tx, { actor, repoId: repo.id, at }, whole)
}

/** The same change after the issue was written: `issue` as it is now. */
export async function reload<Change extends IssueChange>(change: Change): Promise<Change> {
  const issue = await findIssueById(change.tx, change.issue.id)
  if (issue === undefined) throw notFound('the issue was deleted at the same time')
  return { ...change, issue }
}
