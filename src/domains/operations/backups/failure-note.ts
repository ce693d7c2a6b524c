import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../core/platform/clock.ts'
import { ifMissing } from '../../../core/platform/files/missing.ts'
import { members, parseJson } from '../../../core/platform/json-members.ts'

/** The reason why a part of the data is not copied. */
export interface BackupFailure {
  readonly what: string
  /** Epoch milliseconds of the first failure since the last success. */
  readonly since: number
  readonly message: string
}

const FILE = 'backup-failures.json'

/** Writes present failures to a file of the data directory for the doctor, which is another process. */
export class FailureNote {
  readonly #file: string
  readonly #clock: Clock
  readonly #failures = new Map<string, BackupFailure>()

  constructor(dataDir: string, clock: Clock) {
    this.#file = join(dataDir, FILE)
    this.#clock = clock
  }

  /** Ignores errors: a full disk refuses this file, too, and the doctor then reports less. */
  async set(what: string, message: string): Promise<void> {
    const known = this.#failures.get(what)
    if (known?.message === message) return
    this.#failures.set(what, { what, since: known?.since ?? this.#clock.now(), message })
    await this.#write()
  }

  async delete(what: string): Promise<void> {
    if (this.#failures.delete(what)) await this.#write()
  }

  /** Deletes the file of an earlier process. */
  async clear(): Promise<void> {
    this.#failures.clear()
    await this.#write()
  }

  async #write(): Promise<void> {
    const all = [...this.#failures.values()]
    const writing =
      all.length === 0 ? rm(this.#file, { force: true }) : writeFile(this.#file, JSON.stringify(all), { mode: 0o600 })
    await writing.catch(() => undefined)
  }
}

/** The failures of the process that copies, or of the last one. */
export async function readFailures(dataDir: string): Promise<BackupFailure[]> {
  const text = await readFile(join(dataDir, FILE), 'utf8').catch(ifMissing(''))
  const list = parseJson(text)?.value
  if (!Array.isArray(list)) return []
  return list.flatMap((entry) => {
    const { what, since, message } = members(entry)
    return typeof what === 'string' && typeof since === 'number' && typeof message === 'string'
      ? [{ what, since, message }]
      : []
  })
}
