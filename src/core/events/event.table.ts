import type { Generated } from 'kysely'

/** The outbox: written in the transaction of the change, handed to subscribers after commit. */
export interface EventTable {
  id: Generated<number>
  kind: string
  /** 0 when the event belongs to no repository. Events of one repository are dispatched in order. */
  repo_id: Generated<number>
  actor_id: Generated<number>
  payload: string
  created_at: number
  /** 0 until every subscriber has taken it; -1 when it was given up. */
  dispatched_at: Generated<number>
  attempts: Generated<number>
  next_attempt_at: Generated<number>
  last_error: Generated<string>
}

declare module '../db/schema.ts' {
  interface Schema {
    event: EventTable
  }
}
