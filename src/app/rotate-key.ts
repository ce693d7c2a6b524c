import { rmSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandLine } from '../core/access/viewer.ts'
import { acquireFileLock } from '../core/db/dialect/file-lock.ts'
import { resealBatch, type SealedColumns } from '../core/db/sealed-columns.ts'
import { conflict } from '../core/platform/errors.ts'
import { syncDirectory } from '../core/platform/files/durable.ts'
import type { Core } from '../core/module.ts'
import { newSecret, readSecrets, secretKeyFile } from './secret-key.ts'

interface RotationDeps extends Pick<Core, 'clock' | 'config' | 'database' | 'dataDir' | 'events' | 'secrets'> {
  /** The encrypted columns of all modules. */
  readonly sealedColumns: readonly SealedColumns[]
}

export interface RotationOptions {
  /** Milliseconds for which a server may still store values encrypted with the former key. */
  readonly settleMs?: number
  /** Called after each batch with the number of values encrypted so far. */
  progress?(resealed: number): void
}

interface RotationReport {
  /** Number of values encrypted with the new key. */
  readonly resealed: number
  /** `table key` of rows with a value that no known key decrypts. */
  readonly unreadable: readonly string[]
  /** Whether an interrupted rotation was continued. */
  readonly isContinued: boolean
  /** Whether the keys come from the configuration, which the command cannot change. */
  readonly isConfigured: boolean
}

/**
 * NOTE: longer than the time limit of a transaction, after which no server stores values encrypted with the former key.
 */
const SETTLE_MS = 15_000

/**
 * Generates a new key, encrypts every stored value with it and deletes the former keys; servers may run during this. If
 * it is killed, every value can still be decrypted, and the next call continues. If the configuration contains the key,
 * its new key is used (behaviour/auth-and-access#stored-secrets). Throws Conflict while another process rotates.
 */
export async function rotateKey(deps: RotationDeps, options: RotationOptions = {}): Promise<RotationReport> {
  const file = secretKeyFile(deps.dataDir)
  const lock = acquireFileLock(`${file}.lock`)
  if (lock === undefined) throw conflict('another command is rotating the key')
  try {
    const isConfigured = deps.config.security.secret_key !== ''
    const isContinued = !isConfigured && readSecrets(file).length > 1
    if (!isConfigured && !isContinued) await writeSecrets(file, [newSecret(), ...readSecrets(file)])
    const done = await resealAll(deps, options)
    if (!isConfigured) await writeSecrets(file, readSecrets(file).slice(0, 1))
    await recordRotation(deps)
    return { ...done, isContinued, isConfigured }
  } finally {
    lock.release()
  }
}

type Resealed = Pick<RotationReport, 'resealed' | 'unreadable'>

/** Repeats passes until one that begins after the last possible write with the former key finds nothing. */
async function resealAll(deps: RotationDeps, { settleMs = SETTLE_MS, progress }: RotationOptions): Promise<Resealed> {
  let resealed = 0
  let unreadable: string[] = []
  const pass = async (): Promise<number> => {
    const before = resealed
    unreadable = []
    for (const columns of deps.sealedColumns) {
      let after: unknown
      do {
        const batch = await resealBatch(deps, columns, after)
        resealed += batch.resealed
        unreadable.push(...batch.unreadable.map((key) => `${columns.table} ${String(key)}`))
        after = batch.last
        progress?.(resealed)
      } while (after !== undefined)
    }
    return resealed - before
  }
  await pass()
  await sleep(settleMs)
  while ((await pass()) > 0);
  return { resealed, unreadable }
}

const recordRotation = ({ database, events, clock, secrets }: RotationDeps): Promise<void> =>
  database.transaction((tx) =>
    events.append(
      tx,
      'admin.key_rotated',
      { actor: commandLine, repoId: 0, at: clock.now() },
      { key_id: secrets.prefix().split('.')[1]! },
    ),
  )

/** Replaces the file atomically. */
async function writeSecrets(file: string, secrets: readonly string[]): Promise<void> {
  const made = `${file}.new`
  rmSync(made, { force: true })
  writeFileSync(made, `${secrets.join('\n')}\n`, { flag: 'wx', mode: 0o600, flush: true })
  renameSync(made, file)
  await syncDirectory(dirname(file))
}
