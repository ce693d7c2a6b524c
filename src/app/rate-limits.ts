import type { Config } from '../config/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Processes } from '../platform/concurrency/processes.ts'
import { RateLimit } from '../platform/concurrency/rate-limit.ts'
import type { RateLimits } from '../subjects/subject.ts'

export const createRateLimits = ({ rate_limit: limits }: Config, clock: Clock, processes: Processes): RateLimits => ({
  anonymous: new RateLimit({
    clock,
    processes,
    what: 'expensive requests without credentials',
    perMinute: limits.anonymous_per_minute,
    burst: limits.anonymous_burst,
  }),
  passwords: new RateLimit({
    clock,
    processes,
    what: 'password checks',
    perMinute: limits.passwords_per_minute,
    burst: limits.passwords_burst,
  }),
})
