import type Sqlite from 'better-sqlite3'
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely'
import { Semaphore } from '../../platform/concurrency/keyed-mutex.ts'
import { unavailable } from '../../platform/errors.ts'
import { SqliteConnection } from './sqlite-connection.ts'

/** A group admits no further transaction after this time or this many, so that the first one is not kept waiting. */
const GROUP_MS = 5
const GROUP_SIZE = 64

/** Transactions that one durable commit makes permanent together. */
interface Group {
  readonly startedAt: number
  members: number
  /** Settles with the commit; rejects every member when it fails. */
  readonly committed: Promise<void>
  settle(error?: unknown): void
}

function startGroup(): Group {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // NOTE: a group whose only transaction was rolled back has no listener.
  promise.catch(() => {})
  return {
    startedAt: performance.now(),
    members: 0,
    committed: promise,
    settle: (error) => (error === undefined ? resolve() : reject(error as Error)),
  }
}

/** The turn of one transaction on the writing connection. */
class Turn implements DatabaseConnection {
  readonly #connection: SqliteConnection
  readonly #release: () => void
  /** When the transaction gives up waiting for other processes, by `performance.now()`. */
  readonly beginDeadline: number
  #hasEnded = false
  #error: unknown

  constructor(connection: SqliteConnection, release: () => void, beginDeadline: number) {
    this.#connection = connection
    this.#release = release
    this.beginDeadline = beginDeadline
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Why the last statement that failed did; undefined if none did. */
  get error(): unknown {
    return this.#error
  }

  /** Gives the turn to the next transaction. */
  end(): void {
    this.#hasEnded = true
    this.#release()
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#hasEnded) throw new Error('the transaction has ended')
    try {
      return await this.#connection.executeQuery(query)
    } catch (error) {
      this.#error = error
      throw error
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    return this.#connection.streamQuery()
  }
}

/**
 * Transactions take turns on one connection. Those that wait while another one runs join its group: each is a savepoint
 * of one SQLite transaction, which the last of them commits. So one sync of the file makes all of them durable, and none
 * is answered before it. A member that fails is rolled back alone; a commit that fails rejects every member.
 */
export class WritingDriver implements Driver {
  readonly #database: Sqlite.Database
  readonly #connection: SqliteConnection
  readonly #busyDeadlineMs: number
  readonly #turns = new Semaphore(1)
  #group: Group | undefined

  constructor(database: Sqlite.Database, busyDeadlineMs: number) {
    this.#database = database
    this.#connection = new SqliteConnection(database, busyDeadlineMs)
    this.#busyDeadlineMs = busyDeadlineMs
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    // NOTE: counted from here, so that transactions that waited for their turn together give up together.
    const deadline = performance.now() + this.#busyDeadlineMs
    return new Turn(this.#connection, await this.#turns.acquire(), deadline)
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const turn = connection as Turn
    if (turn.hasEnded) return
    // NOTE: the group was open when the turn came, and the transaction did not begin.
    if (this.#group !== undefined) await this.#passOn(turn, this.#group)
    if (!turn.hasEnded) turn.end()
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#group === undefined) {
      await this.#connection.executeBefore((connection as Turn).beginDeadline, CompiledQuery.raw('begin immediate'))
      this.#group = startGroup()
    } else await this.#run('savepoint member')
    this.#group.members++
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const group = this.#group!
    if (group.members > 1) await this.#run('release member')
    await this.#passOn(connection as Turn, group)
    await group.committed
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    const turn = connection as Turn
    const group = this.#group
    // NOTE: the commit of its group failed; another group may have begun since.
    if (turn.hasEnded || group === undefined) return
    if (!this.#database.inTransaction) {
      // NOTE: SQLite itself ends a transaction when the disk is full or fails: nothing of the group is there any more.
      this.#group = undefined
      return group.settle(turn.error ?? unavailable('the database could not write'))
    }
    if (group.members === 1) {
      this.#group = undefined
      await this.#run('rollback')
      return group.settle()
    }
    await this.#run('rollback to member')
    await this.#run('release member')
    await this.#passOn(turn, group)
  }

  async destroy(): Promise<void> {}

  /** Gives the turn to a waiting transaction, which joins the group; commits when there is none. */
  async #passOn(turn: Turn, group: Group): Promise<void> {
    const mayGrow = group.members < GROUP_SIZE && performance.now() - group.startedAt < GROUP_MS
    if (mayGrow && this.#turns.waiting > 0) return turn.end()
    this.#group = undefined
    try {
      await this.#run('commit')
      group.settle()
    } catch (error) {
      if (this.#database.inTransaction) await this.#run('rollback')
      group.settle(error)
    }
  }

  #run(text: string): Promise<QueryResult<never>> {
    return this.#connection.executeQuery(CompiledQuery.raw(text))
  }
}
