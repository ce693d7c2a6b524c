import { setTimeout as sleep } from 'node:timers/promises'
import type { Headers } from '../../../../core/access/viewer.ts'
import type { Core } from '../../../../core/module.ts'
import { sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import { errors } from '../../../errors.ts'
import { findRunnerByUuid, listRunnersByUuids, type RunnerRow } from './runner-login.store.ts'
import { RunnerTimes } from './runner-times.ts'

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

/** Milliseconds that a poll that expects no task waits for others: 250 polls a second are 50 statements. */
const SHARE_MS = 20

export type RunnerLogin = ReturnType<typeof createRunnerLogin>

interface Calling {
  /** The request is about a task. */
  readonly isActive?: boolean
  /** The runner expects no task, so that it may wait a little to be looked up with others. */
  readonly isIdle?: boolean
}

/** Authenticates runners by the headers of their requests (behaviour/actions#runner-protocol). */
export function createRunnerLogin(core: Pick<Core, 'database' | 'clock' | 'log'>) {
  const times = new RunnerTimes(core)
  const { read } = core.database
  const findWithOthers = shareLookups(async (uuids) => {
    const rows = await listRunnersByUuids(read, { uuids })
    return new Map(rows.map((row) => [row.uuid, row]))
  })

  return {
    /** Throws Unauthenticated. */
    async authenticate(
      { headers }: { readonly headers: Headers },
      { isActive = false, isIdle = false }: Calling = {},
    ): Promise<CallingRunner> {
      const [uuid, token] = [headers['x-runner-uuid'], headers['x-runner-token']]
      if (typeof uuid !== 'string' || typeof token !== 'string') throw errors.runnerUnregistered()
      const row = await (isIdle ? findWithOthers(uuid) : findRunnerByUuid(read, uuid))
      if (row === undefined || row.token_hash !== sha256Hex(token)) throw errors.runnerUnregistered()
      await times.record(row, isActive)
      return toCallingRunner(row)
    },
    /** Writes the times of the last requests. */
    flush: () => times.flush(),
  }
}

/** Combines the look-ups that callers request within 20 ms into one, which begins after their calls. */
function shareLookups<Row>(list: (keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>) {
  let next: { readonly keys: Set<string>; readonly rows: Promise<ReadonlyMap<string, Row>> } | undefined
  const begin = (): NonNullable<typeof next> => {
    const keys = new Set<string>()
    const rows = sleep(SHARE_MS).then(() => {
      next = undefined
      return list([...keys])
    })
    return { keys, rows }
  }
  return async (key: string): Promise<Row | undefined> => {
    const { keys, rows } = (next ??= begin())
    keys.add(key)
    return (await rows).get(key)
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
