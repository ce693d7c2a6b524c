import { defineModule } from '../../../../core/module.ts'
import { readActionsSettings } from '../actions-settings.ts'
import { sealedIdTokenKeys } from '../id-tokens/id-token-keys.service.ts'
import { createIdTokens } from '../id-tokens/id-tokens.service.ts'
import { registerIdTokens } from '../id-tokens/id-tokens.routes.ts'
import { registerRunnerProtocol } from '../protocol/runner-protocol.routes.ts'
import { createRunnerLogin } from '../runners/runner-login.ts'
import { decideJobRights } from '../runs/job-rights.policy.ts'
import { createOverdueWork } from './overdue.service.ts'
import { createTaskContext } from './task-context.ts'
import { createTaskLogs } from './task-log.service.ts'
import { createTaskQueue } from './task-queue.service.ts'
import { createTaskReports } from './task-reports.service.ts'
import { createTaskJobs, overdueTasks } from './tasks.jobs.ts'

/** The runner protocol: runners take jobs, report on their tasks and send the logs. */
export const module = defineModule({
  name: 'tasks',
  needs: [
    'actionsBlobs',
    'actionsSecrets',
    'actionsVariables',
    'jobTokens',
    'runnerRegistration',
    'runProgress',
    'taskChanges',
    'taskTokens',
  ],
  create(
    core,
    {
      actionsBlobs,
      actionsSecrets,
      actionsVariables,
      jobTokens,
      runnerRegistration,
      runProgress: progress,
      taskChanges: changes,
      taskTokens,
    },
  ) {
    const { config, database, clock, jobs, log, secrets, site } = core
    const logs = createTaskLogs({ database, clock, jobs, blobs: actionsBlobs })
    const settings = readActionsSettings(config)
    const overdue = createOverdueWork({ database, clock, progress, changes, settings })
    const context = createTaskContext({
      database,
      site,
      secrets: actionsSecrets,
      variables: actionsVariables,
      tokens: taskTokens,
      defaultActionsUrl: settings.defaultActionsUrl,
    })
    jobTokens.register(async (token) => {
      const task = await taskTokens.findTask(token)
      return task && decideJobRights(task)
    })
    const login = createRunnerLogin({ database, clock, log })
    const idTokens = createIdTokens({ database, clock, secrets, site })
    return {
      sealedColumns: [sealedIdTokenKeys],
      close: () => login.flush(),
      jobs: createTaskJobs({ logs, overdue }),
      tasks: overdueTasks(jobs),
      routes(http) {
        registerIdTokens(http, { idTokens, tokens: taskTokens })
        registerRunnerProtocol(http, {
          log,
          context,
          logs,
          login,
          registration: runnerRegistration,
          queue: createTaskQueue({ database, clock, progress, settings }),
          reports: createTaskReports({ database, clock, progress, changes }),
        })
      },
    }
  },
})
