import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sameSecret } from '../../../../core/platform/crypto/crypto.ts'

/** Fields of a request by name; the first value of each. */
export type Fields = Readonly<Record<string, string>>

/** The fields of an urlencoded, multipart or JSON body, which was already read; none for other types. */
export async function readFields(request: FastifyRequest): Promise<Fields> {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const type = request.headers['content-type'] ?? ''
  if (type.includes('json')) return fromJson(body.toString('utf8'))
  if (type.includes('multipart/form-data')) return fromEntries(await multipart(body, type))
  return fromEntries(new URLSearchParams(body.toString('utf8')))
}

export const queryFields = (request: FastifyRequest): Fields =>
  fromEntries(new URLSearchParams(request.url.split(/\?(.*)/s)[1] ?? ''))

/**
 * NOTE: the parser of the platform is loaded at its first use, because browsers send forms without files in another
 * encoding.
 */
async function multipart(body: Buffer, type: string): Promise<Iterable<[string, unknown]>> {
  try {
    return (await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()).entries()
  } catch {
    return []
  }
}

function fromJson(text: string): Fields {
  try {
    const value = JSON.parse(text) as unknown
    return value === null || typeof value !== 'object' ? {} : fromEntries(Object.entries(value))
  } catch {
    return {}
  }
}

function fromEntries(entries: Iterable<[string, unknown]>): Fields {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [name, value] of entries) if (typeof value === 'string') fields[name] ??= value
  return fields
}

/**
 * The token that a form of this browser must contain, derived from a cookie that other sites can neither read nor set.
 */
export const formToken = (cookie: string): string => createHash('sha256').update(`form ${cookie}`).digest('base64url')

/** Whether a page of this server sent the form to this browser: checks the form token, Sec-Fetch-Site and Origin. */
export function isOwnForm(
  request: FastifyRequest,
  { cookie, fields, rootUrl }: { readonly cookie: string; readonly fields: Fields; readonly rootUrl: string },
): boolean {
  if (cookie === '' || !sameSecret(fields['form_token'] ?? '', formToken(cookie))) return false
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  const { origin } = request.headers
  return (
    origin === undefined || origin === new URL(rootUrl).origin || origin === `${request.protocol}://${request.host}`
  )
}
