import { repoUrls, escapePath } from '../../../core/access/repo-urls.ts'
import { EPOCH_TIME, wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import { type Repo, presentRepo } from '../../repositories/index.ts'
import type { RunPull } from './runs/run-pulls.ts'
import type {
  ActionRun,
  ActionRunJob,
  ActionRunner,
  ActionTask,
  ActionWorkflowJob,
  ActionWorkflowRun,
  OtherRunNames,
  PullRequestMinimal,
} from './actions.model.ts'
import type { WaitingJob } from './runs/job.store.ts'
import { handleOf } from './tasks/job-handle.ts'
import type { Run } from './runs/run.store.ts'
import type { ActionArtifact } from './artifacts/artifact.model.ts'
import { isExpired } from './artifacts/artifact.policy.ts'
import type { ArtifactView } from './artifacts/artifacts.service.ts'
import { decideRunnerState } from './runners/runner.policy.ts'
import type { Runner } from './runners/runner.store.ts'
import type { ActionWorkflow, RunDetails } from './workflows/workflow.model.ts'
import type { WorkflowView } from './workflows/workflows.service.ts'
import { type User, type UserModel, userPresenters } from '../../accounts/index.ts'
import { presentStatus } from './runs/run-status.policy.ts'
import type { JobView, RunView, TaskView } from './runs/run-views.ts'
import type { Step } from './runs/task.store.ts'
import type { Static } from '@sinclair/typebox'

/** The API address of an artifact. */
export const artifactUrl = (repo: Repo, id: number, site: Site): string =>
  `${repoUrls(repo, site).api}/actions/artifacts/${id}`

/** `now` is in epoch milliseconds and decides whether the artifact is expired. */
export function presentArtifact(
  { artifact, run }: ArtifactView,
  repo: Repo,
  at: { site: Site; now: number },
): ActionArtifact {
  const url = artifactUrl(repo, artifact.id, at.site)
  return {
    id: artifact.id,
    name: artifact.name,
    size_in_bytes: artifact.size,
    url,
    archive_download_url: `${url}/zip`,
    expired: isExpired(artifact, at.now),
    run_id: run.id,
    workflow_run: presentRunOnly(run),
    created_at: wireTime(artifact.createdAt),
    updated_at: wireTime(artifact.updatedAt),
    expires_at: wireTime(artifact.expiresAt),
  }
}

/**
 * COMPAT: contains only id, repository and commit of the run; other members are empty
 * (test/automation/artifacts.test.ts).
 */
const presentRunOnly = ({ id, repoId, oid }: Run): ActionWorkflowRun => ({
  id,
  repository_id: repoId,
  head_sha: oid,
  url: '',
  html_url: '',
  display_title: '',
  path: '',
  event: '',
  run_attempt: 0,
  run_number: 0,
  pull_requests: [],
  status: '',
  created_at: EPOCH_TIME,
  updated_at: EPOCH_TIME,
  started_at: EPOCH_TIME,
  completed_at: EPOCH_TIME,
  jobs_url: '',
  logs_url: '',
  artifacts_url: '',
  cancel_url: '',
  rerun_url: '',
})

export function presentRunner(runner: Runner, now: number): ActionRunner {
  const { isOnline, isBusy } = decideRunnerState(runner, now)
  return {
    id: runner.id,
    uuid: runner.uuid,
    name: runner.name,
    description: runner.description,
    owner_id: runner.ownerId,
    repo_id: runner.repoId,
    version: runner.version,
    status: isOnline ? 'online' : 'offline',
    busy: isBusy,
    disabled: runner.isDisabled,
    ephemeral: runner.isEphemeral,
    labels: runner.labels.map((name, id) => ({ id, name, type: 'custom' })),
  }
}

export function presentWorkflow(
  { file, name, isDisabled, commit }: WorkflowView,
  repo: Repo,
  site: Site,
): ActionWorkflow {
  const { api, html } = repoUrls(repo, site)
  const at = wireTime(commit.committer.time * 1000)
  const id = encodeURIComponent(file.name)
  const branch = escapePath(repo.defaultBranch)
  return {
    id: file.name,
    name,
    path: file.path,
    state: isDisabled ? 'disabled_manually' : 'active',
    created_at: at,
    updated_at: at,
    url: `${api}/actions/workflows/${id}`,
    html_url: `${html}/src/branch/${branch}/${escapePath(file.path)}`,
    badge_url: `${html}/actions/workflows/${id}/badge.svg?branch=${encodeURIComponent(repo.defaultBranch)}`,
    deleted_at: EPOCH_TIME,
  }
}

export function presentRunDetails({ id }: Run, repo: Repo, site: Site): RunDetails {
  const { api, html } = repoUrls(repo, site)
  return { workflow_run_id: id, run_url: `${api}/actions/runs/${id}`, html_url: `${html}/actions/runs/${id}` }
}

/** The time, or the epoch for never. */
const timeOf = (ms: number): string => (ms === 0 ? EPOCH_TIME : wireTime(ms))

interface RunUrls {
  readonly api: string
  readonly html: string
}

/** The addresses of a run. */
function runUrls(repo: Repo, id: number, site: Site): RunUrls {
  const { api, html } = repoUrls(repo, site)
  return { api: `${api}/actions/runs/${id}`, html: `${html}/actions/runs/${id}` }
}

const nameOfRef = (ref: string): string | undefined => /^refs\/(?:heads|tags)\/(.+)$/s.exec(ref)?.[1]

const headBranch = (ref: string): { readonly head_branch?: string } => {
  const name = nameOfRef(ref)
  return name === undefined ? {} : { head_branch: name }
}

const presentActor = (actor: User | undefined, id: number, site: Site): Static<typeof UserModel> =>
  actor
    ? userPresenters.presentOther(actor, site)
    : (userPresenters.presentVirtualById(id, site) ?? userPresenters.presentGhost(site))

function presentRunPull({ pull, number, headRepo }: RunPull, base: Repo, site: Site): PullRequestMinimal {
  const { api } = repoUrls(base, site)
  const presentEnd = (repo: Repo | undefined, ref: string, sha: string) => ({
    ref,
    sha,
    repo: { id: repo?.id ?? 0, name: repo?.name ?? '', url: repo === undefined ? '' : repoUrls(repo, site).api },
  })
  return {
    id: pull.id,
    number,
    url: `${api}/pulls/${number}`,
    head: presentEnd(headRepo, pull.headBranch, pull.headOid),
    base: presentEnd(base, pull.baseBranch, pull.check.baseOid || pull.mergeBase),
  }
}

export function presentRun(view: RunView, site: Site): ActionWorkflowRun {
  const { run, repo, actor, triggerActor } = view
  const present = (user: User | undefined, id: number) => presentActor(user, id, site)
  const urls = runUrls(repo.repo, run.id, site)
  return {
    id: run.id,
    url: urls.api,
    html_url: urls.html,
    display_title: run.title,
    path: `${run.workflow}@${run.ref}`,
    event: run.event,
    run_attempt: run.attempt,
    ...(run.attempt > 1 && { previous_attempt_url: `${urls.api}/attempts/${run.attempt - 1}` }),
    run_number: run.number,
    pull_requests: view.pulls.map((pull) => presentRunPull(pull, repo.repo, site)),
    repository_id: run.repoId,
    head_sha: run.oid,
    ...headBranch(run.ref),
    ...presentStatus(run.status),
    actor: present(actor, run.actorId),
    trigger_actor: present(triggerActor, run.triggerActorId),
    repository: presentRepo(repo, site),
    created_at: timeOf(run.createdAt),
    updated_at: timeOf(run.updatedAt),
    started_at: timeOf(run.startedAt),
    completed_at: timeOf(run.stoppedAt),
    jobs_url: `${urls.api}/jobs`,
    logs_url: `${urls.api}/logs`,
    artifacts_url: `${urls.api}/artifacts`,
    cancel_url: `${urls.api}/cancel`,
    rerun_url: `${urls.api}/rerun`,
    ...presentOtherNames(view, site),
  }
}

/** Members of Forgejo, most of which repeat others. */
const presentOtherNames = ({ run, actor }: RunView, site: Site): OtherRunNames => ({
  approved_by: run.approverId,
  commit_sha: run.oid,
  created: timeOf(run.createdAt),
  duration: run.startedAt === 0 || run.stoppedAt === 0 ? 0 : (run.stoppedAt - run.startedAt) * 1_000_000,
  index_in_repo: run.number,
  is_fork_pull_request: run.isFromFork,
  need_approval: run.isHeld,
  prettyref: shortRef(run),
  started: timeOf(run.startedAt),
  stopped: timeOf(run.stoppedAt),
  title: run.title,
  trigger_event: run.event,
  trigger_user: presentActor(actor, run.actorId, site),
  updated: timeOf(run.updatedAt),
  workflow_id: run.workflow,
})

/** The run that a job belongs to, as Forgejo presents it. */
export const presentRunOfJob = (
  view: RunView,
  { payload, isRefDeleted }: { readonly payload: string; readonly isRefDeleted: boolean },
  site: Site,
): ActionRun => ({
  ...presentOtherNames(view, site),
  id: view.run.id,
  html_url: runUrls(view.repo.repo, view.run.id, site).html,
  event: view.run.event,
  event_payload: payload,
  is_ref_deleted: isRefDeleted,
  ScheduleID: 0,
  repository: presentRepo(view.repo, site),
  status: view.run.status,
})

export function presentJob({ job, run, repo, task, steps }: JobView, site: Site): ActionWorkflowJob {
  const urls = runUrls(repo, run.id, site)
  return {
    id: job.id,
    url: `${repoUrls(repo, site).api}/actions/jobs/${job.id}`,
    html_url: `${urls.html}/jobs/${job.id}`,
    run_id: run.id,
    run_url: urls.api,
    name: job.name,
    labels: [...job.labels],
    runs_on: [...job.labels],
    needs: [...job.needs],
    run_attempt: job.attempt,
    attempt: job.attempt,
    repo_id: job.repoId,
    owner_id: repo.ownerId,
    task_id: job.taskId,
    head_sha: run.oid,
    ...headBranch(run.ref),
    ...presentStatus(job.status),
    ...(task ? { runner_id: task.runnerId, runner_name: task.runnerName } : {}),
    steps: steps.map(presentStep),
    created_at: timeOf(job.createdAt),
    started_at: timeOf(job.startedAt),
    completed_at: timeOf(job.stoppedAt),
  }
}

export const presentWaitingJob = (job: WaitingJob): ActionRunJob => ({
  id: job.id,
  attempt: job.attempt + 1,
  handle: handleOf(job),
  repo_id: job.repoId,
  run_id: job.runId,
  owner_id: job.ownerId,
  name: job.name,
  needs: [...job.needs],
  runs_on: [...job.labels],
  task_id: 0,
  status: job.status,
})

const presentStep = ({ name, number, status, startedAt, stoppedAt }: Step): ActionWorkflowJob['steps'][number] => ({
  name,
  number,
  ...presentStatus(status),
  started_at: timeOf(startedAt),
  completed_at: timeOf(stoppedAt),
})

export function presentTask({ task, job, run }: TaskView, repo: Repo, site: Site): ActionTask {
  return {
    id: task.id,
    name: job.name,
    head_branch: shortRef(run),
    head_sha: run.oid,
    run_number: run.number,
    event: run.event,
    display_title: run.title,
    status: task.status,
    workflow_id: run.workflow,
    url: runUrls(repo, run.id, site).html,
    created_at: timeOf(task.createdAt),
    updated_at: timeOf(task.updatedAt),
    run_started_at: timeOf(run.startedAt),
  }
}

function shortRef({ ref }: Run): string {
  const pull = /^refs\/pull\/(\d+)\//.exec(ref)?.[1]
  return pull === undefined ? (nameOfRef(ref) ?? ref) : `#${pull}`
}
