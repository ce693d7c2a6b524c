import type { Generated } from 'kysely'

/** An entry of the timeline of an issue: a comment or an event. Comments and events share one sequence of ids. */
export interface TimelineEntryTable {
  id: Generated<number>
  issue_id: number
  /** Of the issue; changes when the issue is transferred. */
  repo_id: number
  /** The contract's name of the type (behaviour/issues#timeline). */
  kind: string
  /** 0 for none. The row may be gone: the account was deleted. */
  actor_id: number
  /** What the entry is about, by kind: a label, an assignee, another issue; 0 for none. */
  target_id: Generated<number>
  created_at: number
  updated_at: number
  /** JSON of the further facts of the kind, see `EntryPayloads`; empty for none. */
  payload: Generated<string>
  /** The text of a comment, or what the contract shows as `body` of an event. */
  body: Generated<string>
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    timeline_entry: TimelineEntryTable
  }
}
