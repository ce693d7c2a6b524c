import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import { sha256Hex } from '../platform/crypto/crypto.ts'
import { boundedCache } from '../platform/lru.ts'
import { beginReading, Moments } from './moments.ts'

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
  /** Where the proof takes a message. */
  readonly moments: Moments | undefined
  readonly totals: ReturnType<typeof boundedCache<string, KnownTotal>>
  /** All are of `version`; those who ask for one while it is read wait for the same. */
  readonly values: Map<string, Promise<unknown>>
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
 * remembered is stale after the next commit of any process, which the database itself reports: at every use, or once
 * for a request that only reads where that takes a message.
 */
export const rememberReads = <Db extends object>(db: Db, proof: CommitProof): Db =>
  Object.assign(db, {
    [memoryOf]: {
      proof,
      moments: proof.version === undefined ? new Moments(proof.moment) : undefined,
      totals: boundedCache(MAX_TOTALS),
      values: new Map(),
      version: NaN,
      rows: 0,
    } satisfies Memory,
  })

/** Of a request that changes nothing, from its arrival until `end`. */
interface Reads {
  /** What `work` reads is a part of the request. */
  during<T>(work: () => T): T
  end(): void
}

const ALWAYS_ASKED: Reads = { during: (work) => work(), end: () => {} }

/** Called when a request arrives that changes nothing: what is remembered may serve it. */
export function beginReads(db: object): Reads {
  const moments = memoryIn(db)?.moments
  if (moments === undefined) return ALWAYS_ASKED
  const reading = beginReading()
  return {
    during: (work) => moments.during(reading, work),
    end() {
      reading.isOver = true
    },
  }
}

/** Called after each commit of this process. */
export const noteCommit = (db: object): void => memoryIn(db)?.moments?.committed()

/** Undefined where a read cannot be proved to have nothing committed since. */
const versionOf = ({ proof, moments }: Memory): number | Promise<number> | undefined =>
  moments === undefined ? proof.version!() : moments.version()

/**
 * What `load` reads from the database and nothing else, read again only after a commit. `key` names the look-up with
 * all of its parameters. The value is shared by its readers, who must not change it. On PostgreSQL `load` runs every
 * time outside of requests that only read.
 */
export async function remembered<T>(db: object, key: string, load: () => Promise<T>): Promise<T> {
  const memory = memoryIn(db)
  if (memory === undefined || key.length > MAX_KEY) return load()
  // NOTE: asked before the rows are read: a value that a commit overtook belongs to a version that is over.
  const asked = versionOf(memory)
  const version = typeof asked === 'object' ? await asked : asked
  if (version === undefined) return load()
  const { values } = memory
  if (memory.version !== version) {
    values.clear()
    memory.rows = 0
    memory.version = version
  } else if (values.has(key)) return await (values.get(key) as Promise<T>)
  const loading = load()
  values.set(key, loading)
  try {
    const value = await loading
    if (memory.version === version) keep(memory, key, { value, loading })
    return value
  } catch (error) {
    if (values.get(key) === loading) values.delete(key)
    throw error
  }
}

function keep(
  memory: Memory,
  key: string,
  { value, loading }: { readonly value: unknown; readonly loading: Promise<unknown> },
): void {
  const rows = 1 + (Array.isArray(value) ? value.length : value instanceof Map ? value.size : 0)
  if ((memory.rows += rows) > MAX_ROWS) {
    memory.values.clear()
    memory.rows = rows
  }
  memory.values.set(key, loading)
}

/**
 * A number that changes with every commit of any process; undefined on PostgreSQL. It equals nothing, itself included,
 * while the database cannot say.
 */
export const commitVersion = (db: object): number | undefined => memoryIn(db)?.proof.version?.()

/** The rows of a query that is asked again and again, such as a page of ids: read again only after a commit. */
export async function rowsOnce<Row>(
  db: Pick<Kysely<unknown>, 'executeQuery'>,
  query: Compilable<Row>,
): Promise<readonly Row[]> {
  const compiled = query.compile()
  const load = async (): Promise<readonly Row[]> => (await db.executeQuery(compiled)).rows
  return memoryIn(db) === undefined ? load() : remembered(db, keyOf(compiled), load)
}

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
  const moment = await momentOf(memory)
  const known = memory.totals.get(key)
  if (known?.moment === moment) return known.total
  const total = await count()
  memory.totals.set(key, { moment, total })
  return total
}

async function momentOf({ proof, moments }: Memory): Promise<string> {
  const version = await moments?.version()
  return version === undefined ? proof.moment() : moments!.text!
}

/** NOTE: the hash, since a thousand such texts are megabytes, with the words of searches. */
const keyOf = ({ sql, parameters }: CompiledQuery): string => sha256Hex(`${sql} ${JSON.stringify(parameters)}`)
