import { Readable } from 'node:stream'
import { createPauses } from '../../platform/concurrency/pauses.ts'
import { type Answer, bytes } from './answer.ts'
import { JsonBytes } from './json-text.ts'

/** An answer that contains more bytes of files is sent as a stream: one text of it would take the thread for long. */
export const MAX_BUFFERED_BYTES = 4 * 1024 * 1024

const HEADERS = {
  'content-type': 'application/json;charset=utf-8',
  'cache-control': 'max-age=0, private, must-revalidate, no-transform',
}

type Items = AsyncIterable<unknown> | Iterable<unknown>

/** A JSON list, written item by item at the pace of the client. */
export const streamedList = (items: Items, status = 200): Answer => streamed(texts('[', items, ']\n'), status)

/** A JSON object whose first member is a list, written like `streamedList`. */
export const streamedObject = (name: string, items: Items, others: object, status = 200): Answer =>
  streamed(texts(`{${JSON.stringify(name)}:[`, items, `],${JSON.stringify(others).slice(1)}\n`), status)

const PIECE_LENGTH = 65_536

/**
 * A list of thousands of items, written with pauses. Unlike a streamed one it has a length and a tag, and can be kept.
 */
export async function longList<T>(
  items: readonly T[],
  present: (item: T) => unknown,
  [before, after]: readonly [before: string, after: string] = ['[', ']'],
): Promise<JsonBytes> {
  const pieces: Buffer[] = []
  let text = before
  const pause = createPauses()
  for (const [index, item] of items.entries()) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(present(item))}`
    if (text.length < PIECE_LENGTH) continue
    pieces.push(Buffer.from(text))
    text = ''
    await pause()
  }
  return new JsonBytes(Buffer.concat([...pieces, Buffer.from(`${text}${after}\n`)]))
}

const streamed = (parts: AsyncGenerator<Buffer, void, undefined>, status: number): Answer =>
  bytes(Readable.from(parts, { objectMode: false }), HEADERS, status)

async function* texts(before: string, items: Items, after: string): AsyncGenerator<Buffer, void, undefined> {
  const pause = createPauses()
  let separator = before
  for await (const item of items) {
    yield Buffer.from(separator + JSON.stringify(item))
    separator = ','
    await pause()
  }
  yield Buffer.from(separator === before ? before + after : after)
}
