import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'
import type { RunStatus } from './runs/run-status.policy.ts'

export type ArtifactStatus = 'uploading' | 'ready' | 'expired'

/** An artifact of a run; with the older protocol, one of several files with the same artifact name. */
export interface ActionArtifactTable {
  id: Generated<number>
  repo_id: number
  run_id: number
  /** The task that uploaded it; it may have been deleted. */
  task_id: number
  name: string
  /** The path of a file of the older protocol; otherwise empty. */
  path: Generated<string>
  /** `v4`: one zip file; `v3`: files one by one. */
  protocol: 'v3' | 'v4'
  status: ArtifactStatus
  /** `gzip` if the runner sent compressed data; otherwise empty. */
  encoding: Generated<string>
  /** The media type of a file that is not a zip file; otherwise empty. */
  mime_type: Generated<string>
  /**
   * The hash of the blob, or the name of a list of blocks; empty before the upload is complete and after it expired.
   */
  hash: Generated<string>
  /** SHA-256 of a zip file; empty where it is the hash. */
  digest: Generated<string>
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

/** A token with which runners register at a level; each level has one active token. */
export interface ActionRegistrationTokenTable {
  id: Generated<number>
  owner_id: number | null
  repo_id: number | null
  /** SHA-256 of the token, by which it is found. */
  hash: string
  /** The token itself, encrypted, because it is shown again. */
  sealed: string
  /** 0 for tokens that were reset; the server reports this to runners that use one. */
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
  /** The hash of the token that the runner got when it registered. */
  token_hash: string
  version: Generated<string>
  description: Generated<string>
  /** A JSON list of texts. */
  labels: Generated<string>
  /**
   * What the runner supports beyond the protocol, a JSON list of texts; `cancelling`: it ends a cancelled job itself.
   */
  capabilities: Generated<string>
  is_disabled: Generated<Flag>
  /** Deleted after one task. */
  is_ephemeral: Generated<Flag>
  /** The time of its last request, in epoch milliseconds; 0 before the first. */
  online_at: Generated<number>
  /** The time of the last request about a task, in epoch milliseconds; 0 before the first. */
  active_at: Generated<number>
  created_at: number
  updated_at: number
}

/** A counter for each level that increases when a job there starts to wait for a runner. */
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

/** The workflow state of a repository. Inserted with its first run or disabled workflow. */
export interface ActionRepoTable {
  repo_id: number
  /** The highest run number that the repository has ever used. */
  last_run_number: Generated<number>
  /** A JSON list of file names. */
  disabled_workflows: Generated<string>
}

/** A run of one workflow, started by one event. Times are epoch milliseconds, 0 for never. */
export interface ActionRunTable {
  id: Generated<number>
  repo_id: number
  /** Counts from 1 in each repository. */
  number: number
  /** The file name without its folder. */
  workflow: string
  workflow_path: string
  title: string
  /** The value of `on` in the workflow. */
  event: string
  /** A full ref name. */
  ref: string
  oid: string
  /** The account may have been deleted; -2 for workflow jobs. */
  actor_id: number
  /** JSON: the event as jobs see it. */
  payload: Generated<string>
  is_from_fork: Generated<Flag>
  needs_approval: Generated<Flag>
  /** 0: not approved. */
  approver_id: Generated<number>
  /** Empty: no group. */
  concurrency_group: Generated<string>
  cancels_in_progress: Generated<Flag>
  /** The number of runs that led to this one, each by the end of the one before. */
  depth: Generated<number>
  /** The trigger: an event with the name below `on` and the ref, or a schedule; empty for a request. */
  source: Generated<string>
  /** Counts from 1. */
  attempt: Generated<number>
  /** The account that started the latest attempt; 0: the actor. */
  trigger_actor_id: Generated<number>
  /** The name that the workflow states; empty if it states none. */
  workflow_name: Generated<string>
  /** The commit that gets statuses of its jobs; empty: none. */
  reported_oid: Generated<string>
  /** The aggregated status of its jobs. */
  status: RunStatus
  started_at: Generated<number>
  stopped_at: Generated<number>
  created_at: number
  updated_at: number
}

/** An attempt of a run that a rerun ended. */
export interface ActionAttemptTable {
  run_id: number
  /** Counts from 1. */
  attempt: number
  trigger_actor_id: number
  status: RunStatus
  started_at: number
  stopped_at: number
  /** JSON: the state of each job at its end. */
  jobs: string
}

/** The times at which a workflow of the default branch starts by itself. */
export interface ActionScheduleTable {
  id: Generated<number>
  repo_id: number
  /** The file name of the workflow. */
  workflow: string
  workflow_path: string
  cron: string
  /** JSON: the push by which it was registered; empty: none. */
  push: Generated<string>
  /** Epoch milliseconds. */
  next_at: number
  created_at: number
}

/** One job of a run, or one combination of its matrix. */
export interface ActionJobTable {
  id: Generated<number>
  repo_id: number
  run_id: number
  /** The id in the workflow; the same for all combinations of a matrix. */
  key: string
  name: string
  /** A JSON list of keys. */
  needs: Generated<string>
  /** A JSON list of labels that the runner must have. */
  labels: Generated<string>
  /** YAML: the workflow with only this job. */
  payload: Generated<string>
  /** The names of its steps, a JSON list of texts. */
  steps: Generated<string>
  /** The `permissions` of the job as a JSON object of scopes and levels; empty: those of the repository. */
  permissions: Generated<string>
  /** The name of its environment; empty: none. */
  environment: Generated<string>
  /** The job has an `if`, which a runner evaluates even when required jobs failed. */
  has_condition: Generated<Flag>
  /** JSON: what the job is planned from when the jobs that it needs have ended; empty if it is planned. */
  late: Generated<string>
  /** What `late` was before the job, as the first of its matrix, was planned; empty: it was not planned late. */
  planned_from: Generated<string>
  /** Whether a rerun has planned other jobs of the same key, so that this one belongs to an earlier attempt. */
  is_replaced: Generated<Flag>
  /** The `concurrency` of the workflow, until it is evaluated. */
  concurrency: Generated<string>
  concurrency_group: Generated<string>
  cancels_in_progress: Generated<Flag>
  /** How often a runner has taken the job. */
  attempt: Generated<number>
  /** The latest task; 0 before a runner has taken the job. */
  task_id: Generated<number>
  status: RunStatus
  started_at: Generated<number>
  stopped_at: Generated<number>
  created_at: number
  updated_at: number
}

/** One attempt of a runner to run a job. */
export interface ActionTaskTable {
  id: Generated<number>
  repo_id: number
  job_id: number
  /** The runner may have been deleted. */
  runner_id: number
  runner_name: string
  attempt: number
  status: RunStatus
  /** The hash of the token with which the job calls the server. */
  token_hash: Generated<string>
  /** Sent by the runner with the request that got the task; a repeated request gets the same one. Empty: none. */
  request_key: Generated<string>
  /** The runner stops the job at its next report; 0 if nobody has cancelled it. */
  cancel_requested_at: Generated<number>
  /** The hash of the blob with the whole log; empty while the lines are in `action_log`. */
  log_hash: Generated<string>
  /** Bytes of the blob. */
  log_size: Generated<number>
  /** `zstd` if the blob is compressed; otherwise empty. */
  log_encoding: Generated<string>
  /** Bytes of the lines. */
  log_text_size: Generated<number>
  log_lines: Generated<number>
  /** The log is complete. */
  is_log_sealed: Generated<Flag>
  is_log_expired: Generated<Flag>
  started_at: Generated<number>
  stopped_at: Generated<number>
  created_at: number
  updated_at: number
}

/** A step of a task. Its log consists of `log_length` lines starting at `log_index`. */
export interface ActionStepTable {
  task_id: number
  /** Counted from 0. */
  number: number
  name: string
  status: RunStatus
  log_index: Generated<number>
  log_length: Generated<number>
  started_at: Generated<number>
  stopped_at: Generated<number>
}

/** Lines of a log that a runner sent in one request. */
export interface ActionLogTable {
  task_id: number
  first_line: number
  /** Each line ends with a line feed. */
  text: string
}

/** An output of a job, from the task that ran it. */
export interface ActionOutputTable {
  task_id: number
  name: string
  value: string
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    action_attempt: ActionAttemptTable
    action_job: ActionJobTable
    action_log: ActionLogTable
    action_output: ActionOutputTable
    action_repo: ActionRepoTable
    action_run: ActionRunTable
    action_schedule: ActionScheduleTable
    action_step: ActionStepTable
    action_task: ActionTaskTable
  }
}
