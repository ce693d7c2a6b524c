import { defineModule } from '../../../core/module.ts'
import { transferBlockProjections } from './blocks.projection.ts'
import { transferOperations } from './transfer.operations.ts'
import { transferEvents } from './transfers.events.ts'
import { createTransfers } from './transfers.service.ts'

/** Transfers of repositories to other owners. */
export const module = defineModule({
  name: 'transfers',
  needs: ['quota', 'repoRules', 'repos'],
  create({ database, clock, events, site }, { quota, repoRules, repos }, guards) {
    const transfers = createTransfers({ database, clock, events, quota, rules: repoRules })
    return {
      operations: transferOperations({ guards, repos, site, transfers }),
      events: transferEvents,
      projections: transferBlockProjections,
    }
  },
})
