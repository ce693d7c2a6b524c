import { randomHex } from '../../../../core/platform/crypto/crypto.ts'
import type { DatabaseLog, HeldDatabase } from '../../../../core/db/dialect/dialect.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import type { Logger } from '../../../../core/platform/logger.ts'
import type { Destination } from '../destinations/directory-destination.ts'
import { seal } from '../sealed-file.ts'
import { type Bookmark, fileSignature, readBookmark, writeBookmark } from './bookmark.ts'
import { fileTime } from '../file-time.ts'
import { DATABASE, type LogPosition, pagesOfSnapshot, type SnapshotHeader, snapshotName } from './layout.ts'
import { type LogPart, readLog } from './read-log.ts'
import { storeSegment } from './store-segment.ts'
import { createHash, type Hash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { QUICK } from '../zstd.ts'

/** The maximum growth of incompressible data. */
const COMPRESSED = 1.01

interface Snapshot extends Pick<SnapshotHeader, 'number' | 'previous' | 'time'> {
  readonly series: string
  readonly held: HeldDatabase
}

async function* hashed(chunks: AsyncIterable<Buffer>, sum: Hash): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of chunks) {
    sum.update(chunk)
    yield chunk
  }
}

/** Copies the database and then the header, which completes the snapshot. Always releases the database. */
async function storeSnapshot(
  destination: Destination,
  { series, held, number, previous, time }: Snapshot,
): Promise<void> {
  const name = snapshotName(series, number, time)
  const sum = createHash('sha256')
  const compressing = createZstdCompress(QUICK)
  // NOTE: the destination gets the errors while it reads; if it fails before reading, nothing else handles them.
  compressing.on('error', () => undefined)
  const reading = pipeline(hashed(held.read(), sum), compressing).catch(() => undefined)
  try {
    await destination.putStream(pagesOfSnapshot(name), compressing, held.size * COMPRESSED)
  } finally {
    compressing.destroy()
    await reading
    held.release()
  }
  const header: SnapshotHeader = { format: 1, number, previous, time, size: held.size, sha256: sum.digest('hex') }
  await destination.put(name, seal(header).data)
}

/** The number of frames in the log at which it is checkpointed, like SQLite's default. */
const CHECKPOINT_FRAMES = 1000
const START: LogPosition = { salt: '', frame: 0, sum: '' }

export interface DatabaseCopierDeps {
  readonly log: DatabaseLog
  readonly destination: Destination
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn' | 'info'>
  readonly databaseFile: string
  /** The file that stores the position between two starts. */
  readonly bookmarkFile: string
  readonly snapshotIntervalMs: number
  /** The maximum size of the log, in bytes, while it cannot be copied. */
  readonly maxLogBytes: number
}

/** The part of the log that was read and is not stored yet. */
interface Pending {
  readonly part: LogPart
  readonly since: number
  readonly until: number
}

/** The position of a copy. */
export interface CopyPosition {
  readonly series: string
  /** The number of the next segment. */
  readonly number: number
  /** The number of a snapshot that is being copied. */
  readonly snapshot: number | undefined
}

/**
 * Copies the commits of an SQLite database. Only this class checkpoints the log, and only frames that it has read. When
 * the log does not continue at the last copy, a new series begins with a snapshot.
 */
export class DatabaseCopier {
  readonly #deps: DatabaseCopierDeps
  #series: Bookmark | undefined
  #hasLooked = false
  /** The position up to which the log was read. */
  #position = START
  /** The log is checkpointed up to the position: the next commit may restart it. */
  #restarts = false
  #pending: Pending | undefined
  #snapshot: Promise<void> | undefined
  #snapshotNumber: number | undefined
  #snapshotError: unknown
  #ending: HeldDatabase | undefined
  #isMarkDue = false
  #isClosing = false
  /** The name of the next series. */
  #name = ''
  #copiedUntil = 0
  #coveredUntil = 0

  constructor(deps: DatabaseCopierDeps) {
    this.#deps = deps
  }

  /** Epoch milliseconds: all commits before this time can be restored. 0 before the first copy. */
  get coveredUntil(): number {
    return this.#coveredUntil
  }

  /** Undefined before the first series. */
  get position(): CopyPosition | undefined {
    return this.#series && { series: this.#series.series, number: this.#series.number, snapshot: this.#snapshotNumber }
  }

  /** Copies new commits; returns true when there are more. Throws when the destination is unavailable. */
  async copy(): Promise<boolean> {
    try {
      this.#throwSnapshotError()
      if (!this.#hasLooked) await this.#look()
      return this.#series === undefined ? await this.#beginSeries() : await this.#copySome(this.#series)
    } catch (error) {
      if (isDomainError(error, 'conflict')) this.#forget()
      await this.#boundLog()
      throw error
    }
  }

  /** Resolves when no snapshot is being copied. */
  async settle(): Promise<void> {
    await this.#snapshot
  }

  /** Copies the remaining commits and writes the bookmark, so that the next start continues the series. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#ending?.release()
    await this.#snapshot
    this.#snapshotError = undefined
    while (this.#series !== undefined && (await this.copy()));
    if (this.#series === undefined || this.#series.snapshotAt === 0) return
    if (!(await this.#checkpoint(false)) || this.#pending !== undefined) return
    const closed = await fileSignature(this.#deps.databaseFile)
    await writeBookmark(this.#deps.bookmarkFile, { ...this.#series, closed })
  }

  async #look(): Promise<void> {
    this.#series = await readBookmark(this.#deps)
    this.#hasLooked = true
    if (this.#series === undefined) return
    this.#position = this.#series.position
    this.#restarts = this.#series.restarts
    this.#series = { ...this.#series, closed: '' }
  }

  async #copySome(series: Bookmark): Promise<boolean> {
    await this.#storePending()
    const since = this.#deps.clock.now()
    const remaining = this.#read()
    if (remaining === undefined) {
      this.#deps.logger.warn(
        { series: series.series },
        'the log does not continue at the last copy: starting a new series',
      )
      this.#abandon()
      return true
    }
    await this.#storePending()
    if (remaining > 0) return true
    this.#cover(since)
    if (this.#isMarkDue) await this.#mark()
    await this.#checkpointWhenDue()
    return false
  }

  /** Reads the next part; returns the number of frames after it, undefined when the log does not continue. */
  #read(): number | undefined {
    const since = this.#deps.clock.now()
    const reading = readLog(this.#deps.log, this.#position, this.#restarts)
    if (reading?.part === undefined) return reading?.remaining
    this.#pending = { part: reading.part, since, until: this.#deps.clock.now() }
    this.#position = reading.part.to
    this.#restarts = false
    return reading.remaining
  }

  async #storePending(): Promise<void> {
    if (this.#pending === undefined || this.#series === undefined) return
    const { series, number, previous } = this.#series
    const stored = await storeSegment(this.#deps.destination, { ...this.#pending, series, number, previous })
    this.#series = { ...this.#series, number: number + 1, previous: stored.hash, name: stored.name }
    this.#cover(this.#pending.since)
    this.#pending = undefined
    await this.#mark()
  }

  /** NOTE: a series without a snapshot cannot be restored, so no bookmark refers to it. */
  async #mark(): Promise<void> {
    if (this.#series === undefined || this.#series.snapshotAt === 0) return
    this.#series = { ...this.#series, position: this.#position, restarts: this.#restarts }
    this.#isMarkDue = false
    await writeBookmark(this.#deps.bookmarkFile, this.#series)
  }

  async #checkpointWhenDue(): Promise<void> {
    if (this.#snapshot !== undefined) return
    const { log, clock, snapshotIntervalMs } = this.#deps
    const isSnapshotDue = !this.#isClosing && clock.now() - this.#series!.snapshotAt >= snapshotIntervalMs
    const isLong = (log.state()?.frames ?? 0) >= CHECKPOINT_FRAMES && !this.#restarts
    if (isSnapshotDue || isLong) await this.#checkpoint(isSnapshotDue)
  }

  /** Reads the rest of the log and checkpoints it; returns true when the whole log is checkpointed. */
  async #checkpoint(withSnapshot: boolean): Promise<boolean> {
    let held: HeldDatabase | undefined
    const frames = await this.#deps.log.checkpoint(
      () => this.#read() === 0,
      withSnapshot ? (database) => (held = database) : undefined,
    )
    if (frames !== undefined) this.#restarts = true
    const time = this.#deps.clock.now()
    try {
      await this.#storePending()
      await this.#mark()
    } catch (error) {
      held?.release()
      throw error
    }
    if (held !== undefined) this.#startSnapshot(held, time)
    return frames !== undefined
  }

  async #beginSeries(): Promise<boolean> {
    const { log, destination, clock } = this.#deps
    this.#name ||= `${fileTime(clock.now())}-${randomHex(4)}`
    const series = this.#name
    // NOTE: when the destination is unavailable, this fails before any caller waits for the snapshot.
    await destination.put(`${DATABASE}${series}/series.json`, seal({ format: 1, begun_at: clock.now() }).data)
    let held: HeldDatabase | undefined
    let position = START
    await log.checkpoint(
      () => true,
      (database) => {
        held = database
        const state = log.state()
        if (state !== undefined && state.frames > 0)
          position = { salt: state.salt, frame: state.frames, sum: state.sum }
      },
    )
    if (held === undefined) return false
    this.#name = ''
    this.#position = position
    this.#restarts = true
    this.#series = { series, number: 1, previous: '', name: '', snapshotAt: 0, position, restarts: true, closed: '' }
    this.#startSnapshot(held, clock.now())
    return false
  }

  #startSnapshot(held: HeldDatabase, time: number): void {
    const { destination, logger } = this.#deps
    const { series, number, previous } = this.#series!
    this.#ending = held
    this.#snapshotNumber = number
    this.#snapshot = storeSnapshot(destination, { series, held, number, previous, time })
      .then(() => {
        logger.info({ series, bytes: held.size }, 'stored a snapshot of the database')
        if (this.#series?.series !== series) return
        this.#series = { ...this.#series, snapshotAt: time }
        this.#cover(this.#copiedUntil)
        this.#isMarkDue = true
      })
      .catch((error: unknown) => {
        this.#snapshotError = error
        if (this.#series?.snapshotAt === 0) this.#abandon()
      })
      .finally(() => {
        this.#snapshot = undefined
        this.#snapshotNumber = undefined
        this.#ending = undefined
      })
  }

  #throwSnapshotError(): void {
    const error = this.#snapshotError
    this.#snapshotError = undefined
    if (error !== undefined) throw error
  }

  #cover(time: number): void {
    this.#copiedUntil = Math.max(time, this.#copiedUntil)
    if (this.#series !== undefined && this.#series.snapshotAt > 0) this.#coveredUntil = this.#copiedUntil
  }

  #abandon(): void {
    this.#series = undefined
    this.#pending = undefined
  }

  /** NOTE: another process may have continued the series while it owned the destination. */
  #forget(): void {
    this.#abandon()
    this.#hasLooked = false
  }

  /** Limits the size of the log while nothing can be copied. */
  async #boundLog(): Promise<void> {
    const state = this.#deps.log.state()
    if (state === undefined || this.#snapshot !== undefined) return
    const isOfNoUse = this.#hasLooked && this.#series === undefined
    const limit = isOfNoUse ? CHECKPOINT_FRAMES : this.#deps.maxLogBytes / state.pageSize
    if (state.frames < limit) return
    if (!isOfNoUse)
      this.#deps.logger.warn({ frames: state.frames }, 'the log has reached its maximum size: starting a new series')
    this.#hasLooked = true
    this.#abandon()
    await this.#deps.log.checkpoint(() => true)
  }
}
