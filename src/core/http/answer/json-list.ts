import { Readable } from 'node:stream'
import { createPauses } from '../../platform/concurrency/pauses.ts'
import { type Answer, bytes, ok } from './answer.ts'

/** An answer that contains more bytes of files is sent as a stream: one text of it would take the thread for long. */
export const MAX_BUFFERED_BYTES = 4 * 1024 * 1024

const HEADERS = {
  'content-type': 'application/json;charset=utf-8',
  'cache-control': 'max-age=0, private, must-revalidate, no-transform',
}

/** Longer lists are sent as streams too. */
const MAX_ITEMS_AT_ONCE = 500

/** Characters. */
const PIECE_LENGTH = 65_536

type Items = AsyncIterable<unknown> | Iterable<unknown>

/** A list that may have thousands of items, which are presented one by one. */
export const longList = <T>(items: readonly T[], present: (item: T) => unknown): Answer =>
  items.length > MAX_ITEMS_AT_ONCE ? streamedList(presented(items, present)) : ok(items.map(present))

/** The same as the only member of an object. */
export const longListIn = <T>(name: string, items: readonly T[], present: (item: T) => unknown): Answer =>
  items.length > MAX_ITEMS_AT_ONCE
    ? streamed(pieces(`{${JSON.stringify(name)}:[`, presented(items, present), ']}\n'), 200)
    : ok({ [name]: items.map(present) })

/** A JSON list, written item by item at the pace of the client. */
export const streamedList = (items: Items, status = 200): Answer => streamed(pieces('[', items, ']\n'), status)

/** A JSON object whose first member is a list, written like `streamedList`. `others` has at least one member. */
export const streamedObject = (name: string, items: Items, others: object, status = 200): Answer =>
  streamed(pieces(`{${JSON.stringify(name)}:[`, items, `],${JSON.stringify(others).slice(1)}\n`), status)

function* presented<T>(items: readonly T[], present: (item: T) => unknown): Generator<unknown> {
  for (const item of items) yield present(item)
}

const streamed = (parts: AsyncGenerator<Buffer, void, undefined>, status: number): Answer =>
  bytes(Readable.from(parts, { objectMode: false }), HEADERS, status)

async function* pieces(before: string, items: Items, after: string): AsyncGenerator<Buffer, void, undefined> {
  const pause = createPauses()
  let [text, separator] = [before, '']
  for await (const item of items) {
    text += separator + JSON.stringify(item)
    separator = ','
    if (text.length >= PIECE_LENGTH) {
      yield Buffer.from(text)
      text = ''
    }
    await pause()
  }
  yield Buffer.from(text + after)
}
