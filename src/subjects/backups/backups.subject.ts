import { join, resolve } from 'node:path'
import { defineSubject } from '../subject.ts'
import { BackupWorker, type Copier } from './backup-worker.ts'
import { type BackupStatus, createBackupStatus } from './backup-status.ts'
import { backupCheck } from './backups.checks.ts'
import { DatabaseCopier } from './database/database-copier.ts'
import { openPlace } from './places/open-place.ts'

declare module '../subject.ts' {
  interface Services {
    readonly backupStatus: { read(): Promise<BackupStatus | undefined> } | undefined
  }
}

const MB = 1_000_000

/** Copies the server while it runs (docs/backup.md). */
export const subject = defineSubject({
  name: 'backups',
  needs: [],
  create({ config, database, clock, log, dataDir, processes, backupBucket }) {
    const { backup } = config
    const place = openPlace(backup, backupBucket)
    if (place === undefined) return { services: { backupStatus: undefined } }
    const { log: databaseLog } = database.connections
    const url = config.database.url
    const databaseFile = url === '' ? join(dataDir, 'ingot.db') : resolve(url.replace(/^sqlite:(\/\/)?/, ''))
    const bookmarkFile = join(dataDir, 'backup-position.json')
    const copiers: Copier[] = []
    let coveredUntil = (): number => 0
    if (databaseLog !== undefined) {
      const copier = new DatabaseCopier({
        log: databaseLog,
        place,
        clock,
        logger: log,
        databaseFile,
        bookmarkFile,
        snapshotIntervalMs: backup.snapshot_interval * 1000,
        maxLogBytes: backup.max_log * MB,
      })
      coveredUntil = () => copier.coveredUntil
      copiers.push({
        what: 'database',
        intervalMs: backup.interval * 1000,
        copy: () => copier.copy(),
        close: () => copier.close(),
      })
    }
    const worker = new BackupWorker({ copiers, clock, log, locks: processes.locks })
    return {
      services: {
        backupStatus: createBackupStatus({ clock, processes, coveredUntil, failures: () => worker.failures }),
      },
      workers: [worker],
      checks: [backupCheck({ place, log: databaseLog, clock, databaseFile, bookmarkFile })],
    }
  },
})
