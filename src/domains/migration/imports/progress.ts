import { systemActor } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import { ImportCanceledError, ImportTakenOverError } from './import-errors.ts'
import type { ImportDeps } from './new-import.ts'
import type { ImportStep } from './phase.ts'
import { type ProgressValues, recordProgress, type RepoImport, type StepPosition } from './records/repo-import.store.ts'

const MAX_WARNINGS = 1_000
const MAX_WARNING_LENGTH = 500
/** Milliseconds between two events. */
const EVENT_INTERVAL = 500

interface Written<T> {
  readonly value: T
  readonly values?: ProgressValues
}

export type ImportProgress = ReturnType<typeof trackProgress>

/** Stores how far an import is, in the transaction of each step. */
export function trackProgress(
  { database, clock, events }: Pick<ImportDeps, 'clock' | 'database' | 'events'>,
  begun: RepoImport,
) {
  const { id } = begun
  const done: Record<string, number> = { ...begun.done }
  const warnings = [...begun.warnings]
  let warningsCount = begun.warningsCount
  let writtenCount = warningsCount
  let position: StepPosition = begun
  let eventAt = 0

  const storedWarnings = () => ({ warnings: JSON.stringify(warnings), warnings_count: warningsCount })

  /**
   * Runs `write` with what it returns of the progress in one transaction. Throws ImportCanceledError, and
   * ImportTakenOverError if another run has written a step since the last commit of this one.
   */
  async function commit<T>(write: (tx: Tx) => Promise<Written<T>>): Promise<T> {
    const [count, at] = [warningsCount, clock.now()]
    const warned = count === writtenCount ? {} : storedWarnings()
    const isReportDue = begun.isAsync && at >= eventAt + EVENT_INTERVAL
    const result = await database.transaction(async (tx) => {
      // NOTE: first, so that the import is still recorded as running: `write` may end it.
      await record(tx, { ...warned, updated_at: at })
      const { value, values } = await write(tx)
      if (values !== undefined) await record(tx, values)
      if (isReportDue) await appendProgress(tx, events, { id, at })
      return value
    })
    writtenCount = count
    if (isReportDue) eventAt = at
    return result
  }

  const store = (values: ProgressValues): Promise<void> => commit(async () => ({ value: undefined, values }))

  async function record(tx: Tx, values: ProgressValues): Promise<void> {
    const outcome = await recordProgress(tx, { id, position }, values)
    if (outcome === 'moved') throw new ImportTakenOverError()
    if (outcome === 'canceled') throw new ImportCanceledError()
  }

  return {
    /** The first warnings. */
    warnings: (): readonly string[] => [...warnings],
    storedWarnings,
    warn(text: string): void {
      warningsCount++
      if (warnings.length < MAX_WARNINGS) warnings.push(text.slice(0, MAX_WARNING_LENGTH))
    },
    commit,
    setTotal: (total: Readonly<Record<string, number>>): Promise<void> => store({ total: JSON.stringify(total) }),
    async beginPhase(phase: string): Promise<void> {
      await store({ phase, cursor: '' })
      position = { phase, cursor: '' }
    },
    /** Writes a step of a phase. */
    async step(phase: string, { cursor, count, write }: ImportStep): Promise<void> {
      const next = { ...done, [phase]: (done[phase] ?? 0) + count }
      await commit(async (tx) => {
        await write(tx)
        return { value: undefined, values: { phase, cursor, done: JSON.stringify(next) } }
      })
      Object.assign(done, next)
      position = { phase, cursor }
    },
  }
}

/** Notifies streams that an asynchronous import has progressed or ended. */
export const appendProgress = (
  tx: Tx,
  events: ImportDeps['events'],
  { id, at }: { readonly id: number; readonly at: number },
): Promise<unknown> => events.append(tx, 'import.progressed', { actor: systemActor, repoId: 0, at }, { import_id: id })
