import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import { sha256Hex } from '../platform/crypto/crypto.ts'
import { boundedCache } from '../platform/lru.ts'
import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * A request that changes nothing, from its arrival until its response is made. It sees a snapshot no older than its
 * arrival, and asks the database for the version once.
 */
export interface Reading {
  /** Reads that come later, such as those of a stream, are no part of it. */
  isOver: boolean
  /** The commits of this process when it asked; undefined before. */
  asked: number | undefined
}

export const beginReading = (): Reading => ({ isOver: false, asked: undefined })

/**
 * Numbers the commit versions of a database that reports them by a round trip: between equal ones no process committed.
 * Requests that arrive in one turn of the event loop share a round trip, which begins after they arrived.
 */
export class CommitVersions {
  readonly #ask: () => Promise<string>
  readonly #readings = new AsyncLocalStorage<Reading>()
  #commits = 0
  #asked = 0
  #answered = 0
  #next: Promise<void> | undefined
  #text: string | undefined
  #version = 0

  /** `ask` gives a text that changes with every commit. */
  constructor(ask: () => Promise<string>) {
    this.#ask = ask
  }

  /** What `work` reads is a part of the request. */
  during<T>(reading: Reading, work: () => T): T {
    return this.#readings.run(reading, work)
  }

  /** Called after each commit of this process: a request sees what it has written itself. */
  committed(): void {
    this.#commits++
  }

  /** The latest version, no older than the request; undefined for reads outside of requests. */
  version(): number | Promise<number> | undefined {
    const reading = this.#readings.getStore()
    if (reading === undefined || reading.isOver) return undefined
    return reading.asked === this.#commits ? this.#version : this.#askFor(reading)
  }

  /** What the database reported for it. */
  get text(): string | undefined {
    return this.#text
  }

  async #askFor(reading: Reading): Promise<number> {
    const commits = this.#commits
    await (this.#next ??= this.#askSoon())
    reading.asked = commits
    return this.#version
  }

  #askSoon(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    setImmediate(() => {
      this.#next = undefined
      resolve(this.#askNow())
    })
    return promise
  }

  async #askNow(): Promise<void> {
    const turn = ++this.#asked
    const text = await this.#ask()
    // NOTE: of another connection, the answer to a later question may come first.
    if (turn < this.#answered) return
    this.#answered = turn
    if (text === this.#text) return
    this.#text = text
    this.#version++
  }
}

/** Tells whether anything was committed since a value was read. */
export interface CommitSource {
  /** A text that changes with every commit of any process. */
  snapshot(): Promise<string>
  /** The same as a number, where it costs less than a look-up; NaN while the database cannot report it. */
  readonly version: (() => number) | undefined
}

interface KnownTotal {
  readonly snapshot: string
  readonly total: number
}

interface ReadCache {
  readonly source: CommitSource
  /** Where the version takes a round trip. */
  readonly versions: CommitVersions | undefined
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
const cacheOf = Symbol('read cache')
const cacheIn = (db: object): ReadCache | undefined => (db as { readonly [cacheOf]?: ReadCache })[cacheOf]

/**
 * The same Db, for which `cachedUntilCommit` and `cachedCount` cache what they read. The next commit of any process
 * empties the cache. The database reports it at every use, or once for a request that only reads where that takes a
 * round trip. Transactions do not use the cache.
 */
export const withReadCache = <Db extends object>(db: Db, source: CommitSource): Db =>
  Object.assign(db, {
    [cacheOf]: {
      source,
      versions: source.version === undefined ? new CommitVersions(source.snapshot) : undefined,
      totals: boundedCache(MAX_TOTALS),
      values: new Map(),
      version: NaN,
      rows: 0,
    } satisfies ReadCache,
  })

/** Of a request that changes nothing, from its arrival until `end`. */
interface Reads {
  /** What `work` reads is a part of the request. */
  during<T>(work: () => T): T
  end(): void
}

const ALWAYS_CURRENT: Reads = { during: (work) => work(), end: () => {} }

/** Called when a request arrives that changes nothing: the cache may serve it. */
export function beginReads(db: object): Reads {
  const versions = cacheIn(db)?.versions
  if (versions === undefined) return ALWAYS_CURRENT
  const reading = beginReading()
  return {
    during: (work) => versions.during(reading, work),
    end() {
      reading.isOver = true
    },
  }
}

/** Called after each commit of this process. */
export const noteCommit = (db: object): void => cacheIn(db)?.versions?.committed()

/** Undefined outside of requests that only read, on PostgreSQL. */
const versionOf = ({ source, versions }: ReadCache): number | Promise<number> | undefined =>
  versions === undefined ? source.version!() : versions.version()

/**
 * What `load` reads from the database and nothing else, read again only after a commit. `key` names the look-up with
 * all of its parameters. The value is shared by its readers, who must not change it. On PostgreSQL `load` runs every
 * time outside of requests that only read.
 */
export async function cachedUntilCommit<T>(db: object, key: string, load: () => Promise<T>): Promise<T> {
  const cache = cacheIn(db)
  if (cache === undefined || key.length > MAX_KEY) return load()
  // NOTE: read before the rows: a value that was read during a commit belongs to the version before it.
  const current = versionOf(cache)
  const version = typeof current === 'object' ? await current : current
  if (version === undefined) return load()
  const { values } = cache
  if (cache.version !== version) {
    values.clear()
    cache.rows = 0
    cache.version = version
  } else if (values.has(key)) return await (values.get(key) as Promise<T>)
  const loading = load()
  values.set(key, loading)
  try {
    const value = await loading
    if (cache.version === version) keep(cache, key, { value, loading })
    return value
  } catch (error) {
    if (values.get(key) === loading) values.delete(key)
    throw error
  }
}

function keep(
  cache: ReadCache,
  key: string,
  { value, loading }: { readonly value: unknown; readonly loading: Promise<unknown> },
): void {
  const rows = 1 + (Array.isArray(value) ? value.length : value instanceof Map ? value.size : 0)
  if ((cache.rows += rows) > MAX_ROWS) {
    cache.values.clear()
    cache.rows = rows
  }
  cache.values.set(key, loading)
}

/**
 * A number that changes with every commit of any process; undefined on PostgreSQL. NaN while the version is unknown, so
 * comparisons always miss.
 */
export const commitVersion = (db: object): number | undefined => cacheIn(db)?.source.version?.()

/** The rows of a frequent query, such as a page of ids: read again only after a commit. */
export async function cachedRows<Row>(
  db: Pick<Kysely<unknown>, 'executeQuery'>,
  query: Compilable<Row>,
): Promise<readonly Row[]> {
  const compiled = query.compile()
  const load = async (): Promise<readonly Row[]> => (await db.executeQuery(compiled)).rows
  return cacheIn(db) === undefined ? load() : cachedUntilCommit(db, keyOf(compiled), load)
}

/**
 * The total of a search, `select count(*) as total ...` that looks at many rows: not counted again while nothing was
 * committed.
 */
export async function cachedCount(
  db: object,
  query: Compilable<{ total: number }> & { execute(): Promise<{ total: number }[]> },
): Promise<number> {
  const count = async (): Promise<number> => (await query.execute())[0]!.total
  const cache = cacheIn(db)
  if (cache === undefined) return count()
  const key = keyOf(query.compile())
  // NOTE: read before the rows are counted: a commit in between makes the next call count again.
  const snapshot = await snapshotOf(cache)
  const known = cache.totals.get(key)
  if (known?.snapshot === snapshot) return known.total
  const total = await count()
  cache.totals.set(key, { snapshot, total })
  return total
}

async function snapshotOf({ source, versions }: ReadCache): Promise<string> {
  const version = await versions?.version()
  return version === undefined ? source.snapshot() : versions!.text!
}

/** NOTE: the hash, since a thousand such texts are megabytes, with the words of searches. */
const keyOf = ({ sql, parameters }: CompiledQuery): string => sha256Hex(`${sql} ${JSON.stringify(parameters)}`)
