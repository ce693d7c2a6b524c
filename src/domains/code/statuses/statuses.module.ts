import { translated } from '../../../core/git/index.ts'
import { defineModule } from '../../../core/module.ts'
import { statusEvents } from './statuses.events.ts'
import { statusOperations } from './statuses.operations.ts'
import { createStatuses, type Statuses } from './statuses.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly statuses: Statuses
  }
}

/** Commit statuses: results that external systems report for commits. */
export const module = defineModule({
  name: 'statuses',
  needs: ['repos'],
  create({ database, git, clock, events, site }, { repos }, guards) {
    const statuses = translated(createStatuses({ database, git, clock, events }))
    return {
      services: { statuses },
      operations: statusOperations({ guards, repos, site, statuses }),
      events: statusEvents,
    }
  },
})
