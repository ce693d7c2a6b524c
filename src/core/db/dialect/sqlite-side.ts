import { rmSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely'
import { Semaphore } from '../../platform/concurrency/lock-table.ts'
import { makePrivateFile } from '../../platform/files/private.ts'
import { threadEnvironment } from '../../platform/process/thread-environment.ts'
import type { SideSchema } from './dialect.ts'

/** The files that a thread opens. */
export interface SideFiles {
  readonly side: string
  /** The main database, which a reading thread attaches to; undefined for a thread that writes. */
  readonly main: string | undefined
}

export interface SideQuery {
  readonly id: number
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export interface SideResult {
  readonly id: number
  readonly rows: readonly unknown[]
  /** The message of SQLite, if the statement failed. */
  readonly error?: string
}

interface Pending {
  resolve(result: QueryResult<never>): void
  reject(error: Error): void
}

/** A connection in a thread of its own, so that long statements do not stop the thread that serves requests. */
class SideThread implements DatabaseConnection {
  readonly #files: SideFiles
  readonly #pending = new Map<number, Pending>()
  #worker: Worker | undefined
  #next = 1

  constructor(files: SideFiles) {
    this.#files = files
  }

  executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const worker = (this.#worker ??= this.#start())
    const id = this.#next++
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult<never>>()
    this.#pending.set(id, { resolve, reject })
    worker.ref()
    worker.postMessage({ id, sql, parameters } satisfies SideQuery)
    return promise
  }

  // eslint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are read in pages, not streamed')
  }

  async close(): Promise<void> {
    const worker = this.#worker
    if (worker === undefined) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.postMessage('close')
    await ended
  }

  #start(): Worker {
    const worker = new Worker(new URL('sqlite-side-worker.ts', import.meta.url), {
      workerData: this.#files,
      env: threadEnvironment(),
    })
    worker.unref()
    worker.on('message', (result: SideResult) => this.#settle(worker, result))
    worker.on('error', (error) => this.#fail(worker, error as Error))
    worker.on('exit', () => this.#fail(worker, new Error('the thread of the database has ended')))
    return worker
  }

  #settle(worker: Worker, { id, rows, error }: SideResult): void {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (this.#pending.size === 0) worker.unref()
    if (error === undefined) pending?.resolve({ rows: rows as never[] })
    else pending?.reject(new Error(error))
  }

  #fail(worker: Worker, error: Error): void {
    if (this.#worker === worker) this.#worker = undefined
    for (const pending of this.#pending.values()) pending.reject(error)
    this.#pending.clear()
  }
}

/** Transactions one after the other. */
export class SideDriver implements Driver {
  readonly #thread: SideThread
  readonly #turns: Semaphore | undefined
  #release: (() => void) | undefined

  constructor(files: SideFiles) {
    this.#thread = new SideThread(files)
    this.#turns = files.main === undefined ? new Semaphore(1) : undefined
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const release = await this.#turns?.acquire()
    this.#release = release
    return this.#thread
  }

  async releaseConnection(): Promise<void> {
    this.#release?.()
  }

  async beginTransaction(): Promise<void> {
    await this.#thread.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  async commitTransaction(): Promise<void> {
    await this.#thread.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(): Promise<void> {
    await this.#thread.executeQuery(CompiledQuery.raw('rollback'))
  }

  destroy(): Promise<void> {
    return this.#thread.close()
  }
}

/** Creates the tables of the file, if they are not there; a file of another version, or a damaged one, is replaced. */
export function prepareSideFile(file: string, schema: SideSchema): void {
  try {
    createTables(file, schema)
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError) || error.code.startsWith('SQLITE_BUSY')) throw error
    for (const part of [file, `${file}-wal`, `${file}-shm`]) rmSync(part, { force: true })
    createTables(file, schema)
  }
}

function createTables(file: string, { version, statements }: SideSchema): void {
  makePrivateFile(file)
  const database = new Sqlite(file)
  try {
    database.pragma('journal_mode = WAL')
    const found = database.pragma('user_version', { simple: true }) as number
    if (found === version) return
    if (found !== 0) throw new Sqlite.SqliteError(`the file has version ${found}`, 'SQLITE_SCHEMA')
    database.transaction(() => {
      for (const statement of statements) database.exec(statement)
      database.pragma(`user_version = ${version}`)
    })()
  } finally {
    database.close()
  }
}
