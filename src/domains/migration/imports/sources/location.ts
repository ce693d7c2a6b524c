import type { SourceLocation } from '../source-location.ts'

/** Owner and name are the last two segments of the path; the segments before are the path of the service. */
export function splitPath({ url }: Pick<SourceLocation, 'url'>): {
  readonly webUrl: string
  readonly owner: string
  readonly name: string
  /** `owner/name` for the path of an address. */
  readonly path: string
} {
  const { origin, pathname } = new URL(url)
  const parts = pathname
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter(Boolean)
    .map(decoded)
  const [owner = '', name = ''] = parts.slice(-2)
  const prefix = parts.slice(0, -2).map(encodeURIComponent).join('/')
  return {
    webUrl: `${origin}${prefix === '' ? '' : `/${prefix}`}`,
    owner,
    name,
    path: `${encodeURIComponent(owner)}/${encodeURIComponent(name)}`,
  }
}

/** Headers of HTTP basic authentication; none without credentials. */
export const basicOf = ({ credentials }: Pick<SourceLocation, 'credentials'>): Record<string, string>[] =>
  credentials === undefined
    ? []
    : [{ authorization: `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}` }]

export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
