import type { Processes } from '../../../core/platform/concurrency/processes.ts'
import { ImportCanceledError } from './import-errors.ts'

const TOPIC = 'import-canceled'

/** The imports that this process runs, so that they can be stopped from every process. */
export interface ImportRuns {
  /** Whether this process runs the import with this storage key. */
  has(storage: string): boolean
  /** Runs `work` with a signal that is aborted with `signal`, and with ImportCanceledError by `cancel`. */
  run<T>(
    begun: { readonly id: number; readonly storage: string },
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>
  /** Stops the import, whichever process runs it. */
  cancel(id: number): void
  close(): void
}

export function createImportRuns(processes: Pick<Processes, 'announce' | 'onAnnounced'>): ImportRuns {
  const running = new Map<number, { readonly storage: string; readonly controller: AbortController }>()
  const stop = (id: number): void => running.get(id)?.controller.abort(new ImportCanceledError())
  const unsubscribe = processes.onAnnounced(TOPIC, (detail) => stop(Number(detail)))
  return {
    has: (storage) => [...running.values()].some((run) => run.storage === storage),
    async run({ id, storage }, signal, work) {
      const controller = new AbortController()
      running.set(id, { storage, controller })
      try {
        return await work(AbortSignal.any([signal, controller.signal]))
      } finally {
        running.delete(id)
      }
    },
    cancel(id) {
      stop(id)
      processes.announce(TOPIC, String(id))
    },
    close: unsubscribe,
  }
}
