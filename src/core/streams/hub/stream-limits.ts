import { TooManyRequestsError } from '../../platform/errors.ts'

interface LimitSettings {
  readonly total: number
  readonly perAccount: number
  readonly perAddress: number
}

interface Opener {
  /** Undefined for anonymous callers. */
  readonly accountId: number | undefined
  /** See `clientNetwork`. */
  readonly network: string
}

const RETRY_SECONDS = 30

/**
 * Counts the open streams of this process, in total and by account; those of anonymous callers by address, so that they
 * do not keep the accounts at the same address from opening theirs.
 */
export class StreamLimits {
  readonly #settings: LimitSettings
  readonly #counts = new Map<string, number>()

  constructor(settings: LimitSettings) {
    this.#settings = settings
  }

  /** Counts one more, until the function is called that it returns. Throws TooManyRequests, and counts nothing then. */
  take({ accountId, network }: Opener): () => void {
    const { total, perAccount, perAddress } = this.#settings
    const kinds = [
      { key: 'total', max: total, whose: 'of this server' },
      accountId === undefined
        ? { key: `address ${network}`, max: perAddress, whose: 'from this address' }
        : { key: `account ${accountId}`, max: perAccount, whose: 'of this account' },
    ]
    const full = kinds.find(({ key, max }) => this.#count(key) >= max)
    if (full !== undefined)
      throw new TooManyRequestsError(`too many streams ${full.whose}, at most ${full.max} at once`, RETRY_SECONDS)
    for (const { key } of kinds) this.#counts.set(key, this.#count(key) + 1)
    return () => {
      for (const { key } of kinds) this.#release(key)
    }
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #release(key: string): void {
    const left = this.#count(key) - 1
    if (left > 0) this.#counts.set(key, left)
    else this.#counts.delete(key)
  }
}
