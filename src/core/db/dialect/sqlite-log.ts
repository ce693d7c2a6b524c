import { closeSync, fstatSync, openSync, readSync, read } from 'node:fs'
import { promisify } from 'node:util'
import type Sqlite from 'better-sqlite3'
import type { DatabaseLog, HeldDatabase, LogFrame, LogState } from './dialect.ts'
import type { LogLength } from './sqlite-checkpoints.ts'

const readAt = promisify(read)

/** Size of the log index header, of which there are two copies in native byte order. */
const INDEX_HEADER = 48
/** Offset, after the two copies, of the number of frames in the database. */
const INDEX_WRITTEN = 2 * INDEX_HEADER
const LOG_HEADER = 32
const FRAME_HEADER = 24
const MAX_READ = 4 * 1024 * 1024
const CHUNK = 1024 * 1024

interface SqliteLogDeps {
  /** Runs work while no process can write. */
  runAlone<T>(work: () => T | Promise<T>): Promise<T>
  open(file: string, readonly: boolean): Sqlite.Database
}

/**
 * NOTE: database and index stay open until the connections are closed: closing any descriptor of a file releases this
 * process's locks on it.
 */
export class SqliteLog implements DatabaseLog {
  readonly #file: string
  readonly #deps: SqliteLogDeps
  readonly #header = Buffer.alloc(INDEX_WRITTEN + 4)
  #database: number | undefined
  #index: number | undefined
  #log: number | undefined
  #checkpointer: Sqlite.Database | undefined
  #holder: Sqlite.Database | undefined

  constructor(file: string, deps: SqliteLogDeps) {
    this.#file = file
    this.#deps = deps
  }

  /** Undefined as for `state`. */
  length(): LogLength | undefined {
    if (!this.#readIndex()) return undefined
    return { frames: this.#header.readUInt32LE(16), written: this.#header.readUInt32LE(INDEX_WRITTEN) }
  }

  state(): LogState | undefined {
    if (!this.#readIndex()) return undefined
    const header = this.#header
    const pageSize = header.readUInt16LE(14)
    const sum = Buffer.alloc(8)
    sum.writeUInt32BE(header.readUInt32LE(24), 0)
    sum.writeUInt32BE(header.readUInt32LE(28), 4)
    return {
      salt: header.toString('hex', 32, 40),
      frames: header.readUInt32LE(16),
      sum: sum.toString('hex'),
      pageSize: pageSize === 1 ? 65_536 : pageSize,
    }
  }

  frames(from: number, to: number, pageSize: number): LogFrame[] {
    this.#log ??= openSync(`${this.#file}-wal`, 'r')
    const length = FRAME_HEADER + pageSize
    const count = Math.min(to - from + 1, Math.floor(MAX_READ / length))
    const bytes = Buffer.allocUnsafe(count * length)
    const size = readSync(this.#log, bytes, 0, bytes.length, LOG_HEADER + (from - 1) * length)
    return Array.from({ length: Math.floor(size / length) }, (_, index) => {
      const frame = bytes.subarray(index * length, (index + 1) * length)
      return {
        page: frame.readUInt32BE(0),
        pagesAfter: frame.readUInt32BE(4),
        salt: frame.toString('hex', 8, 16),
        sum: frame.toString('hex', 16, 24),
        data: frame.subarray(FRAME_HEADER),
      }
    })
  }

  async checkpoint(before: () => boolean, hold?: (held: HeldDatabase) => void): Promise<number | undefined> {
    this.#checkpointer ??= this.#deps.open(this.#file, false)
    const checkpointer = this.#checkpointer
    checkpointer.pragma('wal_autocheckpoint = 0')
    return this.#deps.runAlone(() => {
      if (!before()) return undefined
      const [result] = checkpointer.pragma('wal_checkpoint(PASSIVE)') as { log: number; checkpointed: number }[]
      if (result === undefined || result.log !== result.checkpointed) return undefined
      hold?.(this.#hold())
      return Math.max(0, result.log)
    })
  }

  /** False if there is none, or another process is changing it. */
  #readIndex(): boolean {
    this.#index ??= openSync(`${this.#file}-shm`, 'r')
    const header = this.#header
    if (readSync(this.#index, header, 0, header.length, 0) < header.length) return false
    const isWhole = header.compare(header, INDEX_HEADER, INDEX_WRITTEN, 0, INDEX_HEADER) === 0
    return isWhole && header.readUInt8(12) === 1
  }

  /** Ends the connections; the files stay open until all connections of the process are closed. */
  close(): void {
    this.#holder?.close()
    this.#checkpointer?.close()
  }

  closeFiles(): void {
    for (const descriptor of [this.#database, this.#index, this.#log])
      if (descriptor !== undefined) closeSync(descriptor)
  }

  /** NOTE: a reader that begins when the log is empty reads only the file, and no checkpoint may write to it then. */
  #hold(): HeldDatabase {
    this.#holder?.close()
    const holder = this.#deps.open(this.#file, true)
    this.#holder = holder
    holder.exec('begin')
    holder.prepare('select count(*) from sqlite_schema').get()
    this.#database ??= openSync(this.#file, 'r')
    const descriptor = this.#database
    const { size } = fstatSync(descriptor)
    let isHeld = true
    return {
      size,
      async *read() {
        for (let at = 0; at < size;) {
          if (!isHeld) throw new Error('the database was released before all of it was read')
          const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size - at))
          const { bytesRead } = await readAt(descriptor, chunk, 0, chunk.length, at)
          if (bytesRead === 0) throw new Error(`the database ends after ${at} of ${size} bytes`)
          at += bytesRead
          yield chunk.subarray(0, bytesRead)
        }
      },
      release: () => {
        isHeld = false
        holder.close()
        if (this.#holder === holder) this.#holder = undefined
      },
    }
  }
}
