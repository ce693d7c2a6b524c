import type { Services } from '../../../../core/module.ts'
import { ANONYMOUS } from '../../../../core/access/viewer.ts'
import type { DomainEvent } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import {
  type Job,
  type Run,
  type RunStatus,
  isDone,
  presentJob,
  presentRun,
  presentWorkflow,
  runQueries,
} from '../../../automation/index.ts'
import { issueQueries } from '../../../issues/index.ts'
import { presentOrganization, userPresenters } from '../../../accounts/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { IssueBuilderDeps } from './issues.ts'
import type { HookMessage, MessageBuilders } from './payload.ts'
import { messageOf } from '../hook.present.ts'
import type { PayloadPull, WorkflowCommon } from './payload-types.ts'
import { loadPayloadPull } from './pulls.ts'

interface WorkflowBuilderDeps extends IssueBuilderDeps {
  readonly repos: Pick<Services['repos'], 'views'>
  readonly workflows: Pick<Services['workflows'], 'findOfRun'>
}

type RunEvent = DomainEvent<'action_job.changed' | 'action_run.created' | 'action_run.rerun'>
type JobStatus = { readonly id: number; readonly status: RunStatus }

/** The state of a run and its jobs in the event; they may have progressed afterwards. */
interface Progress {
  /** Undefined: there is no message for the run. */
  readonly run: RunStatus | undefined
  /** Undefined: all jobs in their present state. */
  readonly jobs: readonly JobStatus[] | undefined
}

const RUN_ACTIONS: Readonly<Partial<Record<RunStatus, string>>> = {
  waiting: 'requested',
  blocked: 'requested',
  running: 'in_progress',
}
const JOB_ACTIONS: Readonly<Partial<Record<RunStatus, string>>> = {
  waiting: 'queued',
  blocked: 'waiting',
  running: 'in_progress',
}

/** Runs and jobs of workflows (behaviour/actions#commit-statuses-and-events). */
export const workflowBuilders = (deps: WorkflowBuilderDeps): MessageBuilders => ({
  'action_run.created': (event) => buildMessages(deps, event, { run: 'waiting', jobs: event.payload.jobs }),
  'action_run.rerun': (event) => {
    const { status = 'waiting', jobs } = event.payload
    return buildMessages(deps, event, { run: status, jobs })
  },
  async 'action_job.changed'(event) {
    const { run_status: run, job_id: id, status } = event.payload
    return (await buildMessages(deps, event, { run, jobs: [{ id, status }] })).toReversed()
  },
})

/** The message of the run, then those of its jobs; empty when the run was deleted concurrently. */
async function buildMessages(deps: WorkflowBuilderDeps, event: RunEvent, progress: Progress): Promise<HookMessage[]> {
  const { database, facts, site } = deps
  const found = await runQueries.find(database.read, asId(event.repoId), event.payload.run_id)
  // The actor 0 is the server, which continues a run that an account started.
  const actorId = event.actorId === 0 ? found?.actorId : event.actorId
  const known = found && (await facts.load({ ...event, actorId: actorId! }, 'all'))
  if (known === undefined) return []
  const { repo, repository, sender } = known
  const run = progress.run === undefined ? found! : asOf(found!, progress.run)
  const common = {
    ...(await loadPull(deps, repo, run)),
    ...(repo.owner.kind === 'organization' && { organization: presentOrganization(repo.owner, ANONYMOUS, site) }),
    repository,
    sender,
  }
  const jobs = await buildJobs(deps, run, { common, statuses: progress.jobs })
  if (progress.run === undefined) return jobs
  return [await buildRun(deps, repo, { run, common }), ...jobs]
}

type Common = Omit<WorkflowCommon, 'action'>

async function buildRun(
  { database, repos, workflows, site }: WorkflowBuilderDeps,
  repo: Repo,
  { run, common }: { readonly run: Run; readonly common: Common },
): Promise<HookMessage> {
  const [view] = await runQueries.loadViews({ read: database.read, repos }, ANONYMOUS, [run])
  const workflow = await workflows.findOfRun(repo, run)
  const { actor: user } = view!
  const actor = user
    ? userPresenters.present(user, ANONYMOUS, site)
    : (userPresenters.presentVirtualById(run.actorId, site) ?? userPresenters.presentGhost(site))
  return messageOf('workflow_run', {
    action: RUN_ACTIONS[run.status] ?? 'completed',
    workflow: workflow ? presentWorkflow(workflow, repo, site) : null,
    workflow_run: { ...presentRun(view!, site), actor, trigger_actor: actor, repository: common.repository },
    ...common,
  })
}

async function buildJobs(
  { database: { read }, site }: WorkflowBuilderDeps,
  run: Run,
  { common, statuses }: { readonly common: Common; readonly statuses: readonly JobStatus[] | undefined },
): Promise<HookMessage[]> {
  const statusOf = new Map(statuses?.map(({ id, status }) => [id, status]))
  const jobs = statuses
    ? await runQueries.listJobsByIds(read, [...statusOf.keys()])
    : await runQueries.listAllJobs(read, run.id)
  const views = await runQueries.loadJobViews(
    read,
    jobs.toSorted((a, b) => a.id - b.id).map((job) => asOf(job, statusOf.get(job.id) ?? job.status)),
  )
  return views.map((view) => {
    const action = JOB_ACTIONS[view.job.status] ?? 'completed'
    return messageOf('workflow_job', { action, workflow_job: presentJob({ ...view, run }, site), ...common })
  })
}

/** The row in its state when it had that status. */
const asOf = <T extends Pick<Job, 'status' | 'startedAt' | 'stoppedAt'> & { readonly taskId?: number }>(
  it: T,
  status: RunStatus,
): T => {
  if (isDone(status)) return { ...it, status }
  const hasBegun = status === 'running'
  return {
    ...it,
    status,
    startedAt: hasBegun ? it.startedAt : 0,
    stoppedAt: 0,
    ...(it.taskId !== undefined && !hasBegun && { taskId: 0 }),
  }
}

async function loadPull(
  deps: WorkflowBuilderDeps,
  repo: Repo,
  { ref }: Run,
): Promise<{ readonly pull_request?: PayloadPull }> {
  const number = Number(/^refs\/pull\/(\d{1,9})\//.exec(ref)?.[1] ?? 0)
  const issue = number === 0 ? undefined : await issueQueries.findByNumber(deps.database.read, repo.id, number)
  const pull = issue?.isPull === true ? await loadPayloadPull(deps, repo, issue) : undefined
  return pull === undefined ? {} : { pull_request: pull }
}
