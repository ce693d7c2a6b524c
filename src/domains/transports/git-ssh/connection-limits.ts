export interface ConnectionLimits {
  /** Connections that have not proven who they are, in all and from one address. */
  readonly maxUnauthenticated: number
  readonly maxUnauthenticatedPerAddress: number
}

/** Counts the connections that have yet to sign in, so that they cannot use up the server. */
export class UnauthenticatedConnections {
  readonly #limits: ConnectionLimits
  readonly #byAddress = new Map<string, number>()
  #count = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  /** Counts a connection; returns the function that takes it out of the count, undefined when there are too many. */
  add(address: string): (() => void) | undefined {
    const from = this.#byAddress.get(address) ?? 0
    if (this.#count >= this.#limits.maxUnauthenticated || from >= this.#limits.maxUnauthenticatedPerAddress)
      return undefined
    this.#count++
    this.#byAddress.set(address, from + 1)
    let isRemoved = false
    return () => {
      if (isRemoved) return
      isRemoved = true
      this.#remove(address)
    }
  }

  #remove(address: string): void {
    this.#count--
    const remaining = (this.#byAddress.get(address) ?? 1) - 1
    if (remaining === 0) this.#byAddress.delete(address)
    else this.#byAddress.set(address, remaining)
  }
}
