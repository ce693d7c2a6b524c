import type { Config } from '../core/config/index.ts'
import type { Clock } from '../core/platform/clock.ts'
import type { Processes } from '../core/platform/concurrency/processes.ts'
import { RateLimit } from '../core/platform/concurrency/rate-limit.ts'
import type { RateLimits } from '../core/module.ts'

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
