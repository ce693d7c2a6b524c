import type { Connection } from 'ssh2'
import { framed } from '../../../core/platform/ssh/signature.ts'

/** What clients may sign with. DSA and RSA with SHA-1 are refused, so that clients do not try them. */
const SIGNATURE_ALGORITHMS = [
  'ssh-ed25519',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
]
const EXT_INFO = 7

/** The part of the library's connection that this file reaches into (ssh2 1.17, pinned). */
interface Internals {
  readonly _protocol: {
    _onHandshakeComplete(...negotiated: unknown[]): void
    readonly _kex: { remoteExtInfoEnabled: boolean }
    readonly _packetRW: {
      readonly write: { readonly allocStart: number; alloc(length: number): Buffer; finalize(packet: Buffer): Buffer }
    }
    readonly _cipher: { encrypt(packet: Buffer): void }
  }
}

/**
 * Announces the signature algorithms to a client (RFC 8308 §3.1) in place of the library, whose list lacks a comma, so
 * that clients which sign with rsa-sha2-512 alone found no algorithm. Called before the key exchange.
 */
export function announceSignatureAlgorithms(connection: Connection): void {
  const { _protocol: protocol } = connection as unknown as Internals
  const complete = protocol._onHandshakeComplete
  protocol._onHandshakeComplete = (...negotiated) => {
    if (protocol._kex.remoteExtInfoEnabled) {
      protocol._kex.remoteExtInfoEnabled = false
      sendExtensions(protocol)
    }
    protocol._onHandshakeComplete = complete
    complete(...negotiated)
  }
}

function sendExtensions({ _packetRW: { write }, _cipher: cipher }: Internals['_protocol']): void {
  const payload = Buffer.concat([
    Buffer.of(EXT_INFO, 0, 0, 0, 1),
    framed('server-sig-algs'),
    framed(SIGNATURE_ALGORITHMS.join(',')),
  ])
  const packet = write.alloc(payload.length)
  packet.set(payload, write.allocStart)
  cipher.encrypt(write.finalize(packet))
}
