import { defineModule } from '../../../../core/module.ts'
import { dispatchOperation, repositoryDispatchOperation } from './dispatch.operations.ts'
import { dispatchWorkflow } from './dispatch-workflow.ts'
import { dispatchRepository } from './repository-dispatch.ts'
import { createTriggerJobs, triggerSubscriptions, triggerTasks } from './triggers.jobs.ts'

/** Starts runs of workflows: by events, whose payloads are those of webhooks, by schedules and by requests. */
export const module = defineModule({
  name: 'triggers',
  needs: ['repos', 'messageBuilders', 'actionsVariables', 'workflowReader', 'runProgress'],
  create(core, { repos, messageBuilders, actionsVariables, workflowReader: reader, runProgress }, guards) {
    const deps = { ...core, repos, messageBuilders, actionsVariables, reader, runProgress }
    return {
      operations: [
        dispatchOperation({ guards, site: core.site, start: (actor, wanted) => dispatchWorkflow(deps, actor, wanted) }),
        repositoryDispatchOperation({ guards, start: (actor, wanted) => dispatchRepository(core, actor, wanted) }),
      ],
      subscriptions: triggerSubscriptions(core.jobs, [...messageBuilders.keys()]),
      jobs: createTriggerJobs(deps),
      tasks: triggerTasks(core.jobs),
    }
  },
})
