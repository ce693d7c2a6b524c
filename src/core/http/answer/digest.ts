import { hash } from 'node:crypto'

export const digestOf = (content: string | Uint8Array): string => hash('sha1', content, 'base64url')

/** The weak tag of an answer by its digest and total (RFC 9110 §8.8.3). */
export const tagOf = (digest: string, total?: number): string =>
  `W/"${digest}${total === undefined ? '' : `.${total}`}"`
