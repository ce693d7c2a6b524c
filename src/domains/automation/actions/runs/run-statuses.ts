import type { Core } from '../../../../core/module.ts'
import type { Subscription, Subscriptions } from '../../../../core/events/index.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { statusQueries } from '../../../code/index.ts'
import { repoQueries } from '../../../repositories/index.ts'
import { type Job, listAllJobsOfRun } from './job.store.ts'
import { describeJob, statusOf } from './run-statuses.policy.ts'
import { isDone } from './run-status.policy.ts'
import { findRun, isReported } from './run.store.ts'

/** Enqueues the report of a run whose jobs have changed; one report stands for several changes. */
export function runStatusSubscriptions(jobs: Core['jobs']): Subscriptions {
  const report: Subscription<'action_job.changed' | 'action_run.created' | 'action_run.rerun'> = async (
    tx,
    { payload: { repo_id, run_id } },
  ) => {
    if (await isReported(tx, run_id))
      await jobs.enqueue(tx, 'actions.report', { repo_id, run_id }, { key: String(run_id) })
  }
  return { 'action_job.changed': report, 'action_run.created': report, 'action_run.rerun': report }
}

/**
 * Adds a status of the commit for each job of the run whose state is another one than the latest status says, and for
 * jobs of earlier attempts that the run no longer has (behaviour/actions#commit-statuses-and-events).
 */
export async function reportRun(
  { database, clock, events }: Pick<Core, 'database' | 'clock' | 'events'>,
  { repoId, runId }: { readonly repoId: RepoId; readonly runId: number },
): Promise<void> {
  await database.transaction(async (tx) => {
    const repo = await repoQueries.findById(tx, repoId)
    const found = repo && (await findRun(tx, repo.id, runId))
    if (found === undefined || found.reportedOid === '') return
    await statusQueries.reportChanges(tx, { clock, events }, { repoId, oid: found.reportedOid }, async (latest) => {
      const pages = `/${repo!.fullName}/actions/runs/${runId}/jobs/`
      const jobs = await listAllJobsOfRun(tx, runId)
      const reports = jobs.filter(isPlanned).map((job) => ({
        ...reportOf(job),
        context: `${found.workflowName || found.workflow} / ${job.name} (${found.event})`,
        targetUrl: `${pages}${job.id}`,
      }))
      const contexts = new Set(reports.map(({ context }) => context))
      const others = latest.filter(({ context, targetUrl }) => targetUrl.startsWith(pages) && !contexts.has(context))
      // NOTE: of earlier attempts; jobs that are planned late in this one may have the same names.
      const other = reportOf({ status: jobs.every(isPlanned) ? 'skipped' : 'blocked', startedAt: 0, stoppedAt: 0 })
      return [...reports, ...others.map(({ context, targetUrl }) => ({ ...other, context, targetUrl }))]
    })
  })
}

/** NOTE: a job that is planned late may become several, with other names. */
const isPlanned = ({ late, status }: Job): boolean => late === '' || isDone(status)

const reportOf = (job: Pick<Job, 'status' | 'startedAt' | 'stoppedAt'>) => ({
  state: statusOf(job.status),
  description: describeJob(job),
})
