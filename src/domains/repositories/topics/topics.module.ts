import { defineModule } from '../../../core/module.ts'
import { topicEvents } from './topics.events.ts'
import { topicOperations } from './topics.operations.ts'
import { createTopics } from './topics.service.ts'
import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { subtractTopicsOf, subtractTopicsOfReposOf } from './topic.store.ts'

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

/** Subtracts a repository that is about to be deleted from the counters of its topics. */
const repoDeletingProjections: Projections = {
  'repo.deleting': (tx, { repoId }) => subtractTopicsOf(tx, asId(repoId)),
}

/** Subtracts the repositories of an account that is about to be deleted from the counters of their topics. */
const userDeletingProjections: Projections = {
  'user.deleting': (tx, { payload }) => subtractTopicsOfReposOf(tx, asId(payload.user_id)),
}
