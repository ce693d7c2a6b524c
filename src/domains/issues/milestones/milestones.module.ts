import { defineModule } from '../../../core/module.ts'
import { milestoneEvents } from './milestones.events.ts'
import { milestoneOperations } from './milestones.operations.ts'
import { createMilestones, type Milestones } from './milestones.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly milestones: Milestones
  }
}

/** Milestones of repositories. */
export const module = defineModule({
  name: 'milestones',
  needs: [],
  create({ database, clock, events }, _services, guards) {
    const milestones = createMilestones({ database, clock, events })
    return {
      services: { milestones },
      operations: milestoneOperations({ guards, milestones }),
      events: milestoneEvents,
    }
  },
})
