import type { Key, Subkey } from 'openpgp'
import { armoredBlocks } from './armor.ts'
import { type Library, loadOpenPgp, PgpError } from './library.ts'

/** A primary key or a subkey. */
interface PgpComponent {
  /** 16 upper-case hex digits. */
  readonly keyId: string
  /** The bare public key packet with its header, base64. */
  readonly packet: string
  /** The uses that the algorithm supports, whatever the flags of the key. */
  readonly canSign: boolean
  readonly canEncrypt: boolean
  /** Epoch milliseconds; 0: never. */
  readonly expiresAt: number
}

export interface PgpKey extends PgpComponent {
  /** The whole key in armor. */
  readonly armored: string
  /** Lower-case addresses of the identities that the key itself certifies. */
  readonly emails: readonly string[]
  readonly subkeys: readonly PgpComponent[]
}

const MAX_TEXT = 256 * 1024
/** Maximum number of keys in a text, and of subkeys and of identities of a key. Each has a signature to verify. */
const MAX_PARTS = 64
const SIGN_AND_ENCRYPT = new Set([1, 2, 3])
const ENCRYPT_ONLY = new Set([16, 18, 25, 26])

/**
 * Reads the public keys of an armored text; copies of one key are merged. Only identities and subkeys that the primary
 * key signed are kept. Throws PgpError for anything else: it may be hostile, so its size and its number of parts are
 * bounded.
 */
export async function readPgpKeys(text: string, now: number): Promise<PgpKey[]> {
  const library = await loadOpenPgp()
  const keys = new Map<string, Key>()
  for (const block of armoredBlocks(text, 'PUBLIC KEY BLOCK', MAX_TEXT)) {
    for (const key of await readBlock(library, block)) {
      if (key.isPrivate()) throw new PgpError('the provided key is a private key')
      const known = keys.get(key.getFingerprint())
      keys.set(key.getFingerprint(), known ? await merge(known, key, now) : key)
      if (keys.size > MAX_PARTS) throw new PgpError(`more than ${MAX_PARTS} keys`)
    }
  }
  const read: PgpKey[] = []
  for (const key of keys.values()) read.push(await describeKey(key, new Date(now)))
  return read
}

/**
 * One armored block with all the keys. NOTE: gpg 2.2 refuses data that ends without padding unless a checksum follows;
 * version 6 keys must have none (RFC 9580 §6.1).
 */
export async function joinArmoredKeys(armored: readonly string[]): Promise<string> {
  const library = await loadOpenPgp()
  const keys = await Promise.all(armored.map((armoredKey) => library.readKey({ armoredKey })))
  const data = Buffer.concat(keys.map((key) => key.write()))
  const hasChecksum = keys.some((key) => key.keyPacket.version !== 6)
  return library.armor(library.enums.armor.publicKey, data, undefined, undefined, undefined, hasChecksum)
}

async function readBlock({ readKeys }: Library, armoredKeys: string): Promise<Key[]> {
  try {
    return await readKeys({ armoredKeys })
  } catch (error) {
    throw new PgpError(reasonOf(error))
  }
}

async function merge(known: Key, copy: Key, now: number): Promise<Key> {
  try {
    return await known.update(copy, new Date(now))
  } catch (error) {
    throw new PgpError(reasonOf(error))
  }
}

/** The library's own words, in one short line. */
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : 'unreadable').replaceAll(/\s+/g, ' ').slice(0, 200)

async function describeKey(key: Key, now: Date): Promise<PgpKey> {
  if (key.users.length > MAX_PARTS || key.subkeys.length > MAX_PARTS)
    throw new PgpError(`more than ${MAX_PARTS} identities or subkeys`)
  if (await key.isRevoked(undefined, undefined, now).catch(() => false)) throw new PgpError('the key is revoked')
  const emails = new Set<string>()
  for (const user of key.users) {
    const email = user.userID?.email.toLowerCase()
    if (email && (await succeeds(() => user.verify(now)))) emails.add(email)
  }
  const expires = await expiry(() => key.getExpirationTime())
  const subkeys: PgpComponent[] = []
  for (const subkey of key.subkeys) {
    if (await succeeds(() => subkey.verify(now)))
      subkeys.push(describe(subkey, (await expiry(() => subkey.getExpirationTime(now))) || expires))
  }
  return { ...describe(key, expires), armored: key.armor(), emails: [...emails], subkeys }
}

const succeeds = (check: () => Promise<unknown>): Promise<boolean> =>
  check().then(
    () => true,
    () => false,
  )

/** NOTE: the library returns null for a key that is no longer valid; its expiry cannot be read. */
async function expiry(read: () => Promise<Date | number | null>): Promise<number> {
  const time = await read().catch(() => null)
  return time instanceof Date ? time.getTime() : 0
}

function describe(part: Key | Subkey, expiresAt: number): PgpComponent {
  const { keyPacket } = part
  const encryptsOnly = ENCRYPT_ONLY.has(keyPacket.algorithm)
  return {
    keyId: part.getKeyID().toHex().toUpperCase(),
    packet: packetOf(keyPacket.write(), 'mainKey' in part).toString('base64'),
    canSign: !encryptsOnly,
    canEncrypt: encryptsOnly || SIGN_AND_ENCRYPT.has(keyPacket.algorithm),
    expiresAt,
  }
}

/** A packet in the new format with its length in the fewest bytes (RFC 9580 §4.2.1). */
function packetOf(body: Uint8Array, isSubkey: boolean): Buffer {
  const tag = 0xc0 | (isSubkey ? 14 : 6)
  const { length } = body
  if (length < 192) return Buffer.concat([Buffer.of(tag, length), body])
  if (length < 8384) return Buffer.concat([Buffer.of(tag, ((length - 192) >> 8) + 192, (length - 192) & 0xff), body])
  const header = Buffer.of(tag, 0xff, 0, 0, 0, 0)
  header.writeUInt32BE(length, 2)
  return Buffer.concat([header, body])
}
