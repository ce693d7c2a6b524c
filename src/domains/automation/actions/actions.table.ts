import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'
import type { RunStatus } from './runs/run-status.policy.ts'

export type ArtifactStatus = 'uploading' | 'ready' | 'expired'

/** A file that jobs of a run left; of the older protocol, one file of several with the same name. */
export interface ActionArtifactTable {
  id: Generated<number>
  repo_id: number
  run_id: number
  /** The task that uploaded it; it may have been deleted. */
  task_id: number
  name: string
  /** Of a file of the older protocol; else empty. */
  path: Generated<string>
  /** `v4`: one zip file; `v3`: files one by one. */
  protocol: 'v3' | 'v4'
  status: ArtifactStatus
  /** `gzip` where the runner sent it so; else empty. */
  encoding: Generated<string>
  /** Of the blob; empty before the upload is complete and when it is expired. */
  hash: Generated<string>
  /** Bytes. */
  size: Generated<number>
  expires_at: number
  created_at: number
  updated_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    action_artifact: ActionArtifactTable
  }
}

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

declare module '../../../core/db/schema.ts' {
  interface Schema {
    action_queue: ActionQueueTable
    action_registration_token: ActionRegistrationTokenTable
    action_runner: ActionRunnerTable
  }
}

/** What is remembered of the workflows of a repository. Made with its first run or disabled workflow. */
export interface ActionRepoTable {
  repo_id: number
  /** The highest number that a run of the repository ever had. */
  last_run_number: Generated<number>
  /** A JSON list of file names. */
  disabled_workflows: Generated<string>
}

/** What one event started of one workflow. Times are epoch milliseconds, 0 for never. */
export interface ActionRunTable {
  id: Generated<number>
  repo_id: number
  /** Counts from 1 in each repository. */
  number: number
  /** File name, without its folder. */
  workflow: string
  workflow_path: string
  title: string
  /** What is written under `on` in the workflow. */
  event: string
  /** A full ref name. */
  ref: string
  oid: string
  /** The account may have been deleted; -2 for workflow jobs. */
  actor_id: number
  /** JSON: what the jobs see of the event. */
  payload: Generated<string>
  is_from_fork: Generated<Flag>
  needs_approval: Generated<Flag>
  /** 0: nobody. */
  approver_id: Generated<number>
  /** Empty: none. */
  concurrency_group: Generated<string>
  cancels_in_progress: Generated<Flag>
  /** The aggregate of its jobs. */
  status: RunStatus
  started_at: Generated<number>
  stopped_at: Generated<number>
  created_at: number
  updated_at: number
}

/** One job of a run, or one combination of its matrix. */
export interface ActionJobTable {
  id: Generated<number>
  repo_id: number
  run_id: number
  /** Its id in the workflow; the same for all combinations of a matrix. */
  key: string
  name: string
  /** A JSON list of keys. */
  needs: Generated<string>
  /** A JSON list: what the runner must have. */
  labels: Generated<string>
  /** YAML: the workflow with this job alone. */
  payload: Generated<string>
  /** It has an `if`, so that a runner decides about it even when jobs before it failed. */
  has_condition: Generated<Flag>
  /** What the workflow says of concurrency, until it is evaluated. */
  concurrency: Generated<string>
  concurrency_group: Generated<string>
  cancels_in_progress: Generated<Flag>
  /** How often a runner took it. */
  attempt: Generated<number>
  /** The latest task; 0 before a runner took it. */
  task_id: Generated<number>
  status: RunStatus
  started_at: Generated<number>
  stopped_at: Generated<number>
  created_at: number
  updated_at: number
}

/** A job in the hands of a runner: one for each attempt. */
export interface ActionTaskTable {
  id: Generated<number>
  repo_id: number
  job_id: number
  /** The runner may have been deleted. */
  runner_id: number
  runner_name: string
  attempt: number
  status: RunStatus
  /** Of the token with which the job calls the server. */
  token_hash: Generated<string>
  /** Of the blob with the whole log; empty as long as the lines are in `action_log`. */
  log_hash: Generated<string>
  /** Bytes. */
  log_size: Generated<number>
  log_lines: Generated<number>
  /** No line follows. */
  is_log_sealed: Generated<Flag>
  is_log_expired: Generated<Flag>
  started_at: Generated<number>
  stopped_at: Generated<number>
  created_at: number
  updated_at: number
}

/** A step of a task. Its lines of the log are `log_length` from `log_index` on. */
export interface ActionStepTable {
  task_id: number
  /** From 0. */
  number: number
  name: string
  status: RunStatus
  log_index: Generated<number>
  log_length: Generated<number>
  started_at: Generated<number>
  stopped_at: Generated<number>
}

/** Lines of a log, as a runner sent them at once. */
export interface ActionLogTable {
  task_id: number
  first_line: number
  /** Each line ends with a line feed. */
  text: string
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    action_job: ActionJobTable
    action_log: ActionLogTable
    action_repo: ActionRepoTable
    action_run: ActionRunTable
    action_step: ActionStepTable
    action_task: ActionTaskTable
  }
}
