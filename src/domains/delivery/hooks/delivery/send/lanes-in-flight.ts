import { type Choice, type Lane, shareKey } from './lane.store.ts'

export interface InFlightLimits {
  /** The maximum number of concurrent deliveries. */
  readonly total: number
  /** The maximum number of concurrent deliveries to one server. */
  readonly perOrigin: number
}

/** The share of all concurrent deliveries for servers that did not respond to the last attempt. */
const SUSPECT_SHARE = 1 / 4

/** The counts of running deliveries. */
interface Counts {
  size: number
  readonly origins: Map<string, number>
  readonly owners: Map<number, number>
  /** Keyed by `shareKey`. */
  readonly shares: Map<string, number>
  /** Origins that did not respond to the last attempt. */
  readonly suspects: Set<string>
}

/**
 * The lanes that this process works on. An account gets another slot only while it has fewer than are free, both of all
 * slots and of those to one server: one account gets half, two get a third each, and there are always some for others.
 * A server that did not respond to the last attempt gets one delivery at a time, and all such servers together a
 * quarter.
 */
export class LanesInFlight {
  readonly #limits: InFlightLimits
  readonly #lanes = new Map<number, { readonly lane: Lane; readonly done: Promise<void> }>()

  constructor(limits: InFlightLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#lanes.size
  }

  get isFull(): boolean {
    return this.#lanes.size >= this.#limits.total
  }

  hookIds(): number[] {
    return [...this.#lanes.keys()]
  }

  /** The criteria for selecting lanes. */
  choice(): Choice {
    const counts = this.#count()
    const lanes = [...this.#lanes.values()].map(({ lane }) => lane)
    const those = (isFull: (lane: Lane) => boolean): Lane[] => lanes.filter(isFull)
    return {
      exceptOrigins: unique(those((lane) => this.#isOriginFull(counts, lane)).map(({ origin }) => origin)),
      exceptOwners: unique(those((lane) => this.#hasShareOfAll(counts, lane)).map(({ ownerId }) => ownerId)),
      exceptShares: unique(those((lane) => this.#hasShareOfOrigin(counts, lane)).map(shareKey)),
      healthyOnly: counts.suspects.size >= this.#mostSuspects(),
    }
  }

  /** Selects the due lanes that may be worked on now, in order. */
  choose(due: readonly Lane[]): Lane[] {
    const counts = this.#count()
    return due.filter((lane) => {
      if (this.#lanes.has(lane.hookId) || counts.size >= this.#limits.total) return false
      if (lane.isSuspect && counts.suspects.size >= this.#mostSuspects()) return false
      if (this.#isOriginFull(counts, lane)) return false
      if (this.#hasShareOfAll(counts, lane) || this.#hasShareOfOrigin(counts, lane)) return false
      add(counts, lane)
      return true
    })
  }

  /** `done` never rejects; `onDone` is called after it resolves. */
  add(lane: Lane, done: Promise<void>, onDone: () => void): void {
    const ended = done.finally(() => {
      this.#lanes.delete(lane.hookId)
      onDone()
    })
    this.#lanes.set(lane.hookId, { lane, done: ended })
  }

  async allDone(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map(({ done }) => done))
  }

  #count(): Counts {
    const counts: Counts = { size: 0, origins: new Map(), owners: new Map(), shares: new Map(), suspects: new Set() }
    for (const { lane } of this.#lanes.values()) add(counts, lane)
    return counts
  }

  #isOriginFull({ origins, suspects }: Counts, { origin, isSuspect }: Lane): boolean {
    return (origins.get(origin) ?? 0) >= (isSuspect || suspects.has(origin) ? 1 : this.#limits.perOrigin)
  }

  #hasShareOfAll({ size, owners }: Counts, { ownerId }: Lane): boolean {
    return (owners.get(ownerId) ?? 0) >= this.#limits.total - size
  }

  #hasShareOfOrigin({ origins, shares }: Counts, lane: Lane): boolean {
    return (shares.get(shareKey(lane)) ?? 0) >= this.#limits.perOrigin - (origins.get(lane.origin) ?? 0)
  }

  #mostSuspects(): number {
    return Math.max(1, Math.floor(this.#limits.total * SUSPECT_SHARE))
  }
}

function add(counts: Counts, lane: Lane): void {
  const { origins, owners, shares, suspects } = counts
  const share = shareKey(lane)
  counts.size++
  origins.set(lane.origin, (origins.get(lane.origin) ?? 0) + 1)
  owners.set(lane.ownerId, (owners.get(lane.ownerId) ?? 0) + 1)
  shares.set(share, (shares.get(share) ?? 0) + 1)
  if (lane.isSuspect) suspects.add(lane.origin)
}

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)]
