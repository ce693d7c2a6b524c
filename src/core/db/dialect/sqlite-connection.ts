import Sqlite from 'better-sqlite3'
import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Release, SharedLocks } from '../../platform/concurrency/lock-table.ts'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { LRUCache } from 'lru-cache'
import { setTimeout as sleep } from 'node:timers/promises'
import { engineErrors } from '../../platform/errors.ts'

const syncFile: (descriptor: number) => Promise<void> = promisify(fdatasync)

/**
 * Makes commits durable: syncs the write-ahead log of an SQLite file on a thread of the pool. Commits that arrive
 * during one sync share the next, so that many concurrent writers wait for few syncs.
 */
export class WalSync {
  readonly #file: string
  readonly #sync: typeof syncFile
  #descriptor: number | undefined
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  /** `file` is the database; its log exists while a connection is open. */
  constructor(file: string, sync = syncFile) {
    this.#file = file
    this.#sync = sync
  }

  /** Resolves when everything committed before the call is on the disk. Throws the disk's error. */
  wait(): Promise<void> {
    if (this.#running === undefined) return this.#start()
    // NOTE: the running sync may have begun before the caller's commit.
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    )
    return this.#next
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next])
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #start(): Promise<void> {
    this.#next = undefined
    const running = this.#sync(this.#open()).finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    return (this.#running = running)
  }

  /**
   * NOTE: SQLite locks the database and the shared memory, not the log, so closing a descriptor of the log is harmless.
   */
  #open(): number {
    if (this.#descriptor !== undefined) return this.#descriptor
    this.#descriptor = openSync(`${this.#file}-wal`, 'r')
    // NOTE: the log may be new: its directory entry must be durable too.
    const directory = openSync(dirname(this.#file), 'r')
    try {
      fsyncSync(directory)
    } finally {
      closeSync(directory)
    }
    return this.#descriptor
  }
}

/** The name of the lock. An SQLite database is the only one that the processes of a server share. */
const NAME = 'database writer'
/** How long a process waits for its turn before it competes for SQLite's own lock. */
const PATIENCE_MS = 250

/**
 * A queue of the processes of one server that write to an SQLite file: first come, first served. SQLite itself has no
 * queue: a process that finds the file locked has to retry, and the file is idle in between. The queue only orders;
 * SQLite's lock excludes two writers, and other programs take it without queueing. So a process that gets no turn for a
 * quarter of a second, because the supervisor or another writer is slow, continues without one.
 */
export class WriterQueue {
  readonly #locks: SharedLocks | undefined
  readonly #patienceMs: number

  /** Without `locks` this process is the only one. */
  constructor(locks: SharedLocks | undefined, patienceMs = PATIENCE_MS) {
    this.#locks = locks
    this.#patienceMs = patienceMs
  }

  /** Waits for the turn of this process. The result ends it. */
  async take(): Promise<() => void> {
    if (this.#locks === undefined) return () => {}
    const granted = this.#locks.lock(NAME, 'exclusive')
    await settledWithin(granted, this.#patienceMs)
    // NOTE: a turn that is refused because the supervisor has ended need not be returned.
    return () =>
      void granted.then(
        (release) => release(),
        () => {},
      )
  }
}

function settledWithin(granted: Promise<Release>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const settle = (): void => {
      clearTimeout(timer)
      resolve()
    }
    granted.then(settle, settle)
  })
}

const FIRST_PAUSE_MS = 2
const MAX_PAUSE_MS = 25

/** Another process, such as a command, has locked the file. */
const isBusy = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')

/**
 * Runs a statement again until no other process locks the file, with growing random pauses that do not block the thread
 * as SQLite's own busy timeout would. Throws unavailable after the deadline, as in `performance.now()`. A statement
 * that SQLite rejects as busy had no effect, so it may run again.
 */
async function retryBusy<T>(run: () => T, deadline: number): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return run()
    } catch (error) {
      if (!isBusy(error)) throw error
      // NOTE: a transaction that read before another one wrote remains outdated, however long it waits.
      if (error.code === 'SQLITE_BUSY_SNAPSHOT' || performance.now() >= deadline)
        throw engineErrors.databaseBusy().causedBy(error)
    }
    await sleep(pause * (0.5 + Math.random()))
  }
}

/**
 * One read transaction for all statements of the reading connection that run before the event loop reports its next
 * event: SQLite locks and unlocks the file once, which takes longer than a short statement. Requests, and messages
 * about commits of other processes, arrive as such events, so statements after one read everything that was committed
 * before it. A commit of this process ends the transaction.
 */
export class ReadTransaction {
  readonly #reader: Sqlite.Database
  readonly #begin: Sqlite.Statement
  readonly #commit: Sqlite.Statement
  readonly #dataVersion: Sqlite.Statement<[], number>
  #isOpen = false
  #version: number | undefined

  constructor(reader: Sqlite.Database) {
    this.#reader = reader
    this.#begin = reader.prepare('begin')
    this.#commit = reader.prepare('commit')
    this.#dataVersion = reader.prepare<[], number>('pragma data_version').pluck()
  }

  /** Called before each statement of the reading connection. */
  readonly beforeRead = ({ reader }: Sqlite.Statement): void => {
    // NOTE: `vacuum into`, which returns no rows, is refused within a transaction.
    if (reader) this.#beginOnce()
    else this.end()
  }

  /** Called before each statement of the writing connection, which may commit. */
  readonly end = (): void => {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#version = undefined
    // NOTE: SQLite itself ends it if the disk fails.
    if (this.#reader.inTransaction) this.#commit.run()
  }

  /**
   * NaN while another process locks the file. NOTE: `data_version` of a connection changes with the commits of all
   * other connections, and this one never writes.
   */
  version(): number {
    this.#beginOnce()
    try {
      return (this.#version ??= this.#dataVersion.get()!)
    } catch (error) {
      if (isBusy(error)) return NaN
      throw error
    }
  }

  readonly #endInNextTick = (): void => process.nextTick(this.end)

  #beginOnce(): void {
    if (this.#isOpen) return
    this.#begin.run()
    this.#isOpen = true
    // NOTE: runs when all promises are settled. A tick that is queued by the event itself would run before them.
    void Promise.resolve().then(this.#endInNextTick)
  }
}

const STATEMENTS = 500

/** Statements of one handle, each prepared once. */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: Sqlite.Database
  readonly #busyDeadlineMs: number
  readonly #before: (statement: Sqlite.Statement) => void
  readonly #statements = new LRUCache<string, Sqlite.Statement>({ max: STATEMENTS })

  /** `before` is called before each statement. */
  constructor(database: Sqlite.Database, busyDeadlineMs: number, before: (statement: Sqlite.Statement) => void) {
    this.#database = database
    this.#busyDeadlineMs = busyDeadlineMs
    this.#before = before
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return this.#run(query)
    } catch (error) {
      if (!isBusy(error)) throw error
      return this.executeBefore(performance.now() + this.#busyDeadlineMs, query)
    }
  }

  executeBefore<R>(deadline: number, query: CompiledQuery): Promise<QueryResult<R>> {
    return retryBusy(() => this.#run(query), deadline)
  }

  #run<R>({ sql: text, parameters }: CompiledQuery): QueryResult<R> {
    const statement = this.#prepare(text)
    this.#before(statement)
    if (statement.reader) return { rows: statement.all(...parameters) as R[] }
    const { changes, lastInsertRowid } = statement.run(...parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  // eslint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are read in pages, not streamed')
  }

  #prepare(text: string): Sqlite.Statement {
    const known = this.#statements.get(text)
    if (known) return known
    const statement = this.#database.prepare(text)
    this.#statements.set(text, statement)
    return statement
  }
}
