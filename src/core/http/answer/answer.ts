import { Readable } from 'node:stream'
import type { Page } from '../../platform/paging.ts'
import type { FastifyReply } from 'fastify'
import { etagMatches } from '../../platform/http/media-type.ts'
import { hash } from 'node:crypto'
import { createPauses } from '../../platform/concurrency/pauses.ts'
import { RawJson } from './json-cache.ts'

/** The result of a handler as data, not a reply object. */
export interface ApiResponse {
  readonly status: number
  /** Sent as JSON, which a `RawJson` is; a Buffer or stream as it is, with the content type of `headers`. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Lists: rows the caller may see, for X-Total-Count. */
  readonly total?: number
  /** Lists: send the Link header too. */
  readonly link?: boolean
}

export const ok = (body: unknown, headers?: Record<string, string>): ApiResponse =>
  headers ? { status: 200, body, headers } : { status: 200, body }
export const created = (body: unknown): ApiResponse => ({ status: 201, body })
export const accepted = (body: unknown): ApiResponse => ({ status: 202, body })
export const noContent = (): ApiResponse => ({ status: 204 })

/** 200 without a body, which `mirror-sync` alone answers (behaviour/base-interface#endpoints-of-the-base-interface). */
export const empty = (): ApiResponse => ({ status: 200 })

export const text = (body: string, type = 'text/plain;charset=utf-8'): ApiResponse => ({
  status: 200,
  body: Buffer.from(body),
  headers: { 'content-type': type },
})
export const bytes = (body: Buffer | Readable, headers: Record<string, string>, status = 200): ApiResponse => ({
  status,
  body,
  headers,
})

/** A list page: X-Total-Count, and Link unless `link` is false. */
export function listed<T>(
  page: Page<T>,
  items: readonly unknown[] | RawJson = page.items,
  options: { link?: boolean } = {},
): ApiResponse {
  return { status: 200, body: items, total: page.total, link: options.link ?? true }
}

const MAX_LENGTH = 2000
const MAX_NAMED = 20

/** Adds headers that list the ignored parts of the request, for clients that show them to a person. */
export function withWarnings(answer: ApiResponse, warnings: readonly string[]): ApiResponse {
  if (warnings.length === 0) return answer
  const text = warnings
    .join('; ')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, MAX_LENGTH)
  return { ...answer, headers: { ...answer.headers, 'x-ingot-warning': text, 'x-gitea-warning': text } }
}

/**
 * The warning of a member whose values are words of a list; none where all are known. For members whose unknown words
 * clients expect to be accepted.
 */
export function unknownWords(
  member: string,
  words: readonly string[],
  isKnown: (word: string) => boolean,
): readonly string[] {
  const unknown = words.filter((word) => word !== '' && !isKnown(word)).slice(0, MAX_NAMED)
  return unknown.length === 0 ? [] : [`${member}: unknown and ignored: ${unknown.join(', ')}`]
}

/** A weak tag: the same content with the same total, or the same sources, give the same tag (RFC 9110 §8.8.3). */
export const weakTag = (content: string | Uint8Array, total?: number): string =>
  `W/"${hash('sha1', content, 'base64url')}${total === undefined ? '' : `.${total}`}"`

/**
 * Whether the client has the content of this tag, by its If-None-Match header. `*` matches any content, so
 * the response must be created first.
 */
export const clientHas = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*' && etagMatches(ifNoneMatch, etag)

/** Headers by which a client asks for less than the whole answer. */
export interface ConditionalHeaders {
  readonly 'if-none-match'?: string | undefined
  /** The last message of a stream that it has. */
  readonly 'last-event-id'?: string | string[] | undefined
  readonly range?: string | undefined
  readonly 'if-range'?: string | string[] | undefined
}

/** A response with only the tag: the client's copy is still valid. */
export const notModified = (etag: string): ApiResponse => ({ status: 304, headers: { etag } })

const JSON_TYPE = 'application/json;charset=utf-8'
const CACHE = 'max-age=0, private, must-revalidate, no-transform'

/** Writes an answer with the headers every API response has (behaviour/auth-and-access#response-conventions). */
export function send(reply: FastifyReply, answer: ApiResponse): FastifyReply {
  reply.code(answer.status).header('x-content-type-options', 'nosniff').header('x-request-id', reply.request.id)
  if (answer.headers) reply.headers(answer.headers)
  const { body } = answer
  if (body === undefined) return reply.send()
  if (body instanceof Readable || body instanceof Uint8Array) return reply.send(body)
  const bytes = lineOf(body instanceof RawJson ? body.text : JSON.stringify(body))
  if (reply.request.method === 'GET' && answer.status === 200) {
    const etag = answer.headers?.['etag'] ?? weakTag(bytes, answer.total)
    reply.header('etag', etag)
    if (etagMatches(reply.request.headers['if-none-match'], etag))
      return reply.code(304).header('cache-control', CACHE).send()
  }
  return reply.header('content-type', JSON_TYPE).header('cache-control', CACHE).send(bytes)
}

/**
 * Characters. NOTE: Node writes a short text together with the headers in one piece. A long one is converted to bytes
 * once, for the tag, the length and the socket: with a text each would convert it again.
 */
const MAX_TEXT = 8192

const lineOf = (text: string): string | Buffer => (text.length < MAX_TEXT ? `${text}\n` : Buffer.from(`${text}\n`))

/** An answer that contains more bytes of files is sent as a stream: one text of it would take the thread for long. */
export const MAX_BUFFERED_BYTES = 4 * 1024 * 1024

const HEADERS = {
  'content-type': 'application/json;charset=utf-8',
  'cache-control': 'max-age=0, private, must-revalidate, no-transform',
}

/** Longer lists are also sent as streams. */
const MAX_ITEMS_AT_ONCE = 500

/** Characters. */
const PIECE_LENGTH = 65_536

type Items = AsyncIterable<unknown> | Iterable<unknown>

/** A list that may have thousands of items, which are presented one by one. */
export const longList = <T>(items: readonly T[], present: (item: T) => unknown): ApiResponse =>
  items.length > MAX_ITEMS_AT_ONCE ? streamedList(presented(items, present)) : ok(items.map(present))

/** Like longList, as the only member of an object. */
export const longListIn = <T>(name: string, items: readonly T[], present: (item: T) => unknown): ApiResponse =>
  items.length > MAX_ITEMS_AT_ONCE
    ? streamed(pieces(`{${JSON.stringify(name)}:[`, presented(items, present), ']}\n'), 200)
    : ok({ [name]: items.map(present) })

/** A JSON list, written item by item at the pace of the client. */
export const streamedList = (items: Items): ApiResponse => streamed(pieces('[', items, ']\n'), 200)

/** A JSON object whose first member is a list, written like `streamedList`. `others` has at least one member. */
export const streamedObject = (name: string, items: Items, others: object, status: number): ApiResponse =>
  streamed(pieces(`{${JSON.stringify(name)}:[`, items, `],${JSON.stringify(others).slice(1)}\n`), status)

function* presented<T>(items: readonly T[], present: (item: T) => unknown): Generator<unknown> {
  for (const item of items) yield present(item)
}

const streamed = (parts: AsyncGenerator<Buffer, void, undefined>, status: number): ApiResponse =>
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
