import type { Generated } from 'kysely'
import type { Flag } from '../../../../core/db/flag.ts'

/** A text by which runners register themselves at a place; of each place one is active. */
export interface ActionRegistrationTokenTable {
  id: Generated<number>
  owner_id: number | null
  repo_id: number | null
  /** SHA-256 of the token, by which it is found. */
  hash: string
  /** The token itself, encrypted: it is shown again. */
  sealed: string
  /** 0 for tokens that were reset: runners that use one are told so. */
  is_active: Generated<Flag>
  created_at: number
}

/** A program that runs jobs. Both ids are null for runners of the site. */
export interface ActionRunnerTable {
  id: Generated<number>
  uuid: string
  name: string
  owner_id: number | null
  repo_id: number | null
  /** Of the token that the runner got when it registered. */
  token_hash: string
  version: Generated<string>
  /** A JSON list of texts. */
  labels: Generated<string>
  is_disabled: Generated<Flag>
  /** Deleted after one task. */
  is_ephemeral: Generated<Flag>
  /** Epoch milliseconds of its last call; 0 before the first. */
  online_at: Generated<number>
  /** Epoch milliseconds of the last call about a task; 0 before the first. */
  active_at: Generated<number>
  created_at: number
  updated_at: number
}

/** A number for each place that grows when a job there begins to wait for a runner. */
export interface ActionQueueTable {
  owner_id: number | null
  repo_id: number | null
  version: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    action_queue: ActionQueueTable
    action_registration_token: ActionRegistrationTokenTable
    action_runner: ActionRunnerTable
  }
}
