import { defineModule } from '../../../core/module.ts'
import { statusEvents } from './statuses.events.ts'
import { statusOperations } from './statuses.operations.ts'
import { createStatuses } from './statuses.service.ts'

/** Commit statuses: results that external systems report for commits. */
export const module = defineModule({
  name: 'statuses',
  needs: ['repos'],
  create({ database, git, clock, events, site }, { repos }, guards) {
    const statuses = createStatuses({ database, git, clock, events })
    return {
      operations: statusOperations({ guards, repos, site, statuses }),
      events: statusEvents,
    }
  },
})
