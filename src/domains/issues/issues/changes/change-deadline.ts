import { wireTime } from '../../../../core/platform/clock.ts'
import { updateIssue } from '../records/issue.store.ts'
import type { NewEntry } from '../timeline/timeline-entry.store.ts'
import { addEntries, type IssueChange } from './issue-change.ts'

/** Sets the deadline (epoch milliseconds) or deletes it. */
export async function changeDeadline(change: IssueChange, dueAt: number | undefined): Promise<void> {
  const { tx, issue, at } = change
  if (issue.dueAt === dueAt) return
  await updateIssue(tx, issue.id, { due_at: dueAt ?? 0, updated_at: at })
  await addEntries(change, entryOf(issue.dueAt, dueAt))
}

const dateOf = (time: number): string => wireTime(time).slice(0, 10)

/** The bodies are those of the contract (behaviour/issues#timeline). */
function entryOf(before: number | undefined, after: number | undefined): NewEntry {
  if (after === undefined) return { kind: 'removed_deadline', body: dateOf(before!) }
  if (before === undefined) return { kind: 'added_deadline', body: dateOf(after) }
  return { kind: 'modified_deadline', body: `${dateOf(after)}|${dateOf(before)}` }
}
