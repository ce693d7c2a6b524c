import { LRUCache } from 'lru-cache'
import type { Key, Subkey } from 'openpgp'
import { sha256Hex } from '../crypto/crypto.ts'
import { armoredBlocks } from './armor.ts'
import { type Library, loadOpenPgp, PgpError } from './library.ts'

/** Clocks differ; signatures dated more than a day ahead are rejected. */
const CLOCK_SKEW = 24 * 60 * 60 * 1000
const MAX_TEXT = 64 * 1024
const MAX_SIGNATURES = 8

const parsedKeys = new LRUCache<string, Promise<Key>>({ max: 64 })

/**
 * Ids of the keys that made a detached signature, 16 upper-case hex digits each. Throws PgpError for any other text.
 */
export async function readSignatureKeyIds(armored: string): Promise<string[]> {
  const { packets } = await parse(await loadOpenPgp(), armored)
  return [...new Set(packets.map((packet) => packet.issuerKeyID.toHex().toUpperCase()))]
}

export interface DetachedSignature {
  /** The key as it was stored. */
  readonly armoredKey: string
  readonly armoredSignature: string
  readonly data: Uint8Array
}

/**
 * True when one of the signatures was made over the data by the key or its subkey at a time when that was allowed to
 * sign.
 */
export async function verifyPgpSignature(
  { armoredKey, armoredSignature, data }: DetachedSignature,
  now: number,
): Promise<boolean> {
  const library = await loadOpenPgp()
  const key = await storedKey(library, armoredKey)
  const { packets } = await parse(library, armoredSignature)
  const message = await library.createMessage({ binary: Buffer.from(data) })
  const [literal] = message.packets
  for (const packet of packets) {
    const { issuerKeyID, signatureType, created } = packet
    if (signatureType !== library.enums.signature.binary && signatureType !== library.enums.signature.text) continue
    const signer = created && (await signingKey(key, issuerKeyID, { created, now: new Date(now) }))
    if (signer === undefined || signer === null) continue
    const isGood = await packet
      .verify(signer.keyPacket, signatureType, literal!, new Date(now + CLOCK_SKEW), true)
      .then(
        () => true,
        () => false,
      )
    if (isGood) return true
  }
  return false
}

/**
 * NOTE: a key whose expiry was changed has a self-signature younger than its earlier signatures: at their time it would
 * not be valid yet, so it is checked for the present time too.
 */
async function signingKey(
  key: Key,
  id: Parameters<Key['getSigningKey']>[0],
  { created, now }: { created: Date; now: Date },
): Promise<Key | Subkey | undefined> {
  for (const date of [created, now]) {
    const found = await key.getSigningKey(id, date).catch(() => undefined)
    if (found !== undefined && found.getCreationTime() <= created) return found
  }
  return undefined
}

function storedKey({ readKey }: Library, armoredKey: string): Promise<Key> {
  const name = sha256Hex(armoredKey)
  const known = parsedKeys.get(name) ?? readKey({ armoredKey })
  parsedKeys.set(name, known)
  return known
}

async function parse({ readSignature }: Library, text: string) {
  const [armoredSignature] = armoredBlocks(text, 'SIGNATURE', MAX_TEXT)
  try {
    const signature = await readSignature({ armoredSignature: armoredSignature! })
    if (signature.packets.length === 0 || signature.packets.length > MAX_SIGNATURES)
      throw new PgpError('not one signature')
    return signature
  } catch {
    throw new PgpError('not a signature')
  }
}
