import type { Lane } from './lane.store.ts'

export interface InFlightLimits {
  /** Deliveries at once. */
  readonly total: number
  /** To one server. */
  readonly perOrigin: number
}

/** Part of all deliveries at once that may go to servers that did not answer the last time. */
const SUSPECT_SHARE = 1 / 4

/**
 * The lanes that this process works on. A server that did not answer the last time gets one delivery at a time, and all
 * such servers together a quarter, so that they delay no others.
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

  /** Which lanes to look for. */
  choice(): { readonly except: readonly string[]; readonly healthyOnly: boolean } {
    const { counts, suspects } = this.#count()
    const except = [...counts]
      .filter(([origin, count]) => count >= this.#most(suspects.has(origin)))
      .map(([key]) => key)
    return { except, healthyOnly: suspects.size >= this.#mostSuspects() }
  }

  /** Those of some due lanes that may be worked on now, in their order. */
  choose(due: readonly Lane[]): Lane[] {
    const { counts, suspects } = this.#count()
    const chosen: Lane[] = []
    for (const lane of due) {
      const { origin, isSuspect, hookId } = lane
      const count = counts.get(origin) ?? 0
      if (this.#lanes.has(hookId) || count >= this.#most(isSuspect || suspects.has(origin))) continue
      if (isSuspect && suspects.size >= this.#mostSuspects()) continue
      if (this.#lanes.size + chosen.length >= this.#limits.total) break
      chosen.push(lane)
      counts.set(origin, count + 1)
      if (isSuspect) suspects.add(origin)
    }
    return chosen
  }

  /** `done` never rejects; calls `onDone` when it has ended. */
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

  #count(): { counts: Map<string, number>; suspects: Set<string> } {
    const counts = new Map<string, number>()
    const suspects = new Set<string>()
    for (const { lane } of this.#lanes.values()) {
      counts.set(lane.origin, (counts.get(lane.origin) ?? 0) + 1)
      if (lane.isSuspect) suspects.add(lane.origin)
    }
    return { counts, suspects }
  }

  #most(isSuspect: boolean): number {
    return isSuspect ? 1 : this.#limits.perOrigin
  }

  #mostSuspects(): number {
    return Math.max(1, Math.floor(this.#limits.total * SUSPECT_SHARE))
  }
}
