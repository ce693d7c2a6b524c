import type { Headers } from '../../../../core/access/viewer.ts'
import type { Core } from '../../../../core/module.ts'
import { sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import { errors } from '../../../errors.ts'
import type { RunnerRow } from './runner-login.store.ts'
import { findRunnerByUuid } from './runner-login.store.ts'
import { updateRunner } from './runner.store.ts'

/** A runner that sends a request. */
export interface CallingRunner {
  readonly id: number
  readonly uuid: string
  readonly name: string
  readonly ownerId: number | null
  readonly repoId: number | null
  readonly version: string
  readonly labels: readonly string[]
  readonly isDisabled: boolean
  readonly isEphemeral: boolean
  /** The counter of waiting jobs at its level, from 1. */
  readonly queueVersion: number
}

/** Longer than most polls are apart, shorter than what counts as offline and as idle. */
const ONLINE_GRAIN_MS = 30_000
const ACTIVE_GRAIN_MS = 5_000

export type RunnerLogin = ReturnType<typeof createRunnerLogin>

/** Authenticates runners by the headers of their requests (behaviour/actions#runner-protocol). */
export function createRunnerLogin({ database, clock }: Pick<Core, 'database' | 'clock'>) {
  /** Writes the times only when they are old, because runners poll each second or two. */
  async function recordTimes(row: RunnerRow, isActive: boolean): Promise<void> {
    const now = clock.now()
    const isStale = now - row.online_at >= ONLINE_GRAIN_MS || (isActive && now - row.active_at >= ACTIVE_GRAIN_MS)
    if (!isStale) return
    const times = { online_at: now, ...(isActive && { active_at: now }) }
    await database.transaction((tx) => updateRunner(tx, row.id, times))
  }

  return {
    /** `isActive`: the request is about a task. Throws Unauthenticated. */
    async authenticate({ headers }: { readonly headers: Headers }, isActive = false): Promise<CallingRunner> {
      const [uuid, token] = [headers['x-runner-uuid'], headers['x-runner-token']]
      if (typeof uuid !== 'string' || typeof token !== 'string') throw errors.runnerUnregistered()
      const row = await findRunnerByUuid(database.read, uuid)
      if (row === undefined || row.token_hash !== sha256Hex(token)) throw errors.runnerUnregistered()
      await recordTimes(row, isActive)
      return toCallingRunner(row)
    },
  }
}

const toCallingRunner = (row: RunnerRow): CallingRunner => ({
  id: row.id,
  uuid: row.uuid,
  name: row.name,
  ownerId: row.owner_id,
  repoId: row.repo_id,
  version: row.version,
  labels: JSON.parse(row.labels) as string[],
  isDisabled: row.is_disabled === 1,
  isEphemeral: row.is_ephemeral === 1,
  queueVersion: (row.version_of_queue ?? 0) + 1,
})
