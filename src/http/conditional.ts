import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { etagMatches } from '../platform/http-content.ts'
import type { Answer } from './answer.ts'

/** A weak tag: the same content with the same total, or the same sources, give the same tag (RFC 9110 §8.8.3). */
export const weakTag = (content: string | Uint8Array, total?: number): string =>
  `W/"${hash('sha1', content, 'base64url')}${total === undefined ? '' : `.${total}`}"`

/**
 * True when the client has what this tag stands for. `*` says nothing about which one, so the answer must be made
 * first.
 */
export const clientHas = (request: FastifyRequest, etag: string): boolean => {
  const header = request.headers['if-none-match']
  return header !== undefined && header.trim() !== '*' && etagMatches(header, etag)
}

/** Nothing but the tag: the client's copy is still good. */
export const notModified = (etag: string): Answer => ({ status: 304, headers: { etag } })
