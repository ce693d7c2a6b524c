import { FairQueue } from '../concurrency/fair-queue.ts'
import { hashPassword, verifyPassword } from './crypto.ts'

/**
 * Hashes passwords, two at once: a hash takes a thread of the pool of libuv for some 50 ms, and file reads need the
 * other threads. `caller` is whose work it is; callers take turns. Throws too-many-requests when too many wait.
 */
export class PasswordHasher {
  readonly #queue = new FairQueue({
    what: 'passwords are being checked',
    atOnce: 2,
    atOncePerCaller: 2,
    maxWaiting: 256,
    maxWaitingPerCaller: 32,
  })

  /** See `hashPassword`. */
  hash(password: string, caller: string): Promise<string> {
    return this.#queue.run(caller, () => hashPassword(password))
  }

  /** See `verifyPassword`. */
  verify(password: string, stored: string, caller: string): Promise<boolean> {
    return this.#queue.run(caller, () => verifyPassword(password, stored))
  }
}
