import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import type { Config } from '../../../core/config/index.ts'
import { defineModule } from '../../../core/module.ts'
import { BackupWorker, type Copier } from './backup-worker.ts'
import { type BackupStatus, createBackupStatus } from './backup-status.ts'
import { backupCheck } from './backups.checks.ts'
import { DatabaseCopier } from './database/database-copier.ts'
import { SegmentMerger } from './database/segment-merger.ts'
import { FilesCopier } from './files/files-copier.ts'
import { FailureNote } from './failure-note.ts'
import { openDestination, claimedDestination, DestinationClaim } from './destinations/destination-claim.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly backupStatus: { read(): Promise<BackupStatus | undefined> } | undefined
  }
}

/** The interval between copies of commits to an SQLite database. */
const DATABASE_MS = 1000
/** The interval between snapshots of the whole SQLite database. */
const SNAPSHOT_MS = 86_400_000
/** Size of the log of SQLite at which an interrupted copy starts again with a snapshot. */
const MAX_LOG_BYTES = 256_000_000
const MERGE_MS = 5 * 60_000
/**
 * Age up to which an SQLite database can be restored to any point in time; older data can be restored to one point per
 * hour.
 */
const EXACT_MS = 48 * 3_600_000

/** The boot id of the running Linux kernel; empty on other systems. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

function copiersOf(
  { files_interval }: Config['backup'],
  { database, merger, files }: { database: DatabaseCopier | undefined; merger: SegmentMerger; files: FilesCopier },
): Copier[] {
  const all: Copier[] = [
    { what: 'files', intervalMs: files_interval * 1000, copy: () => files.copy(), close: async () => {} },
  ]
  if (database === undefined) return all
  const close = (): Promise<void> => database.close()
  all.push({ what: 'database', intervalMs: DATABASE_MS, copy: () => database.copy(), close })
  const merge = (): Promise<boolean> => merger.merge().then(() => false)
  all.push({ what: 'merged segments', intervalMs: MERGE_MS, copy: merge, close: async () => {} })
  return all
}

/** Copies the server while it runs (docs/operate/backup.md). */
export const module = defineModule({
  name: 'backups',
  needs: [],
  create({ config, database, git, clock, log, dataDir, processes, backupBucket }) {
    const { backup } = config
    const opened = openDestination(backup, backupBucket)
    if (opened === undefined) return { services: { backupStatus: undefined } }
    const boot = processes.acrossMachines ? '' : bootId()
    const claim = new DestinationClaim({ destination: opened, dataDir, clock, host: hostname(), boot })
    const destination = claimedDestination(opened, claim)
    const { log: databaseLog } = database.connections
    const url = config.database.url
    const databaseFile = url === '' ? join(dataDir, 'ingot.db') : resolve(url.replace(/^sqlite:(\/\/)?/, ''))
    const bookmarkFile = join(dataDir, 'backup-position.json')
    const copier =
      databaseLog &&
      new DatabaseCopier({
        log: databaseLog,
        destination,
        clock,
        logger: log,
        databaseFile,
        bookmarkFile,
        snapshotIntervalMs: SNAPSHOT_MS,
        maxLogBytes: MAX_LOG_BYTES,
      })
    const stopping = new AbortController()
    const { signal } = stopping
    const files = new FilesCopier({ destination, dataDir, clock, database, git, days: backup.days, signal })
    const merger = new SegmentMerger({
      destination,
      clock,
      exactMs: EXACT_MS,
      position: () => copier?.position,
      signal,
    })
    const copiers = copiersOf(backup, { database: copier, merger, files })
    const note = new FailureNote(dataDir, clock)
    const worker = new BackupWorker({ copiers, log, stopping, claim, note, locks: processes.locks })
    return {
      services: {
        backupStatus: createBackupStatus({
          clock,
          processes,
          isCopying: () => worker.isCopying,
          coveredUntil: () => copier?.coveredUntil ?? 0,
          failures: () => worker.failures,
        }),
      },
      workers: [worker],
      checks: [backupCheck({ destination, log: databaseLog, clock, databaseFile, bookmarkFile, dataDir })],
    }
  },
})
