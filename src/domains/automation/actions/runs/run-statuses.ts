import type { Core } from '../../../../core/module.ts'
import type { Subscription, Subscriptions } from '../../../../core/events/index.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { statusQueries } from '../../../code/index.ts'
import { repoQueries } from '../../../repositories/index.ts'
import { listAllJobsOfRun } from './job.store.ts'
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
 * Adds a status of the commit for each job of the run whose state is another one than the latest status says
 * (behaviour/actions#commit-statuses-and-events).
 */
export async function reportRun(
  { database, clock, events }: Pick<Core, 'database' | 'clock' | 'events'>,
  { repoId, runId }: { readonly repoId: RepoId; readonly runId: number },
): Promise<void> {
  await database.transaction(async (tx) => {
    const repo = await repoQueries.findById(tx, repoId)
    const found = repo && (await findRun(tx, repo.id, runId))
    if (found === undefined || found.reportedOid === '') return
    await statusQueries.reportChanges(tx, { clock, events }, { repoId, oid: found.reportedOid }, async () =>
      // NOTE: a job that is planned late may become several, with other names.
      (await listAllJobsOfRun(tx, runId))
        .filter(({ late, status }) => late === '' || isDone(status))
        .map((job) => ({
          state: statusOf(job.status),
          context: `${found.workflowName || found.workflow} / ${job.name} (${found.event})`,
          description: describeJob(job),
          targetUrl: `/${repo!.fullName}/actions/runs/${runId}/jobs/${job.id}`,
        })),
    )
  })
}
