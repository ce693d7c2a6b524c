import type { Clock } from '../../../core/platform/clock.ts'
import type { DatabaseLog } from '../../../core/db/dialect/dialect.ts'
import type { DoctorCheck } from '../../../core/module.ts'
import { readBookmark } from './database/bookmark.ts'
import { readLog } from './database/read-log.ts'
import { readFailures } from './failure-note.ts'
import { foreignText, readOwner, readOwnId } from './destinations/owner.ts'
import type { Destination } from './destinations/directory-destination.ts'
import { listSeries } from './restore/list-series.ts'

interface BackupCheckDeps {
  readonly destination: Destination
  readonly log: DatabaseLog | undefined
  readonly clock: Clock
  readonly databaseFile: string
  readonly bookmarkFile: string
  readonly dataDir: string
}

/** The maximum time that a running server needs for its next copy. */
const PATIENCE_MS = 15_000

/** Reports data that is not copied, with the reason, and the lag of the continuous backup behind the database. */
export const backupCheck = (deps: BackupCheckDeps): DoctorCheck => ({
  name: 'backup',
  async *run() {
    const { destination, log, clock, dataDir } = deps
    for (const { what, since, message } of await readFailures(dataDir))
      yield { what: `the copy of ${what} fails since ${new Date(since).toISOString()}: ${message}`, state: 'problem' }
    try {
      const owner = await readOwner(destination)
      if (owner !== undefined && owner.id !== (await readOwnId(dataDir)))
        return yield { what: foreignText(destination.label, owner), state: 'problem' }
      if (log === undefined) return
      const last = (await listSeries(destination)).at(-1)
      if (last === undefined)
        return yield { what: `${destination.label} has no complete copy of the database yet`, state: 'problem' }
      const bookmark = await readBookmark(deps)
      const reading = bookmark && readLog(log, bookmark.position, bookmark.restarts)
      if (reading !== undefined && reading.part === undefined) return
      const behind = clock.now() - last.to
      const seconds = Math.round(behind / 1000)
      yield reading === undefined
        ? {
            what: `the copy in ${destination.label} ends ${seconds} s ago; the server makes a new one at its next start`,
            state: 'note',
          }
        : {
            what: `the copy in ${destination.label} lacks commits; its last is ${seconds} s old`,
            state: behind > PATIENCE_MS ? 'problem' : 'note',
          }
    } catch (error) {
      yield { what: `the copy in ${destination.label} cannot be read: ${(error as Error).message}`, state: 'problem' }
    }
  },
})
