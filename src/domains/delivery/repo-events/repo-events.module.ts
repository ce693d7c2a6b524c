import { defineModule } from '../../../core/module.ts'
import { createRepoBoard } from './repo-board.ts'
import { repoEventOperations } from './repo-events.operations.ts'

/** The stream of events in a repository. */
export const module = defineModule({
  name: 'repo-events',
  needs: ['messageBuilders', 'repos', 'streams', 'users'],
  create({ database, clock, log }, { messageBuilders, streams }, guards) {
    const board = createRepoBoard({ database, clock, log, messageBuilders })
    streams.addBoard(board)
    return { operations: repoEventOperations({ guards, streams, board }) }
  },
})
