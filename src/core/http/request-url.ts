import type { FastifyInstance } from 'fastify'
import { invalid, notFound } from '../platform/errors.ts'

/** Characters of a request's path and query. */
const URL_LENGTH = 8192
const QUERY_PARAMETERS = 200

/** Removes the host from the request line, as sent to a proxy. */
export function withoutHost({ url = '' }: { readonly url?: string | undefined }): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')
}

/** The path as it was sent, without the query, which may contain secrets: for the log. */
export const pathOf = ({ url }: { readonly url: string }): string => url.split('?', 1)[0]!

/**
 * Refuses requests by their URL alone: too long ones, queries with too many parameters, and NUL characters, which no
 * name has and at which databases and programs end texts.
 */
export function checkUrls(app: FastifyInstance): void {
  app.addHook('onRequest', ({ url }, _, done) => done(refusalOf(url)))
}

function refusalOf(url: string): Error | undefined {
  if (url.length > URL_LENGTH)
    return Object.assign(new Error(`the URL is longer than ${URL_LENGTH} characters`), { statusCode: 414 })
  const query = url.search(/\?|$/)
  if (url.split('&', QUERY_PARAMETERS + 1).length > QUERY_PARAMETERS)
    return invalid(`[]: the query has more than ${QUERY_PARAMETERS} parameters`)
  const nul = url.indexOf('%00')
  if (nul < 0) return undefined
  return nul < query ? notFound('a path has no NUL') : invalid('[]: the query has a NUL character')
}
