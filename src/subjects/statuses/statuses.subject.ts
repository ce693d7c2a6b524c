import { translated } from '../../git/index.ts'
import { defineSubject } from '../subject.ts'
import { statusEvents } from './statuses.events.ts'
import { statusOperations } from './statuses.operations.ts'
import { createStatuses, type Statuses } from './statuses.service.ts'

declare module '../subject.ts' {
  interface Services {
    readonly statuses: Statuses
  }
}

/** Commit statuses: results that external systems report for commits. */
export const subject = defineSubject({
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
