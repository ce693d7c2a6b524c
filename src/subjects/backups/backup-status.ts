import type { Clock } from '../../platform/clock.ts'
import type { Processes } from '../../platform/concurrency/processes.ts'

/** How far the process that copies is. */
export interface BackupStatus {
  /** Seconds of commits that could not be restored now. */
  readonly lag: number
  /** Copies that failed since the start. */
  readonly failures: number
}

const QUESTION = 'backup'

interface StatusDeps {
  readonly clock: Clock
  readonly processes: Processes
  /** Epoch milliseconds; 0 in a process that does not copy. */
  coveredUntil(): number
  failures(): number
}

/** Asks the other processes where this one does not copy; undefined where none does. */
export function createBackupStatus({ clock, processes, coveredUntil, failures }: StatusDeps): {
  read(): Promise<BackupStatus | undefined>
} {
  const own = (): BackupStatus | undefined => {
    const until = coveredUntil()
    return until === 0 ? undefined : { lag: Math.max(0, clock.now() - until) / 1000, failures: failures() }
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
