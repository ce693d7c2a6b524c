import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../events/index.ts'

const Id = Type.Integer()
const Runner = {
  /** 0 for a runner of an account or of the site. */
  repo_id: Id,
  /** 0 for a runner of a repository or of the site. */
  owner_id: Id,
  runner_id: Id,
  name: Type.String(),
}

const Run = { repo_id: Id, run_id: Id, number: Id, workflow: Type.String() }
const Workflow = { repo_id: Id, workflow: Type.String() }

export const actionsEvents = {
  'action_run.created': Type.Object(Run),
  'action_run.deleted': Type.Object(Run),
  'action_run.rerun': Type.Object(Run),
  'action_workflow.disabled': Type.Object(Workflow),
  'action_workflow.enabled': Type.Object(Workflow),
  'runner.deleted': Type.Object(Runner),
  'runner.disabled': Type.Object(Runner),
  'runner.enabled': Type.Object(Runner),
}

declare module '../../events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof actionsEvents> {}
}
