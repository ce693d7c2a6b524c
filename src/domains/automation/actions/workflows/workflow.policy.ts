import { errors } from '../../../errors.ts'
import type { Trigger, WorkflowInput } from './reading/triggers.ts'

/** The parts of a workflow file that do not depend on an event. */
export interface Workflow {
  /** Empty if there is none. */
  readonly name: string
  readonly triggers: readonly Trigger[]
  /** The cron expressions of `schedule`. */
  readonly crons: readonly string[]
  /** Undefined if the workflow has no dispatch trigger. */
  readonly inputs: readonly WorkflowInput[] | undefined
}

/** Why a workflow is not valid; `line` counts from 1, 0 if it is not known. */
export interface Invalid {
  readonly line: number
  /** The keys that lead to the place, such as `jobs.build.needs`; empty for the whole file. */
  readonly place: string
  readonly reason: string
}

/** `events` are the names below `on` of an invalid workflow, if those are valid. */
export type Read<T> =
  { readonly found: T } | { readonly invalid: Invalid; readonly events?: readonly string[] | undefined }

/** A group of runs and jobs of which one runs at a time. */
export interface Concurrency {
  readonly group: string
  readonly cancels: boolean
}

export interface PlannedJob {
  readonly key: string
  readonly name: string
  readonly needs: readonly string[]
  readonly labels: readonly string[]
  readonly hasCondition: boolean
  /** The names of its steps. */
  readonly steps: readonly string[]
  /** JSON; empty: those of the repository. */
  readonly permissions: string
  /** The name of the environment; empty: none. */
  readonly environment: string
  /** Undefined: none. */
  readonly concurrency: Concurrency | undefined
  /** YAML: the workflow with only this job; empty while `late` is not. */
  readonly payload: string
  /** JSON: what the job is planned from when the jobs that it needs have ended; empty if it is planned. */
  readonly late: string
}

/** The run that an event starts. */
export interface RunPlan {
  /** Name of the workflow; empty if it has none. */
  readonly name: string
  /** Empty if there is none. */
  readonly runName: string
  readonly concurrency: Concurrency | undefined
  readonly jobs: readonly PlannedJob[]
}

/** Throws NotFound for a workflow of another repository: there are none that several repositories share. */
export function requireOwnWorkflow(
  name: string,
  { scoped_workflow_source_repo_id: sourceId = 0 }: { readonly scoped_workflow_source_repo_id?: number },
): void {
  if (sourceId !== 0) throw errors.workflowNotFound(name)
}

export const describeInvalid = ({ line, place, reason }: Invalid): string =>
  [line > 0 ? `line ${line}` : '', place, reason].filter((part) => part !== '').join(': ')
