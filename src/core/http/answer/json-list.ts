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
  const list = new GrowingBytes()
  let text = before
  const pause = createPauses()
  for (const [index, item] of items.entries()) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(present(item))}`
    if (text.length < PIECE_LENGTH) continue
    list.append(text, (items.length / (index + 1)) * EXPECTED)
    text = ''
    await pause()
  }
  list.append(`${text}${after}\n`, 1)
  return new JsonBytes(list.bytes())
}

/** Of the length that the items so far let expect: the others may be longer. */
const EXPECTED = 1.1
/** The first item may be much longer than the others. */
const MAX_RESERVED_BYTES = 64 * 1024 * 1024

/**
 * Bytes in one block that texts are appended to: pieces that are put together at the end would take twice the memory.
 * What is reserved beyond them is never touched, so the system gives no memory for it.
 */
class GrowingBytes {
  #block = Buffer.alloc(0)
  #length = 0

  /** `times`: how many times as long as after this text it is likely to become. */
  append(text: string, times: number): void {
    const length = this.#length + Buffer.byteLength(text)
    if (length > this.#block.length) {
      const larger = Buffer.allocUnsafeSlow(length + Math.min(Math.ceil(length * (times - 1)), MAX_RESERVED_BYTES))
      this.#block.copy(larger, 0, 0, this.#length)
      this.#block = larger
    }
    this.#block.write(text, this.#length)
    this.#length = length
  }

  bytes(): Buffer {
    return this.#block.subarray(0, this.#length)
  }
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
