import type { Database, Tx } from '../../../core/db/database.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import { updateUserKeyUse } from '../keys/public-key.store.ts'

export interface KeyUse {
  readonly kind: 'user' | 'deploy' | 'certificate'
  /** The id of the key, or of the user if a certificate was used. */
  readonly id: number
  readonly title: string
}

/** Stores that a key was used at this time, in epoch milliseconds. */
export type WriteKeyUse = (tx: Tx, id: number, at: number) => Promise<void>

interface KeyUseRecorder {
  onDeployKeyUse(write: WriteKeyUse): void
  record(use: KeyUse): void
  flush(): Promise<void>
}

const FLUSH_MS = 5_000

/** Records the time of the last use of keys, every few seconds. */
export function createKeyUseRecorder({
  database,
  clock,
  log,
}: {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
}): KeyUseRecorder {
  const used = new Map<string, KeyUse & { readonly at: number }>()
  let writeDeployKeyUse: WriteKeyUse | undefined
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const uses = [...used.values()]
    used.clear()
    if (uses.length === 0) return
    await database.transaction(async (tx) => {
      for (const { kind, id, at } of uses)
        await (kind === 'user' ? updateUserKeyUse(tx, id, at) : writeDeployKeyUse?.(tx, id, at))
    })
  }

  return {
    onDeployKeyUse: (write) => void (writeDeployKeyUse = write),
    record(use) {
      if (use.kind === 'certificate') return
      used.set(`${use.kind} ${use.id}`, { ...use, at: clock.now() })
      timer ??= setTimeout(
        () => void flush().catch((error: unknown) => log.error({ err: error }, 'failed to record the use of keys')),
        FLUSH_MS,
      ).unref()
    },
    flush,
  }
}
