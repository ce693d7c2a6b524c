import { type Compilable, type CompiledQuery } from 'kysely'
import { sha256Hex } from '../platform/crypto/crypto.ts'
import { boundedCache } from '../platform/lru.ts'

/** What proves that nothing was committed since a value was read. */
export interface CommitProof {
  /** A text that changes with every commit of any process. */
  moment(): Promise<string>
  /** The same as a number, where asking costs less than a look-up; NaN when the database cannot say. */
  readonly version: (() => number) | undefined
}

interface KnownTotal {
  readonly moment: string
  readonly total: number
}

interface Memory {
  readonly proof: CommitProof
  readonly totals: ReturnType<typeof boundedCache<string, KnownTotal>>
  /** All values are of `version`. */
  readonly values: Map<string, unknown>
  version: number
  rows: number
}

const MAX_TOTALS = 1000
/** Rows that values consist of. */
const MAX_ROWS = 4000
/** Characters; longer look-ups are not remembered, which bounds the memory. */
const MAX_KEY = 1000
const memoryOf = Symbol('remembered reads')
const memoryIn = (db: object): Memory | undefined => (db as { readonly [memoryOf]?: Memory })[memoryOf]

/**
 * The same Db, for which `remembered` and `countOnce` remember what they read; transactions always read. What is
 * remembered is stale after the next commit of any process, which the database itself reports at every use.
 */
export const rememberReads = <Db extends object>(db: Db, proof: CommitProof): Db =>
  Object.assign(db, {
    [memoryOf]: { proof, totals: boundedCache(MAX_TOTALS), values: new Map(), version: NaN, rows: 0 } satisfies Memory,
  })

/**
 * What `load` reads from the database and nothing else, read again only after a commit. `key` names the look-up with
 * all of its parameters. The value is shared by its readers, who must not change it. On PostgreSQL `load` runs every
 * time.
 */
export async function remembered<T>(db: object, key: string, load: () => Promise<T>): Promise<T> {
  const memory = memoryIn(db)
  if (memory?.proof.version === undefined || key.length > MAX_KEY) return load()
  // NOTE: asked before the rows are read: a value that a commit overtook belongs to a version that is over.
  const version = memory.proof.version()
  const { values } = memory
  if (memory.version !== version) {
    values.clear()
    memory.rows = 0
    memory.version = version
  } else if (values.has(key)) return values.get(key) as T
  const value = await load()
  if (memory.version === version) {
    const rows = Array.isArray(value) ? value.length + 1 : 1
    if ((memory.rows += rows) > MAX_ROWS) {
      values.clear()
      memory.rows = rows
    }
    values.set(key, value)
  }
  return value
}

/**
 * A number that changes with every commit of any process, for caches that are bounded by their own measure; undefined
 * on PostgreSQL. It equals nothing, itself included, while the database cannot say.
 */
export const commitVersion = (db: object): number | undefined => memoryIn(db)?.proof.version?.()

/**
 * The total of a search, `select count(*) as total ...` that looks at many rows: not counted again while nothing was
 * committed.
 */
export async function countOnce(
  db: object,
  query: Compilable<{ total: number }> & { execute(): Promise<{ total: number }[]> },
): Promise<number> {
  const count = async (): Promise<number> => (await query.execute())[0]!.total
  const memory = memoryIn(db)
  if (memory === undefined) return count()
  const key = keyOf(query.compile())
  // NOTE: asked before the rows are counted: a commit in between makes the next call count again.
  const moment = await memory.proof.moment()
  const known = memory.totals.get(key)
  if (known?.moment === moment) return known.total
  const total = await count()
  memory.totals.set(key, { moment, total })
  return total
}

/** NOTE: the hash, since a thousand such texts are megabytes, with the words of searches. */
const keyOf = ({ sql, parameters }: CompiledQuery): string => sha256Hex(`${sql} ${JSON.stringify(parameters)}`)
