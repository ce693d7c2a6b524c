import { type Static, Type } from '@sinclair/typebox'
import { Repository } from '../../repositories/index.ts'
import { UserModel } from '../../accounts/index.ts'

const ActionRunnerLabel = Type.Object(
  {
    id: Type.Integer({ description: 'Its place in the list' }),
    name: Type.String(),
    type: Type.String({ description: 'custom' }),
  },
  { $id: 'ActionRunnerLabel' },
)

export const ActionRunner = Type.Object(
  {
    id: Type.Integer(),
    uuid: Type.String(),
    name: Type.String(),
    description: Type.String(),
    owner_id: Type.Integer({ description: '0 for a runner of a repository or of the site' }),
    repo_id: Type.Integer({ description: '0 for a runner of an account or of the site' }),
    version: Type.String({ description: 'As the runner declares it' }),
    status: Type.String({ description: 'online or offline' }),
    busy: Type.Boolean(),
    disabled: Type.Boolean({ description: 'It stays connected and gets no tasks' }),
    ephemeral: Type.Boolean({ description: 'It is deleted after one task' }),
    labels: Type.Array(ActionRunnerLabel),
  },
  { $id: 'ActionRunner' },
)
export type ActionRunner = Static<typeof ActionRunner>

export const ActionRunnersResponse = Type.Object(
  { runners: Type.Array(ActionRunner), total_count: Type.Integer() },
  { $id: 'ActionRunnersResponse' },
)

export const EditActionRunnerOption = Type.Object({ disabled: Type.Boolean() }, { $id: 'EditActionRunnerOption' })

export const RegisterRunnerOption = Type.Object(
  {
    name: Type.String({ maxLength: 255, description: 'Need not be unique' }),
    description: Type.Optional(Type.String({ maxLength: 4096 })),
    ephemeral: Type.Optional(Type.Boolean({ description: 'Deleted after one task' })),
  },
  { $id: 'RegisterRunnerOption' },
)

export const RegisterRunnerResponse = Type.Object(
  { id: Type.Integer(), uuid: Type.String(), token: Type.String({ description: 'Shown only here' }) },
  { $id: 'RegisterRunnerResponse' },
)

export const RegistrationToken = Type.Object({ token: Type.String() }, { $id: 'RegistrationToken' })

const Time = Type.String({ format: 'date-time', description: '1970-01-01T00:00:00Z: never' })
const Status = Type.String({ description: 'queued, waiting, in_progress or completed' })
const Conclusion = Type.Optional(Type.String({ description: 'success, failure, cancelled or skipped, when completed' }))

const PullRequestMinimalHead = Type.Object(
  {
    ref: Type.String({ description: 'The branch' }),
    sha: Type.String(),
    repo: Type.Object(
      { id: Type.Integer({ description: '0: deleted' }), name: Type.String(), url: Type.String() },
      { $id: 'PullRequestMinimalHeadRepo' },
    ),
  },
  { $id: 'PullRequestMinimalHead' },
)

const PullRequestMinimal = Type.Object(
  {
    id: Type.Integer(),
    number: Type.Integer(),
    url: Type.String(),
    head: PullRequestMinimalHead,
    base: PullRequestMinimalHead,
  },
  { $id: 'PullRequestMinimal' },
)
export type PullRequestMinimal = Static<typeof PullRequestMinimal>

const otherRunNames = {
  approved_by: Type.Integer({ description: 'The id of the account; 0 for nobody' }),
  commit_sha: Type.String(),
  created: Time,
  duration: Type.Integer({ description: 'Nanoseconds; 0 before the end' }),
  index_in_repo: Type.Integer({ description: 'As run_number' }),
  is_fork_pull_request: Type.Boolean(),
  need_approval: Type.Boolean({ description: 'It waits for an approval' }),
  prettyref: Type.String({ description: 'The branch or tag; # and the number for a pull request' }),
  started: Time,
  stopped: Time,
  title: Type.String(),
  trigger_event: Type.String(),
  trigger_user: UserModel,
  updated: Time,
  workflow_id: Type.String({ description: 'The file name of the workflow' }),
}
const OtherRunNames = Type.Object(otherRunNames)
export type OtherRunNames = Static<typeof OtherRunNames>

export const ActionRun = Type.Object(
  {
    ...otherRunNames,
    id: Type.Integer(),
    html_url: Type.String(),
    event: Type.String(),
    event_payload: Type.String({ description: 'JSON' }),
    is_ref_deleted: Type.Boolean(),
    repository: Repository,
    ScheduleID: Type.Integer({ description: 'Always 0: runs do not record their schedule' }),
    status: Type.String({ description: 'waiting, blocked, running, success, failure, cancelled or skipped' }),
  },
  { $id: 'ActionRun' },
)
export type ActionRun = Omit<Static<typeof ActionRun>, 'repository'> & { repository: Repository }

export const ActionWorkflowRun = Type.Object(
  {
    ...Object.fromEntries(Object.entries(otherRunNames).map(([name, type]) => [name, Type.Optional(type)])),
    id: Type.Integer(),
    url: Type.String(),
    html_url: Type.String(),
    display_title: Type.String(),
    path: Type.String({ description: 'The file name of the workflow and the ref, such as ci.yml@refs/heads/main' }),
    event: Type.String({ description: 'As it is written in the workflow' }),
    run_attempt: Type.Integer({ description: 'Counts from 1' }),
    previous_attempt_url: Type.Optional(Type.String({ description: 'From the second attempt on' })),
    run_number: Type.Integer({ description: 'Counts from 1 in each repository' }),
    pull_requests: Type.Array(PullRequestMinimal),
    repository_id: Type.Integer(),
    head_sha: Type.String(),
    head_branch: Type.Optional(Type.String({ description: 'The branch or tag, if any' })),
    status: Status,
    conclusion: Conclusion,
    actor: Type.Optional(UserModel),
    trigger_actor: Type.Optional(UserModel),
    repository: Type.Optional(Repository),
    head_repository: Type.Optional(Repository),
    created_at: Time,
    updated_at: Time,
    started_at: Time,
    completed_at: Time,
    jobs_url: Type.String(),
    logs_url: Type.String(),
    artifacts_url: Type.String(),
    cancel_url: Type.String(),
    rerun_url: Type.String(),
  },
  { $id: 'ActionWorkflowRun' },
)
export type ActionWorkflowRun = Omit<Static<typeof ActionWorkflowRun>, 'repository' | 'head_repository'> & {
  repository?: Repository
}

export const ActionWorkflowRunsResponse = Type.Object(
  { workflow_runs: Type.Array(ActionWorkflowRun), total_count: Type.Integer() },
  { $id: 'ActionWorkflowRunsResponse' },
)

const ActionWorkflowStep = Type.Object(
  {
    name: Type.String(),
    number: Type.Integer({ description: 'From 0' }),
    status: Status,
    conclusion: Conclusion,
    started_at: Time,
    completed_at: Time,
  },
  { $id: 'ActionWorkflowStep' },
)

export const ActionWorkflowJob = Type.Object(
  {
    id: Type.Integer(),
    url: Type.String(),
    html_url: Type.String(),
    run_id: Type.Integer(),
    run_url: Type.String(),
    name: Type.String(),
    labels: Type.Array(Type.String(), { description: 'What the runner must have' }),
    runs_on: Type.Array(Type.String(), { description: 'As labels' }),
    needs: Type.Array(Type.String(), { description: 'The ids of jobs in the workflow' }),
    attempt: Type.Integer({ description: 'As run_attempt' }),
    repo_id: Type.Integer(),
    owner_id: Type.Integer(),
    task_id: Type.Integer({ description: '0: no runner has taken it' }),
    run_attempt: Type.Integer({ description: 'How often a runner took it' }),
    head_sha: Type.String(),
    head_branch: Type.Optional(Type.String({ description: 'The branch or tag, if any' })),
    status: Status,
    conclusion: Conclusion,
    runner_id: Type.Optional(Type.Integer()),
    runner_name: Type.Optional(Type.String()),
    steps: Type.Array(ActionWorkflowStep),
    created_at: Time,
    started_at: Time,
    completed_at: Time,
  },
  { $id: 'ActionWorkflowJob' },
)
export type ActionWorkflowJob = Static<typeof ActionWorkflowJob>

export const ActionWorkflowJobsResponse = Type.Object(
  { jobs: Type.Array(ActionWorkflowJob), total_count: Type.Integer() },
  { $id: 'ActionWorkflowJobsResponse' },
)

export const ActionRunJob = Type.Object(
  {
    id: Type.Integer(),
    attempt: Type.Integer({ description: 'The attempt that a runner would begin' }),
    handle: Type.String({ description: 'Names this attempt to a runner that asks for one job' }),
    repo_id: Type.Integer(),
    run_id: Type.Integer(),
    owner_id: Type.Integer(),
    name: Type.String(),
    needs: Type.Array(Type.String()),
    runs_on: Type.Array(Type.String()),
    task_id: Type.Integer({ description: '0: no runner has taken it' }),
    status: Type.String({ description: 'waiting' }),
  },
  { $id: 'ActionRunJob' },
)
export type ActionRunJob = Static<typeof ActionRunJob>

const ActionTask = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String({ description: 'Of the job' }),
    head_branch: Type.String({ description: 'The branch or tag; # and the number for a pull request' }),
    head_sha: Type.String(),
    run_number: Type.Integer(),
    event: Type.String(),
    display_title: Type.String(),
    status: Type.String({ description: 'waiting, blocked, running, success, failure, cancelled or skipped' }),
    workflow_id: Type.String({ description: 'The file name of the workflow' }),
    url: Type.String(),
    created_at: Time,
    updated_at: Time,
    run_started_at: Time,
  },
  { $id: 'ActionTask' },
)
export type ActionTask = Static<typeof ActionTask>

/** COMPAT: the tasks are the member `workflow_runs` (test/automation/jobs.test.ts). */
export const ActionTaskResponse = Type.Object(
  { workflow_runs: Type.Array(ActionTask), total_count: Type.Integer() },
  { $id: 'ActionTaskResponse' },
)
