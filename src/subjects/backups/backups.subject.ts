import { join, resolve } from 'node:path'
import type { Config } from '../../config/index.ts'
import { defineSubject } from '../subject.ts'
import { BackupWorker, type Copier } from './backup-worker.ts'
import { type BackupStatus, createBackupStatus } from './backup-status.ts'
import { backupCheck } from './backups.checks.ts'
import { DatabaseCopier } from './database/database-copier.ts'
import { FilesCopier } from './files/files-copier.ts'
import { openPlace } from './places/open-place.ts'

declare module '../subject.ts' {
  interface Services {
    readonly backupStatus: { read(): Promise<BackupStatus | undefined> } | undefined
  }
}

const MB = 1_000_000

function copiersOf(
  { interval, files_interval }: Config['backup'],
  database: DatabaseCopier | undefined,
  files: FilesCopier,
): Copier[] {
  const all: Copier[] = [
    { what: 'files', intervalMs: files_interval * 1000, copy: () => files.copy(), close: async () => {} },
  ]
  if (database !== undefined)
    all.push({
      what: 'database',
      intervalMs: interval * 1000,
      copy: () => database.copy(),
      close: () => database.close(),
    })
  return all
}

/** Copies the server while it runs (docs/backup.md). */
export const subject = defineSubject({
  name: 'backups',
  needs: [],
  create({ config, database, git, clock, log, dataDir, processes, backupBucket }) {
    const { backup } = config
    const place = openPlace(backup, backupBucket)
    if (place === undefined) return { services: { backupStatus: undefined } }
    const { log: databaseLog } = database.connections
    const url = config.database.url
    const databaseFile = url === '' ? join(dataDir, 'ingot.db') : resolve(url.replace(/^sqlite:(\/\/)?/, ''))
    const bookmarkFile = join(dataDir, 'backup-position.json')
    const copier =
      databaseLog &&
      new DatabaseCopier({
        log: databaseLog,
        place,
        clock,
        logger: log,
        databaseFile,
        bookmarkFile,
        snapshotIntervalMs: backup.snapshot_interval * 1000,
        maxLogBytes: backup.max_log * MB,
      })
    const stopping = new AbortController()
    const { signal } = stopping
    const files = new FilesCopier({ place, dataDir, clock, database, git, days: backup.days, signal })
    const copiers = copiersOf(backup, copier, files)
    const worker = new BackupWorker({ copiers, log, stopping, locks: processes.locks })
    return {
      services: {
        backupStatus: createBackupStatus({
          clock,
          processes,
          coveredUntil: () => copier?.coveredUntil ?? 0,
          failures: () => worker.failures,
        }),
      },
      workers: [worker],
      checks: [backupCheck({ place, log: databaseLog, clock, databaseFile, bookmarkFile })],
    }
  },
})
