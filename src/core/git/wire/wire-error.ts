/**
 * Why a transfer ended early. `protocol`: the client violated the protocol; `aborted`: the client disconnected;
 * `timeout`: no byte was sent or received for too long; `refused`: git refused, and the client has received its
 * message; `too-large`: an answer outgrew its cache; `failed`: git or the disk failed.
 */
export type WireErrorKind = 'protocol' | 'aborted' | 'timeout' | 'refused' | 'too-large' | 'failed'

export class WireError extends Error {
  readonly kind: WireErrorKind

  constructor(kind: WireErrorKind, message: string) {
    super(message)
    this.name = 'WireError'
    this.kind = kind
  }
}

export const protocolError = (message: string): WireError => new WireError('protocol', message)
