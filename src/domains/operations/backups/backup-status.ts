import type { Core } from '../../../core/module.ts'

/** The progress of the process that copies. */
export interface BackupStatus {
  /** Seconds between now and the last point in time that can be restored; -1 before the first copy. */
  readonly lag: number
  /** Failed copies since the start. */
  readonly failures: number
}

const QUESTION = 'backup'

interface StatusDeps extends Pick<Core, 'clock' | 'processes'> {
  /** Whether this process runs the backup. */
  isCopying(): boolean
  /** Epoch milliseconds; 0 before the first copy. */
  coveredUntil(): number
  failures(): number
}

/** Asks the other processes if this one does not copy; undefined if no process copies. */
export function createBackupStatus({ clock, processes, isCopying, coveredUntil, failures }: StatusDeps): {
  read(): Promise<BackupStatus | undefined>
} {
  const own = (): BackupStatus | undefined => {
    if (!isCopying()) return undefined
    const until = coveredUntil()
    return { lag: until === 0 ? -1 : Math.max(0, clock.now() - until) / 1000, failures: failures() }
  }
  processes.answer(QUESTION, async () => JSON.stringify(own() ?? {}))
  return {
    async read() {
      const mine = own()
      if (mine !== undefined || processes.count === 1) return mine
      const others = (await processes.ask(QUESTION)).map((text) => JSON.parse(text) as Partial<BackupStatus>)
      return others.find((status): status is BackupStatus => status.lag !== undefined)
    },
  }
}
