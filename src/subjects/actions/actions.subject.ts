import { defineSubject } from '../subject.ts'
import { actionsEvents } from './actions.events.ts'
import { runnerOperations } from './runners/runners.operations.ts'
import { createRunners, sealedTokenColumns } from './runners/runners.service.ts'

/** Runners, and the runs, jobs, workflows and artifacts of repositories. */
export const subject = defineSubject({
  name: 'actions',
  needs: [],
  create({ database, clock, events, secrets }, _services, guards) {
    const runners = createRunners({ database, clock, events, secrets })
    return {
      operations: runnerOperations({ guards, runners, clock }),
      events: actionsEvents,
      sealedColumns: [sealedTokenColumns],
    }
  },
})
