import type { Generated } from 'kysely'

/** The outbox: written with the change it tells of, handed to subscribers after commit. */
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

export interface JobTable {
  id: Generated<number>
  kind: string
  /** Two waiting jobs of one kind never share a key; a random one where each counts. */
  key: string
  payload: string
  state: Generated<'waiting' | 'running' | 'dead'>
  run_at: number
  lease_until: Generated<number>
  attempts: Generated<number>
  last_error: Generated<string>
  created_at: number
}

/** When each scheduled task last ran, on whichever node. */
export interface CronTaskTable {
  name: string
  last_run_at: Generated<number>
  runs_count: Generated<number>
}
