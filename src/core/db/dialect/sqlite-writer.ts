import { setImmediate as nextTurn } from 'node:timers/promises'
import type Sqlite from 'better-sqlite3'
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely'
import { Semaphore } from '../../platform/concurrency/lock-table.ts'
import { unavailable } from '../../platform/errors.ts'
import { SqliteConnection, type WalSync, type WriterQueue } from './sqlite-connection.ts'

/** Transactions that one durable commit makes permanent together. */
interface Group {
  members: number
  /** True once a commit is scheduled; members that come before it still join. */
  isEnding: boolean
  /** Resolves when the commit is on the disk; a failure rejects every member. */
  readonly durable: Promise<void>
  settle(error?: unknown): void
  /** Ends the turn of this process. */
  readonly leave: () => void
}

function startGroup(leave: () => void): Group {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // NOTE: a group whose only transaction was rolled back has no listener.
  promise.catch(() => {})
  return {
    members: 0,
    isEnding: false,
    durable: promise,
    settle: (error) => (error === undefined ? resolve() : reject(error as Error)),
    leave,
  }
}

/** The turn of one transaction on the writing connection. */
class Turn implements DatabaseConnection {
  readonly #connection: SqliteConnection
  readonly #release: () => void
  /** When the transaction stops waiting for other processes, as in `performance.now()`. */
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

  /** The error of the last statement that failed; undefined if none did. */
  get error(): unknown {
    return this.#error
  }

  /** Passes the turn to the next transaction. */
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

interface WritingOptions {
  readonly wal: WalSync
  readonly turns: WriterQueue
  readonly busyDeadlineMs: number
  /** Called before each statement. */
  beforeWrite(): void
  /** Called after each commit. */
  readonly onCommit?: () => void
}

/**
 * Transactions run one after the other on one connection. Transactions that arrive while one runs join its group: each
 * is a savepoint of one SQLite transaction. One turn after the first member, the group is committed and then synced off
 * the thread; only then are its members answered. So concurrent writers share pages, commits and syncs. A member that
 * fails is rolled back alone, and is answered with the others, because its failure may depend on their rows. A failed
 * commit rejects every member.
 */
export class WritingDriver implements Driver {
  readonly #database: Sqlite.Database
  readonly #connection: SqliteConnection
  readonly #wal: WalSync
  readonly #processTurns: WriterQueue
  readonly #busyDeadlineMs: number
  readonly #onCommit: () => void
  readonly #turns = new Semaphore(1)
  #group: Group | undefined

  constructor(
    database: Sqlite.Database,
    { wal, turns, busyDeadlineMs, beforeWrite, onCommit = () => {} }: WritingOptions,
  ) {
    this.#database = database
    this.#connection = new SqliteConnection(database, busyDeadlineMs, beforeWrite)
    this.#wal = wal
    this.#processTurns = turns
    this.#busyDeadlineMs = busyDeadlineMs
    this.#onCommit = onCommit
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    // NOTE: measured from here, so that transactions that waited together time out together.
    const deadline = performance.now() + this.#busyDeadlineMs
    return new Turn(this.#connection, await this.#turns.acquire(), deadline)
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    ;(connection as Turn).end()
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#group === undefined) this.#group = startGroup(await this.#begin((connection as Turn).beginDeadline))
    else await this.#run('savepoint member')
    this.#group.members++
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const group = this.#group!
    if (group.members > 1) await this.#run('release member')
    if (!group.isEnding) void this.#end(group)
    ;(connection as Turn).end()
    await group.durable
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    const turn = connection as Turn
    const group = this.#group
    // NOTE: the commit of its group failed; another group may have begun since.
    if (turn.hasEnded || group === undefined) return
    if (!this.#database.inTransaction) {
      // NOTE: SQLite itself ends a transaction if the disk is full or fails: nothing of the group remains.
      this.#group = undefined
      group.leave()
      group.settle(turn.error ?? unavailable('the database could not write'))
    } else if (group.members > 1) {
      await this.#run('rollback to member')
      await this.#run('release member')
      turn.end()
      await group.durable
    } else {
      this.#group = undefined
      await this.#run('rollback').finally(group.leave)
      group.settle()
    }
  }

  async destroy(): Promise<void> {}

  /**
   * Runs `work` while no process can write. An open group is committed first. Throws unavailable if another process
   * writes for too long.
   */
  async runAlone<T>(work: () => T | Promise<T>): Promise<T> {
    const release = await this.#turns.acquire()
    try {
      if (this.#group !== undefined) await this.#commit(this.#group)
      const leave = await this.#begin(performance.now() + this.#busyDeadlineMs)
      try {
        return await work()
      } finally {
        await this.#run('rollback').finally(leave)
      }
    } finally {
      release()
    }
  }

  /** Commits the group in its own turn. Never rejects. */
  async #end(group: Group): Promise<void> {
    group.isEnding = true
    // NOTE: requests that have already arrived are read first, so that their transactions join.
    await nextTurn()
    const release = await this.#turns.acquire()
    try {
      // NOTE: the group has ended if SQLite itself ended its transaction, or runAlone did.
      if (this.#group === group) await this.#commit(group)
    } finally {
      release()
    }
  }

  /** Runs in the caller's turn. Never rejects. */
  async #commit(group: Group): Promise<void> {
    this.#group = undefined
    try {
      await this.#run('commit')
    } catch (error) {
      if (this.#database.inTransaction) await this.#run('rollback').catch(() => {})
      return group.settle(error)
    } finally {
      group.leave()
    }
    this.#wal.wait().then(() => group.settle(), group.settle)
    this.#onCommit()
  }

  /** Begins an SQLite transaction in the turn of this process. The result ends the turn. */
  async #begin(deadline: number): Promise<() => void> {
    const leave = await this.#processTurns.take()
    try {
      await this.#connection.executeBefore(deadline, CompiledQuery.raw('begin immediate'))
      return leave
    } catch (error) {
      leave()
      throw error
    }
  }

  #run(text: string): Promise<QueryResult<never>> {
    return this.#connection.executeQuery(CompiledQuery.raw(text))
  }
}
