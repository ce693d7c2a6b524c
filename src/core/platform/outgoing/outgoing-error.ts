/**
 * Why a connection to another server failed. `refused`: the rules do not allow it; `unreachable`: unknown name, no
 * server there, TLS failed; `timeout`; `too-large`: more bytes than requested; `redirects`: too many, or to no HTTP
 * address.
 */
export type OutgoingErrorKind = 'refused' | 'unreachable' | 'timeout' | 'too-large' | 'redirects'

export class OutgoingError extends Error {
  readonly kind: OutgoingErrorKind

  constructor(kind: OutgoingErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OutgoingError'
    this.kind = kind
  }
}

export function isOutgoingError(error: unknown, kind?: OutgoingErrorKind): error is OutgoingError {
  return error instanceof OutgoingError && (kind === undefined || error.kind === kind)
}
