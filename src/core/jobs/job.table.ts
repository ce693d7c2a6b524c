import type { Generated } from 'kysely'

export interface JobTable {
  id: Generated<number>
  kind: string
  /** Two waiting jobs of one kind never share a key; a random one where each counts. */
  key: string
  payload: string
  state: Generated<'waiting' | 'running' | 'dead'>
  run_at: number
  lease_until: Generated<number>
  /** The process that runs it (`Members.self`); empty where a release before this one leased it. */
  holder: Generated<string>
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

declare module '../db/schema.ts' {
  interface Schema {
    cron_task: CronTaskTable
    job: JobTable
  }
}
