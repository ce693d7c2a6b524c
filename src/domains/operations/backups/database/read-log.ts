import type { DatabaseLog, LogState } from '../../../../core/db/dialect/dialect.ts'
import type { LogPosition } from './layout.ts'

/** The commits after a position: the last state of each page. */
export interface LogPart {
  readonly from: LogPosition
  readonly to: LogPosition
  readonly pages: ReadonlyMap<number, Buffer>
  readonly pagesAfter: number
  readonly pageSize: number
}

interface LogReading {
  /** Undefined when there are no new commits. */
  readonly part: LogPart | undefined
  /** Committed frames after the part. */
  readonly remaining: number
}

/** A part ends with the first transaction that exceeds this number of frames (16 MB). */
const MAX_FRAMES = 4096

/**
 * Reads the log after a position. `restarts`: the whole log up to the position is checkpointed, so that the next commit
 * may restart the log. Undefined when the log no longer continues at the position, because another process checkpointed
 * it, or a power failure destroyed its end.
 */
export function readLog(log: DatabaseLog, position: LogPosition, restarts: boolean): LogReading | undefined {
  const state = log.state()
  if (state === undefined) return { part: undefined, remaining: 0 }
  const from = findStart(log, state, position, restarts)
  if (from === undefined) return undefined
  const pages = new Map<number, Buffer>()
  let at = from.frame
  let pagesAfter = 0
  let sum = from.sum
  while (at < state.frames && !(at - from.frame >= MAX_FRAMES && pagesAfter > 0)) {
    for (const frame of log.frames(at + 1, state.frames, state.pageSize)) {
      if (frame.salt !== state.salt) return undefined
      pages.set(frame.page, frame.data)
      ;({ pagesAfter, sum } = frame)
      at++
      if (pagesAfter > 0 && at - from.frame >= MAX_FRAMES) break
    }
  }
  if (at === from.frame) return { part: undefined, remaining: 0 }
  if (at === state.frames && sum !== state.sum) return undefined
  const to = { salt: state.salt, frame: at, sum }
  return { part: { from, to, pages, pagesAfter, pageSize: state.pageSize }, remaining: state.frames - at }
}

/** Finds the position in the present log. */
function findStart(
  log: DatabaseLog,
  state: LogState,
  position: LogPosition,
  restarts: boolean,
): LogPosition | undefined {
  const begin = { salt: state.salt, frame: 0, sum: '' }
  if (position.salt === '') return begin
  if (state.salt !== position.salt) return restarts && follows(state.salt, position.salt) ? begin : undefined
  if (state.frames < position.frame) return undefined
  if (position.frame === 0) return position
  const [last] = log.frames(position.frame, position.frame, state.pageSize)
  return last?.salt === position.salt && last.sum === position.sum ? position : undefined
}

/** Whether the salt follows the former one: its first half is incremented when the log restarts. */
const follows = (salt: string, former: string): boolean =>
  Number.parseInt(salt.slice(0, 8), 16) === (Number.parseInt(former.slice(0, 8), 16) + 1) >>> 0
