import { defineModule } from '../module.ts'
import { StreamLimits } from './hub/stream-limits.ts'
import { createStreams, type Streams } from './hub/streams.service.ts'

declare module '../module.ts' {
  interface Services {
    readonly streams: Streams
  }
  interface Tuning {
    readonly streams: Partial<typeof LIMITS>
  }
}

const LIMITS = {
  /** Streams of this process. */
  total: 2000,
  /** Streams of one account. */
  perAccount: 20,
  /** Anonymous streams from one address; IPv6 counts by /64. */
  perAddress: 100,
  /** Seconds between the lines that keep an idle stream open through proxies. */
  heartbeat: 15,
  /** Seconds after which a stream ends; clients resume it, and their credentials are checked again. */
  maxAge: 3600,
  /** Bytes that wait for a slow reader before its stream is ended. */
  buffer: 256 * 1024,
}

/** Streams of events to clients. Their messages come from the modules that register publishers. */
export const module = defineModule({
  name: 'streams',
  needs: [],
  create({ database, events, clock, log, tuning }) {
    const settings = { ...LIMITS, ...tuning.streams }
    const streams = createStreams({ database, events, clock, log, settings, limits: new StreamLimits(settings) })
    return {
      services: { streams },
      // NOTE: before the server waits for running requests, which streams are.
      prepare: (http) => void http.addHook('preClose', () => streams.close()),
      close: () => streams.close(),
    }
  },
})
