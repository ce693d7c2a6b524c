import { defineModule } from '../module.ts'
import { StreamLimits } from './hub/stream-limits.ts'
import { createStreams, type Streams } from './hub/streams.service.ts'

declare module '../module.ts' {
  interface Services {
    readonly streams: Streams
  }
}

/** Streams of events to clients. Their messages come from the modules that register boards. */
export const module = defineModule({
  name: 'streams',
  needs: [],
  create({ config, database, events, clock, log }) {
    const settings = config.stream
    const streams = createStreams({ database, events, clock, log, settings, limits: new StreamLimits(settings) })
    return {
      services: { streams },
      // NOTE: before the server waits for running requests, which streams are.
      prepare: (http) => void http.addHook('preClose', () => streams.close()),
      close: () => streams.close(),
    }
  },
})
