import type { BackupStatus } from '../backups/backup-status.ts'
import type { Gauges } from './metrics.routes.ts'

/** Gauges of the continuous backup; empty if it is disabled. */
export function backupGauges(status: { read(): Promise<BackupStatus | undefined> } | undefined): Gauges {
  if (status === undefined) return {}
  return {
    backup_lag_seconds: {
      help: 'Age of the last moment that the backup of the database covers; -1 before the first copy',
      read: async () => (await status.read())?.lag ?? -1,
    },
    backup_failures: {
      help: 'Copies that failed since the start of the process that copies',
      read: async () => (await status.read())?.failures ?? 0,
    },
  }
}
