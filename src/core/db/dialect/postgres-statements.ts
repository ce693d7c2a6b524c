import { boundedCache } from '../../platform/lru.ts'

const MAX_NAMES = 500
const MAX_SEEN = 2_000
/** An insert of many rows has a text of its own for each number of rows. */
const MAX_PARAMETERS = 64

/**
 * Names of prepared statements, the same for every connection. A text gets one when it is sent for the second time.
 * Stale in this process when another one changes a table: PostgreSQL then refuses the statement, and `forget` gives all
 * texts new names.
 */
export class StatementNames {
  readonly #names = new Map<string, string>()
  readonly #seen = boundedCache<string, true>(MAX_SEEN)
  #given = 0

  /** Undefined for a text that is not worth preparing: the server keeps a statement until the connection ends. */
  nameOf(text: string, parameters: number): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined) return known
    if (parameters === 0 && !text.startsWith('select')) return undefined
    if (parameters > MAX_PARAMETERS || this.#names.size === MAX_NAMES) return undefined
    if (this.#seen.get(text) === undefined) {
      this.#seen.set(text, true)
      return undefined
    }
    const name = `ingot_${++this.#given}`
    this.#names.set(text, name)
    return name
  }

  forget(): void {
    this.#names.clear()
  }
}
