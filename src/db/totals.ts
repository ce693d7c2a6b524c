import type { Compilable, CompiledQuery } from 'kysely'
import { sha256Hex } from '../platform/crypto.ts'
import { boundedCache } from '../platform/lru.ts'

/** A moment of the whole database: two that are equal have no commit between them. */
export type Moment = () => Promise<string>

interface Known {
  readonly moment: string
  readonly total: number
}

interface Memory {
  readonly moment: Moment
  readonly totals: ReturnType<typeof boundedCache<string, Known>>
}

const MAX_TOTALS = 1000
const memoryOf = Symbol('remembered totals')

/** The same Db, for which `countOnce` remembers totals; transactions count what they see. */
export const rememberTotals = <Db extends object>(db: Db, moment: Moment): Db =>
  Object.assign(db, { [memoryOf]: { moment, totals: boundedCache<string, Known>(MAX_TOTALS) } satisfies Memory })

/**
 * The total of a search, `select count(*) as total ...` that looks at many rows: not counted again while nothing was
 * committed. Never an old number: the database itself says whether anything was committed, by any process.
 */
export async function countOnce(
  db: object,
  query: Compilable<{ total: number }> & { execute(): Promise<{ total: number }[]> },
): Promise<number> {
  const count = async (): Promise<number> => (await query.execute())[0]!.total
  const memory = (db as { readonly [memoryOf]?: Memory })[memoryOf]
  if (memory === undefined) return count()
  const key = keyOf(query.compile())
  // NOTE: asked before the rows are counted: a commit in between makes the next look count again.
  const moment = await memory.moment()
  const known = memory.totals.get(key)
  if (known?.moment === moment) return known.total
  const total = await count()
  memory.totals.set(key, { moment, total })
  return total
}

/** NOTE: the hash, since a thousand such texts are megabytes, with the words of searches. */
const keyOf = ({ sql, parameters }: CompiledQuery): string => sha256Hex(`${sql} ${JSON.stringify(parameters)}`)
