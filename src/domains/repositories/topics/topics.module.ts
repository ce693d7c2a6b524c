import { defineModule } from '../../../core/module.ts'
import { repoDeletingProjections, userDeletingProjections } from './topics.projection.ts'
import { topicEvents } from './topics.events.ts'
import { topicOperations } from './topics.operations.ts'
import { createTopics } from './topics.service.ts'

/** Topics of repositories. */
export const module = defineModule({
  name: 'topics',
  needs: [],
  create({ database, clock, events }, _services, guards) {
    const topics = createTopics({ database, clock, events })
    return {
      operations: topicOperations({ topics, guards }),
      events: topicEvents,
      projections: { ...repoDeletingProjections, ...userDeletingProjections },
    }
  },
})
