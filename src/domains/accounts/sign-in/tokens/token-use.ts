import type { Database } from '../../../../core/db/database.ts'
import type { TokenId } from '../../../../core/platform/crypto/ids.ts'
import type { Logger } from '../../../../core/platform/logger.ts'
import { type AccessToken, updateTokenUse } from './token.store.ts'

const FLUSH_MS = 5_000
const GRAIN_MS = 60_000

/**
 * Collects the times at which tokens were last used and writes them every few seconds, so that a read request writes
 * nothing.
 */
export class TokenUse {
  readonly #database: Database
  readonly #log: Logger
  readonly #used = new Map<TokenId, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  record(token: AccessToken, at: number): void {
    if (at - token.lastUsedAt < GRAIN_MS) return
    this.#used.set(token.id, at)
    this.#timer ??= setTimeout(
      () => void this.flush().catch((error: unknown) => this.#log.error(error, 'failed to record the use of tokens')),
      FLUSH_MS,
    ).unref()
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const used = [...this.#used]
    this.#used.clear()
    if (used.length === 0) return
    await this.#database.transaction(async (tx) => {
      for (const [id, at] of used) await updateTokenUse(tx, id, at)
    })
  }
}
