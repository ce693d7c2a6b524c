import { clientNetwork } from '../../../core/platform/http/client-network.ts'
import type { RequestClient, RequestCredential } from '../../../core/platform/request-source.ts'

export interface FailedAttempt {
  readonly client: RequestClient
  /** The credential that was wrong. */
  readonly credential: RequestCredential
  /** 0 when the attempt names no account. */
  readonly userId: number
}

/** Attempts of one client on one account, by one credential, within one minute. */
export interface CountedAttempts extends FailedAttempt {
  readonly attempts: number
  /** The time of the first attempt, in epoch milliseconds. */
  readonly at: number
}

interface Counter extends FailedAttempt {
  readonly minute: number
  attempts: number
  at: number
  isReported: boolean
}

const MINUTE_MS = 60_000
const MAX_COUNTERS = 200
const MAX_ACCOUNTS_OF_CLIENT = 5
const UNKNOWN: FailedAttempt = {
  client: { address: '', userAgent: '' },
  credential: { kind: 'none', id: 0 },
  userId: 0,
}

const keyOf = (network: string, { userId, credential: { kind, id } }: FailedAttempt): string =>
  `${network} ${userId} ${kind} ${id}`

/**
 * Counts failed attempts, so that guessing passwords writes few rows: the first attempt is reported at once, the others
 * of the same minute together at its end. A client is an IPv4 address or an IPv6 /64. After five accounts of one
 * client, attempts count without an account; after 200 counters, clients share one counter without an address.
 */
export class FailedAttempts {
  readonly #counters = new Map<string, Counter>()
  readonly #accountsOf = new Map<string, number>()

  get isEmpty(): boolean {
    return this.#counters.size === 0
  }

  add(attempt: FailedAttempt, now: number): void {
    const counter = this.#counterFor(attempt, now)
    if (counter.attempts === 0) counter.at = now
    counter.attempts++
  }

  /** The counters that are due; with `all` also those of the current minute. */
  take(now: number, { all = false }: { readonly all?: boolean } = {}): CountedAttempts[] {
    const minute = Math.floor(now / MINUTE_MS)
    const taken: CountedAttempts[] = []
    for (const [key, counter] of this.#counters) {
      const isOver = counter.minute < minute
      if (counter.attempts > 0 && (isOver || all || !counter.isReported)) {
        const { client, credential, userId, attempts, at } = counter
        taken.push({ client, credential, userId, attempts, at })
        counter.attempts = 0
        counter.isReported = true
      }
      if (isOver) this.#delete(key)
    }
    return taken
  }

  #counterFor(attempt: FailedAttempt, now: number): Counter {
    const network = attempt.client.address === '' ? '' : clientNetwork(attempt.client.address)
    const exact = this.#counters.get(keyOf(network, attempt))
    if (exact !== undefined) return exact
    const isFull = this.#counters.size >= MAX_COUNTERS
    if (!isFull && (this.#accountsOf.get(network) ?? 0) < MAX_ACCOUNTS_OF_CLIENT)
      return this.#insert(network, attempt, now)
    const unnamed = { ...attempt, userId: 0 }
    const shared = this.#counters.get(keyOf(network, unnamed))
    if (shared !== undefined) return shared
    if (!isFull) return this.#insert(network, unnamed, now)
    return this.#counters.get(keyOf('', UNKNOWN)) ?? this.#insert('', UNKNOWN, now)
  }

  #insert(network: string, attempt: FailedAttempt, now: number): Counter {
    const counter = { ...attempt, minute: Math.floor(now / MINUTE_MS), attempts: 0, at: now, isReported: false }
    this.#counters.set(keyOf(network, attempt), counter)
    this.#accountsOf.set(network, (this.#accountsOf.get(network) ?? 0) + 1)
    return counter
  }

  #delete(key: string): void {
    this.#counters.delete(key)
    const network = key.slice(0, key.indexOf(' '))
    const rest = (this.#accountsOf.get(network) ?? 1) - 1
    if (rest === 0) this.#accountsOf.delete(network)
    else this.#accountsOf.set(network, rest)
  }
}
