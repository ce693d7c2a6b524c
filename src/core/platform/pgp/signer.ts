import { loadOpenPgp, PgpError } from './library.ts'

export interface PgpSigner {
  /** Of the key and its subkeys, 16 upper-case hex digits each. */
  readonly keyIds: readonly string[]
  readonly armoredPublicKey: string
  /** A detached armored signature. */
  sign(data: Uint8Array): Promise<string>
}

/** From an armored private key. Throws PgpError. */
export async function loadPgpSigner(armoredKey: string, passphrase: string): Promise<PgpSigner> {
  const { createMessage, decryptKey, readPrivateKey, sign } = await loadOpenPgp()
  try {
    const read = await readPrivateKey({ armoredKey })
    const privateKey = read.isDecrypted() ? read : await decryptKey({ privateKey: read, passphrase })
    return {
      keyIds: privateKey.getKeyIDs().map((id) => id.toHex().toUpperCase()),
      armoredPublicKey: privateKey.toPublic().armor(),
      sign: async (data) =>
        sign({ message: await createMessage({ binary: Buffer.from(data) }), signingKeys: privateKey, detached: true }),
    }
  } catch (error) {
    throw new PgpError(error instanceof Error ? error.message : 'the key cannot be read')
  }
}
