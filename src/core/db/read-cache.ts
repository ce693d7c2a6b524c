import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import { sha256Hex } from '../platform/crypto/crypto.ts'
import { boundedCache } from '../platform/lru.ts'
import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * A request that changes nothing, from its arrival to its response. It sees a snapshot no older than its arrival, and
 * asks the database for the version once.
 */
export interface Reading {
  /** Later reads, such as those of a stream, are not part of it. */
  isOver: boolean
  /** Number of commits of this process when it asked; undefined before. */
  asked: number | undefined
}

export const beginReading = (): Reading => ({ isOver: false, asked: undefined })

/**
 * Numbers the commit versions of a database that reports them by a round trip: between equal ones no process committed.
 * Requests that arrive in one turn of the event loop share a round trip, which begins after their arrival.
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

  /** `ask` returns a text that changes with every commit. */
  constructor(ask: () => Promise<string>) {
    this.#ask = ask
  }

  /** The reads of `work` belong to the request. */
  during<T>(reading: Reading, work: () => T): T {
    return this.#readings.run(reading, work)
  }

  /** Called after each commit of this process: a request sees its own writes. */
  committed(): void {
    this.#commits++
  }

  /** The latest version, no older than the request; undefined for reads outside of requests. */
  version(): number | Promise<number> | undefined {
    const reading = this.#readings.getStore()
    if (reading === undefined || reading.isOver) return undefined
    return reading.asked === this.#commits ? this.#version : this.#askFor(reading)
  }

  /** The database's text for it. */
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
    // NOTE: another connection may answer a later query first.
    if (turn < this.#answered) return
    this.#answered = turn
    if (text === this.#text) return
    this.#text = text
    this.#version++
  }
}

/** Reports whether anything was committed since a value was read. */
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
  /** Present if reading the version takes a round trip. */
  readonly versions: CommitVersions | undefined
  readonly totals: ReturnType<typeof boundedCache<string, KnownTotal>>
  /** All values and rows belong to `version`; concurrent callers for one value share its read. */
  readonly values: Map<string, Promise<unknown>>
  /** Rows by table and id. */
  readonly tables: Map<string, Map<number, unknown>>
  version: number
  weight: number
}

const MAX_TOTALS = 1000
/** Maximum total weight of the cached values, see `weightOf`. */
const MAX_WEIGHT = 4000
/** Characters; longer keys are not cached, which limits memory. */
const MAX_KEY = 1000
const cacheOf = Symbol('read cache')
const cacheIn = (db: object): ReadCache | undefined => (db as { readonly [cacheOf]?: ReadCache })[cacheOf]

/**
 * The same Db, for which `cachedUntilCommit` and `cachedCount` cache what they read. The next commit of any process
 * empties the cache. The commit version is checked at every use or, if that takes a round trip, once per read-only
 * request. Transactions do not use the cache.
 */
export const withReadCache = <Db extends object>(db: Db, source: CommitSource): Db =>
  Object.assign(db, {
    [cacheOf]: {
      source,
      versions: source.version === undefined ? new CommitVersions(source.snapshot) : undefined,
      totals: boundedCache(MAX_TOTALS),
      values: new Map(),
      tables: new Map(),
      version: NaN,
      weight: 0,
    } satisfies ReadCache,
  })

/** The reads of a request that changes nothing, from its arrival to `end`. */
interface Reads {
  /** The reads of `work` belong to the request. */
  during<T>(work: () => T): T
  end(): void
}

const ALWAYS_CURRENT: Reads = { during: (work) => work(), end: () => {} }

/** Called when a read-only request arrives: the cache may serve it. */
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

/** Undefined on PostgreSQL outside of read-only requests. */
const versionOf = ({ source, versions }: ReadCache): number | Promise<number> | undefined =>
  versions === undefined ? source.version!() : versions.version()

/**
 * Caches what `load` reads, which must come from the database alone, until the next commit. `key` names the query with
 * all of its parameters. Readers share the value and must not change it. On PostgreSQL `load` runs every time outside
 * of read-only requests.
 */
export function cachedUntilCommit<T>(db: object, key: string, load: () => Promise<T>): Promise<T> {
  const cache = cacheIn(db)
  if (cache === undefined || key.length > MAX_KEY) return load()
  const version = currentVersion(cache)
  return typeof version === 'object'
    ? version.then((current) => valueAt(cache, current, key, load))
    : valueAt(cache, version, key, load)
}

function valueAt<T>(cache: ReadCache, version: number | undefined, key: string, load: () => Promise<T>): Promise<T> {
  if (version === undefined) return load()
  const known = cache.values.get(key) as Promise<T> | undefined
  if (known !== undefined) return known
  const loading = load()
  cache.values.set(key, loading)
  return keepLoaded(cache, version, key, loading)
}

async function keepLoaded<T>(cache: ReadCache, version: number, key: string, loading: Promise<T>): Promise<T> {
  try {
    const value = await loading
    if (cache.version === version) keep(cache, key, { value, loading })
    return value
  } catch (error) {
    if (cache.values.get(key) === loading) cache.values.delete(key)
    throw error
  }
}

/**
 * The rows of these ids, cached until the next commit one by one, so that lists of other ids share them. `table` names
 * what `load` reads. Ids without a row are read again every time.
 */
export async function cachedByIds<Id extends number, Row extends { readonly id: Id }>(
  db: object,
  table: string,
  ids: Iterable<Id>,
  load: (ids: readonly Id[]) => Promise<readonly Row[]>,
): Promise<ReadonlyMap<Id, Row>> {
  const cache = cacheIn(db)
  const version = cache && (await currentVersion(cache))
  const rows = version === undefined ? undefined : cache!.tables.get(table)
  const found = new Map<Id, Row>()
  const missing = new Set<Id>()
  for (const id of ids) {
    const row = rows?.get(id) as Row | undefined
    if (row === undefined) missing.add(id)
    else found.set(id, row)
  }
  if (missing.size === 0) return found
  const loaded = await load([...missing])
  for (const row of loaded) found.set(row.id, row)
  if (cache === undefined || cache.version !== version) return found
  makeRoom(cache, loaded)
  const kept = cache.tables.getOrInsertComputed(table, () => new Map())
  for (const row of loaded) kept.set(row.id, row)
  return found
}

/**
 * The version of the database, for which the cache has values; undefined if nothing may be cached. Must be called
 * before the rows are read: rows read during a commit belong to the version before it.
 */
function currentVersion(cache: ReadCache): number | undefined | Promise<number | undefined> {
  const version = versionOf(cache)
  return typeof version === 'object' ? version.then((current) => renewed(cache, current)) : renewed(cache, version)
}

function renewed(cache: ReadCache, version: number | undefined): number | undefined {
  if (version !== undefined && cache.version !== version) {
    clear(cache)
    cache.version = version
  }
  return version
}

function clear(cache: ReadCache): void {
  cache.values.clear()
  cache.tables.clear()
  cache.weight = 0
}

function makeRoom(cache: ReadCache, rows: Iterable<unknown>): void {
  const weight = weightOf(rows)
  if (cache.weight + weight > MAX_WEIGHT) clear(cache)
  cache.weight += weight
}

/** The weight of rows: 1 per row, and 1 per 1,000 characters of their texts, which may have a million. */
function weightOf(rows: Iterable<unknown>): number {
  let [count, characters] = [0, 0]
  for (const row of rows) {
    count++
    if (typeof row === 'string') characters += row.length
    // NOTE: Object.values would make a list of each row.
    else
      for (const name in row as Record<string, unknown>) {
        const member = (row as Record<string, unknown>)[name]
        if (typeof member === 'string') characters += member.length
      }
  }
  return count + Math.floor(characters / 1000)
}

function keep(
  cache: ReadCache,
  key: string,
  { value, loading }: { readonly value: unknown; readonly loading: Promise<unknown> },
): void {
  const rows = Array.isArray(value) ? value : value instanceof Map ? value.values() : undefined
  makeRoom(cache, rows === undefined ? [value] : [key, ...rows])
  cache.values.set(key, loading)
}

/**
 * A number that changes with every commit of any process; undefined on PostgreSQL. NaN while the version is unknown, so
 * comparisons always miss.
 */
export const commitVersion = (db: object): number | undefined => cacheIn(db)?.source.version?.()

/** The rows of a frequent query, such as a page of ids, cached until the next commit. */
export async function cachedRows<Row>(
  db: Pick<Kysely<unknown>, 'executeQuery'>,
  query: Compilable<Row>,
): Promise<readonly Row[]> {
  const compiled = query.compile()
  const load = async (): Promise<readonly Row[]> => (await db.executeQuery(compiled)).rows
  return cacheIn(db) === undefined ? load() : cachedUntilCommit(db, keyOf(compiled), load)
}

/** The total of a search, `select count(*) as total ...` over many rows, cached until the next commit. */
export async function cachedCount(
  db: object,
  query: Compilable<{ total: number }> & { execute(): Promise<{ total: number }[]> },
): Promise<number> {
  const count = async (): Promise<number> => (await query.execute())[0]!.total
  const cache = cacheIn(db)
  if (cache === undefined) return count()
  const key = keyOf(query.compile())
  // NOTE: read before counting: a commit in between makes the next call count again.
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

/** NOTE: a hash, since a thousand such texts would take megabytes and contain search terms. */
const keyOf = ({ sql, parameters }: CompiledQuery): string => sha256Hex(`${sql} ${JSON.stringify(parameters)}`)
