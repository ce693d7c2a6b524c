import { defineModule } from '../../../core/module.ts'
import { repoDeletingProjections, userDeletingProjections } from './topics.projection.ts'
import { topicEvents } from './topics.events.ts'
import { topicOperations } from './topics.operations.ts'
import { createTopics, type Topics } from './topics.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly topics: Topics
  }
}

/** Topics of repositories. */
export const module = defineModule({
  name: 'topics',
  needs: [],
  create({ database, clock, events }, _services, guards) {
    const topics = createTopics({ database, clock, events })
    return {
      services: { topics },
      operations: topicOperations({ topics, guards }),
      events: topicEvents,
      projections: { ...repoDeletingProjections, ...userDeletingProjections },
    }
  },
})
