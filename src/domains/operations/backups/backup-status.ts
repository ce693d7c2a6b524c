import type { Core } from '../../../core/module.ts'

/** How far the process that copies is. */
export interface BackupStatus {
  /** Seconds of commits that could not be restored now; -1 before the first copy. */
  readonly lag: number
  /** Copies that failed since the start. */
  readonly failures: number
}

const QUESTION = 'backup'

interface StatusDeps extends Pick<Core, 'clock' | 'processes'> {
  /** Whether this process is the one that copies. */
  isCopying(): boolean
  /** Epoch milliseconds; 0 before the first copy. */
  coveredUntil(): number
  failures(): number
}

/** Asks the other processes where this one does not copy; undefined where none does. */
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
