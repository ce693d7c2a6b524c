import { defineSubject } from '../subject.ts'
import { StreamLimits } from './hub/stream-limits.ts'
import { createStreams, type Streams } from './hub/streams.service.ts'
import { createRepoBoard } from './repo-events/repo-board.ts'
import { repoEventOperations } from './repo-events/repo-events.operations.ts'

declare module '../subject.ts' {
  interface Services {
    readonly streams: Streams
  }
}

/** Streams of events to clients, and that of a repository. */
export const subject = defineSubject({
  name: 'streams',
  needs: ['repos', 'users'],
  create({ config, database, events, clock, log }, _, guards) {
    const settings = config.stream
    const streams = createStreams({ database, events, clock, log, settings, limits: new StreamLimits(settings) })
    const board = createRepoBoard({ database, clock })
    streams.addBoard(board)
    return {
      services: { streams },
      operations: repoEventOperations({ guards, streams, board }),
      // NOTE: before the server waits for running requests, which streams are.
      prepare: (http) => void http.addHook('preClose', () => streams.close()),
      close: () => streams.close(),
    }
  },
})
