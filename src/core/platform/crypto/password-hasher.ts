import { FairQueue } from '../concurrency/fair-queue.ts'
import { shareOf } from '../concurrency/processes.ts'
import { hashPassword, verifyPassword } from './crypto.ts'

const AT_ONCE = 2

/**
 * Hashes passwords, two at once in all processes of a server, at least one in each: a hash takes a thread of the pool
 * of libuv for some 50 ms, and file reads need the other threads. `caller` is whose work it is; callers take turns.
 * Throws too-many-requests when too many wait.
 */
export class PasswordHasher {
  readonly #queue: FairQueue

  readonly #cost: number | undefined

  /** `cost`: of new hashes, see `hashPassword`; tests choose a small one. */
  constructor({ processes = 1, cost }: { readonly processes?: number; readonly cost?: number | undefined } = {}) {
    this.#cost = cost
    const atOnce = shareOf(AT_ONCE, processes)
    this.#queue = new FairQueue({
      what: 'passwords are being checked',
      atOnce,
      atOncePerCaller: atOnce,
      maxWaiting: 256,
      maxWaitingPerCaller: 32,
    })
  }

  /** See `hashPassword`. */
  hash(password: string, rateLimitKey: string): Promise<string> {
    return this.#queue.run(rateLimitKey, () => hashPassword(password, this.#cost))
  }

  /** See `verifyPassword`. */
  verify(password: string, stored: string, rateLimitKey: string): Promise<boolean> {
    return this.#queue.run(rateLimitKey, () => verifyPassword(password, stored))
  }
}
