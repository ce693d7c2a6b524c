import { hash } from 'node:crypto'
import { etagMatches } from '../../platform/http/content.ts'
import type { Answer } from './answer.ts'

/** A weak tag: the same content with the same total, or the same sources, give the same tag (RFC 9110 §8.8.3). */
export const weakTag = (content: string | Uint8Array, total?: number): string =>
  `W/"${hash('sha1', content, 'base64url')}${total === undefined ? '' : `.${total}`}"`

/**
 * Whether the client has what this tag stands for, by its If-None-Match header. `*` says nothing about which one, so
 * the answer must be made first.
 */
export const clientHas = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*' && etagMatches(ifNoneMatch, etag)

/** Headers by which a client asks for less than the whole answer. */
export interface ConditionalHeaders {
  readonly 'if-none-match'?: string | undefined
  /** The last message of a stream that it has. */
  readonly 'last-event-id'?: string | string[] | undefined
  readonly range?: string | undefined
}

/** Nothing but the tag: the client's copy is still good. */
export const notModified = (etag: string): Answer => ({ status: 304, headers: { etag } })
