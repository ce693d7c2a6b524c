import type { Tx } from '../../../core/db/database.ts'
import { ImportCanceledError } from './import-errors.ts'
import type { ImportDeps } from './new-import.ts'
import type { ImportStep } from './phase.ts'
import { type ProgressValues, recordProgress, type RepoImport } from './records/repo-import.store.ts'

const MAX_WARNINGS = 1_000
const MAX_WARNING_LENGTH = 500

interface Written<T> {
  readonly value: T
  readonly values?: ProgressValues
}

export type ImportProgress = ReturnType<typeof trackProgress>

/** Stores how far an import is, in the transaction of each step. */
export function trackProgress({ database, clock }: Pick<ImportDeps, 'clock' | 'database'>, begun: RepoImport) {
  const { id } = begun
  const done: Record<string, number> = { ...begun.done }
  const warnings = [...begun.warnings]
  let warningsCount = begun.warningsCount
  let storedWarnings = warningsCount

  /** Runs `write` with what it returns of the progress in one transaction. Throws ImportCanceledError. */
  async function commit<T>(write: (tx: Tx) => Promise<Written<T>>): Promise<T> {
    const count = warningsCount
    const warned = count === storedWarnings ? {} : { warnings: JSON.stringify(warnings), warnings_count: count }
    const result = await database.transaction(async (tx) => {
      // NOTE: first, so that the import is still recorded as running: `write` may end it.
      await record(tx, { ...warned, updated_at: clock.now() })
      const { value, values } = await write(tx)
      if (values !== undefined) await record(tx, values)
      return value
    })
    storedWarnings = count
    return result
  }

  const store = (values: ProgressValues): Promise<void> => commit(async () => ({ value: undefined, values }))

  async function record(tx: Tx, values: ProgressValues): Promise<void> {
    if (!(await recordProgress(tx, id, values))) throw new ImportCanceledError()
  }

  return {
    /** The first warnings, and the number of all. */
    warnings: (): { readonly texts: readonly string[]; readonly count: number } => ({
      texts: [...warnings],
      count: warningsCount,
    }),
    warn(text: string): void {
      warningsCount++
      if (warnings.length < MAX_WARNINGS) warnings.push(text.slice(0, MAX_WARNING_LENGTH))
    },
    commit,
    setTotal: (total: Readonly<Record<string, number>>): Promise<void> => store({ total: JSON.stringify(total) }),
    beginPhase: (phase: string): Promise<void> => store({ phase, cursor: '' }),
    /** Writes a step of a phase. */
    async step(phase: string, { cursor, count, write }: ImportStep): Promise<void> {
      const next = { ...done, [phase]: (done[phase] ?? 0) + count }
      await commit(async (tx) => {
        await write(tx)
        return { value: undefined, values: { phase, cursor, done: JSON.stringify(next) } }
      })
      Object.assign(done, next)
    },
  }
}
