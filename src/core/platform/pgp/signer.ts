import { Readable } from 'node:stream'
import { loadOpenPgp, PgpError } from './library.ts'

export interface PgpSigner {
  /** Ids of the key and its subkeys, 16 upper-case hex digits each. */
  readonly keyIds: readonly string[]
  readonly armoredPublicKey: string
  /** A detached armored signature. */
  sign(data: Uint8Array): Promise<string>
  /** A detached signature without armor. */
  signBinary(data: AsyncIterable<Uint8Array>): Promise<Buffer>
  /** A text with its signature (RFC 9580 §7). */
  signClear(text: string): Promise<string>
}

/** Loads an armored private key. Throws PgpError. */
export async function loadPgpSigner(armoredKey: string, passphrase: string): Promise<PgpSigner> {
  const { createCleartextMessage, createMessage, decryptKey, readPrivateKey, sign } = await loadOpenPgp()
  try {
    const read = await readPrivateKey({ armoredKey })
    const signingKeys = read.isDecrypted() ? read : await decryptKey({ privateKey: read, passphrase })
    return {
      keyIds: signingKeys.getKeyIDs().map((id) => id.toHex().toUpperCase()),
      armoredPublicKey: signingKeys.toPublic().armor(),
      sign: async (data) =>
        sign({ message: await createMessage({ binary: Buffer.from(data) }), signingKeys, detached: true }),
      async signBinary(data) {
        const binary = Readable.toWeb(Readable.from(data)) as ReadableStream<Uint8Array>
        const message = await createMessage({ binary })
        const signature = await sign({ message, signingKeys, detached: true, format: 'binary' })
        return Buffer.concat(await Array.fromAsync(signature as unknown as AsyncIterable<Uint8Array>))
      },
      signClear: async (text) => sign({ message: await createCleartextMessage({ text }), signingKeys }),
    }
  } catch (error) {
    throw new PgpError(error instanceof Error ? error.message : 'the key cannot be read')
  }
}

const RSA_BITS = 3072

/** A new RSA key that signs, which all clients of package registries read; both halves armored. */
export async function createPgpKey(
  name: string,
  now: number,
): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
  const { generateKey } = await loadOpenPgp()
  // If the clock is set back a little, the key must not have a time in the future.
  const date = new Date(now - 60_000)
  return generateKey({ type: 'rsa', rsaBits: RSA_BITS, userIDs: [{ name }], subkeys: [], date, format: 'armored' })
}
