import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'
import type { RunStatus } from './runs/run-status.policy.ts'

const Id = Type.Integer()
const Runner = {
  /** 0 for a runner of an account or of the site. */
  repo_id: Id,
  /** 0 for a runner of a repository or of the site. */
  owner_id: Id,
  runner_id: Id,
  name: Type.String(),
}

const Status = Type.Unsafe<RunStatus>(Type.String())
/** Jobs with their new states. */
const Jobs = Type.Optional(Type.Array(Type.Object({ id: Id, status: Status })))
const Run = { repo_id: Id, run_id: Id, number: Id, workflow: Type.String() }
const Workflow = { repo_id: Id, workflow: Type.String() }

export const actionsEvents = {
  /** The state of a job changed; `run_status` is present if its run begins or ends by that. */
  'action_job.changed': Type.Object({ ...Run, job_id: Id, status: Status, run_status: Type.Optional(Status) }),
  'action_run.approved': Type.Object(Run),
  'action_run.created': Type.Object({ ...Run, jobs: Jobs }),
  'action_run.deleted': Type.Object(Run),
  'action_run.rerun': Type.Object({ ...Run, status: Type.Optional(Status), jobs: Jobs }),
  'action_workflow.disabled': Type.Object(Workflow),
  'action_workflow.enabled': Type.Object(Workflow),
  'runner.deleted': Type.Object(Runner),
  'runner.disabled': Type.Object(Runner),
  'runner.enabled': Type.Object(Runner),
  'runner.registered': Type.Object(Runner),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof actionsEvents> {}
}
