import { defineModule } from '../../../core/module.ts'
import { createRepoEventPublisher } from './repo-event-publisher.ts'
import { repoEventOperations } from './repo-events.operations.ts'

/** The stream of events in a repository. */
export const module = defineModule({
  name: 'repo-events',
  needs: ['messageBuilders', 'repos', 'streams', 'users'],
  create({ database, clock, log }, { messageBuilders, streams }, guards) {
    const publisher = createRepoEventPublisher({ database, clock, log, messageBuilders })
    streams.addPublisher(publisher)
    return { operations: repoEventOperations({ guards, streams, publisher }) }
  },
})
