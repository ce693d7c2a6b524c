import type * as OpenPgp from 'openpgp'

export type Library = typeof OpenPgp

let loading: Promise<Library> | undefined

/** NOTE: the library is large and most servers see few keys: it is loaded with the first. */
export const loadOpenPgp = (): Promise<Library> => (loading ??= import('openpgp'))

/** The input is not a key or signature; `message` is a phrase for the user who sent it. */
export class PgpError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'PgpError'
  }
}
