import { StringDecoder } from 'node:string_decoder'
import type { BlobStore } from '../../../../core/blobs/index.ts'
import type { Core } from '../../../../core/module.ts'
import { type Feed, type Message, textMessage } from '../../../../core/streams/index.ts'
import { openLog } from './log-files.ts'
import { findLogPart, type LogState, listLogStates, listTasksByIds } from '../runs/task.store.ts'

interface LogStreamDeps extends Pick<Core, 'database' | 'clock'> {
  readonly blobs: Pick<BlobStore, 'open'>
}

/** Milliseconds until new lines are looked for again. */
const INTERVAL_MS = 500
/** Milliseconds without new lines after the end of a task, until its log counts as complete. */
const LAST_LINES_MS = 5000
/** The maximum number of lines, and about the maximum number of characters, of one message. */
const MAX_LINES = 1000
const MAX_TEXT = 64 * 1024

export type LogStreams = ReturnType<typeof createLogStreams>

/** Follows logs of tasks line by line (behaviour/actions#runs-jobs-workflows-tasks-artifacts). */
export function createLogStreams({ database: { read }, clock, blobs }: LogStreamDeps) {
  // NOTE: of this process alone: who follows which task.
  const waiting = new Map<PromiseWithResolvers<LogState | undefined>, number>()
  let timer: NodeJS.Timeout | undefined

  /** One query looks for news of all tasks that are followed in this process. */
  async function poll(): Promise<void> {
    timer = undefined
    const due = [...waiting]
    waiting.clear()
    try {
      const states = await listLogStates(read, [...new Set(due.map(([, id]) => id))])
      for (const [waiter, id] of due) waiter.resolve(states.get(id))
    } catch (error) {
      for (const [waiter] of due) waiter.reject(error)
    }
  }

  /** The next state of a log; undefined if the log no longer exists, and if the signal aborts. */
  async function next(id: number, signal: AbortSignal): Promise<LogState | undefined> {
    if (signal.aborted) return undefined
    const waiter = Promise.withResolvers<LogState | undefined>()
    const stop = (): void => {
      waiting.delete(waiter)
      waiter.resolve(undefined)
    }
    waiting.set(waiter, id)
    signal.addEventListener('abort', stop, { once: true })
    timer ??= setTimeout(() => void poll(), INTERVAL_MS).unref()
    return waiter.promise.finally(() => signal.removeEventListener('abort', stop))
  }

  const isOver = ({ isRunning, isSealed, updatedAt }: LogState): boolean =>
    isSealed || (!isRunning && clock.now() - updatedAt >= LAST_LINES_MS)

  /** The lines in the database, starting at a line. */
  async function* storedLines(id: number, from: number): AsyncGenerator<Message> {
    for (let at = from; ;) {
      const part = await findLogPart(read, id, at)
      const lines = part?.text.split('\n').slice(at - part.firstLine, -1) ?? []
      if (lines.length === 0) return
      yield* inMessages(lines, at)
      at += lines.length
    }
  }

  async function* sealedLines(id: number, from: number): AsyncGenerator<Message> {
    const [task] = await listTasksByIds(read, [id])
    if (task === undefined || task.logHash === '') return
    const text = await openLog({ read, blobs }, task)
    let at = 0
    let lines: string[] = []
    for await (const line of linesOf(text)) {
      if (at++ < from) continue
      lines.push(line)
      if (lines.length < MAX_LINES) continue
      yield* inMessages(lines, at - lines.length)
      lines = []
    }
    yield* inMessages(lines, at - lines.length)
  }

  return {
    /** The log of a task until it is complete. The id of a message is the number of lines that the client has then. */
    follow: (id: number): Feed =>
      async function* (after = 0, signal) {
        let at = after
        const sent = async function* (messages: AsyncIterable<Message>) {
          for await (const message of messages) {
            at = message.id
            yield message
          }
        }
        let state = (await listLogStates(read, [id])).get(id)
        while (state !== undefined) {
          yield* sent(storedLines(id, at))
          if (isOver(state)) break
          state = await next(id, signal)
        }
        // NOTE: lines move from the database into the file in one transaction.
        if (!signal.aborted) yield* sent(sealedLines(id, at))
      },
  }
}

/** NOTE: a line may contain CR. */
async function* linesOf(text: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of text) {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop()!
    yield* lines
  }
}

function* inMessages(lines: readonly string[], first: number): Generator<Message> {
  let batch: string[] = []
  let [at, size] = [first, 0]
  const message = (): Message => {
    const data = { first_line: at, lines: batch }
    at += batch.length
    ;[batch, size] = [[], 0]
    return textMessage(at, JSON.stringify(data))
  }
  for (const line of lines) {
    batch.push(line)
    size += line.length
    if (batch.length === MAX_LINES || size >= MAX_TEXT) yield message()
  }
  if (batch.length > 0) yield message()
}
