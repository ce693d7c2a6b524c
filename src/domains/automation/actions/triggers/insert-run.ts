import type { Core } from '../../../../core/module.ts'
import type { Actor } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { randomHex } from '../../../../core/platform/crypto/crypto.ts'
import type { Repo } from '../../../repositories/index.ts'
import { raiseQueues } from '../runners/runner.store.ts'
import { rowOfPlan } from '../runs/late-jobs.ts'
import { insertJobs } from '../runs/job.store.ts'
import { aggregateStatus } from '../runs/run-status.policy.ts'
import { findRunOfSource, insertRun, type Run, updateRun } from '../runs/run.store.ts'
import type { RunProgress } from '../runs/run-progress.service.ts'
import { lockWorkflows } from '../workflows/workflow-state.store.ts'
import { nameText } from '../workflows/reading/problem.ts'
import type { RunPlan } from '../workflows/workflow.policy.ts'

/** Texts in a plan that stand for the id and the number of the run: expressions are evaluated before it has them. */
export interface Placeholders {
  readonly runId: string
  readonly runNumber: string
}

export const newPlaceholders = (): Placeholders => ({ runId: randomHex(16), runNumber: randomHex(16) })

export interface NewRun {
  readonly repo: Repo
  readonly workflow: { readonly name: string; readonly path: string }
  /** The first line of the commit message, for a workflow without `run-name`. */
  readonly title: string
  readonly on: string
  readonly ref: string
  readonly oid: string
  readonly actor: Actor
  readonly payload: object
  readonly isFromFork: boolean
  readonly needsApproval: boolean
  /** The number of runs that led to this one, each by the end of the one before. */
  readonly depth: number
  /** The same source starts a workflow once; empty for a request. */
  readonly source: string
  readonly placeholders: Placeholders
  /** The commit that gets statuses of the jobs; empty: none. */
  readonly reportedOid: string
  readonly plan: RunPlan
}

export interface InsertDeps extends Pick<Core, 'clock' | 'events'> {
  readonly runProgress: Pick<RunProgress, 'advance' | 'join'>
}

/**
 * Inserts a run with its jobs; undefined when its source has started the workflow before, or when the workflow is
 * disabled. Locks the workflows of the repository until the transaction ends.
 */
export async function insertPlannedRun(
  tx: Tx,
  { clock, events, runProgress }: InsertDeps,
  started: NewRun,
): Promise<Run | undefined> {
  const { repo, workflow, source, actor } = started
  const at = clock.now()
  const disabled = await lockWorkflows(tx, repo.id)
  if (disabled.includes(workflow.name)) return undefined
  if (source !== '' && (await findRunOfSource(tx, repo.id, source, workflow.path)) !== undefined) return undefined
  const run = await insertRun(tx, {
    repo_id: repo.id,
    workflow: workflow.name,
    workflow_path: workflow.path,
    workflow_name: started.plan.name,
    title: '',
    event: started.on,
    ref: started.ref,
    oid: started.oid,
    reported_oid: started.reportedOid,
    actor_id: actor.account.id,
    payload: JSON.stringify(started.payload),
    is_from_fork: flag(started.isFromFork),
    needs_approval: flag(started.needsApproval),
    depth: started.depth,
    source,
    status: 'blocked',
    created_at: at,
    updated_at: at,
  })
  const plan = fillIn(started.plan, started.placeholders, run)
  const group = plan.concurrency
  const waits =
    started.needsApproval ||
    (group !== undefined && (await runProgress.join(tx, repo.id, group, { runId: run.id, jobId: 0 })))
  const rows = plan.jobs.map((job) => rowOfPlan(job, run, { at, waits }))
  const values = {
    title: plan.runName || nameText(started.title),
    status: aggregateStatus(rows.map((row) => row.status)),
    ...(group && { concurrency_group: group.group, cancels_in_progress: flag(group.cancels) }),
  }
  await updateRun(tx, run.id, values)
  const ids = await insertJobs(tx, rows)
  const jobs = rows.map((row, index) => ({ id: ids[index]!, status: row.status }))
  const payload = { repo_id: repo.id, run_id: run.id, number: run.number, workflow: run.workflow, jobs }
  await events.append(tx, 'action_run.created', { actor, repoId: repo.id, at }, payload)
  if (!waits && plan.jobs.some((job) => job.concurrency !== undefined || job.late !== ''))
    await runProgress.advance(tx, repo.id, run.id)
  if (values.status === 'waiting') await raiseQueues(tx, repo)
  return { ...run, title: values.title, status: values.status }
}

function fillIn(plan: RunPlan, { runId, runNumber }: Placeholders, run: Run): RunPlan {
  const text = JSON.stringify(plan).replaceAll(runId, String(run.id)).replaceAll(runNumber, String(run.number))
  return JSON.parse(text) as RunPlan
}
