import type { Core } from '../../../../core/module.ts'
import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPair,
  randomBytes,
  type KeyObject,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { SealedColumns } from '../../../../core/db/sealed-columns.ts'
import { randomBase32 } from '../../../../core/platform/crypto/crypto.ts'
import type { SecretBox } from '../../../../core/platform/crypto/secret-box.ts'
import { deleteSigningKey, findSigningKey, insertSigningKey, type SigningKeyRow } from './signing-key.store.ts'

/** The supported algorithms for signing OAuth2 tokens (RFC 7518 §3.1, RFC 8037 §3.1). */
export type SigningAlgorithm =
  'HS256' | 'HS384' | 'HS512' | 'RS256' | 'RS384' | 'RS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA'

/** Whether one secret both signs and verifies. */
export const isSymmetric = (algorithm: SigningAlgorithm): boolean => algorithm.startsWith('HS')

/** A JSON Web Key (RFC 7517) for verification by clients; its members depend on `kty`. */
export type PublicKey = Readonly<Record<string, string>>

export interface SigningKey {
  readonly id: string
  readonly signing: KeyObject
  readonly verifying: KeyObject
  /** Undefined for a symmetric key, which must not leave the server. */
  readonly publicKey: PublicKey | undefined
}

export interface SigningKeyDeps extends Pick<Core, 'database' | 'clock' | 'secrets'> {
  readonly algorithm: SigningAlgorithm
}

const PURPOSE = 'oauth2'
const CONTEXT = 'signing_key.private_key:oauth2'

export const sealedSigningKeyColumns: SealedColumns = {
  table: 'signing_key',
  key: 'purpose',
  contexts: { private_key: () => CONTEXT },
}
const KEY_ID_BYTES = 16
const RSA_BITS = 2048
/** Length of an HMAC secret: that of the output of the largest hash (RFC 7518 §3.2). */
const SECRET_BYTES = 64
const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }
const generate = promisify(generateKeyPair)

/**
 * The key that signs OAuth2 tokens. It is generated at the first use, shared by all processes on the database, and
 * encrypted at rest. A change of the algorithm replaces the key, which invalidates all earlier tokens.
 */
export function createSigningKey(deps: SigningKeyDeps): () => Promise<SigningKey> {
  let loaded: Promise<SigningKey> | undefined
  return () =>
    (loaded ??= load(deps).catch((error: unknown) => {
      loaded = undefined
      throw error
    }))
}

async function load({ database, clock, secrets, algorithm }: SigningKeyDeps): Promise<SigningKey> {
  const stored = await findSigningKey(database.read, PURPOSE)
  const opened = stored && tryOpen(stored, secrets, algorithm)
  if (opened !== undefined) return opened
  const id = randomBase32(KEY_ID_BYTES)
  const { text, members } = await makeKey(algorithm)
  const row = {
    purpose: PURPOSE,
    key_id: id,
    private_key: secrets.seal(text, CONTEXT),
    public_key: JSON.stringify({ ...members, alg: algorithm, use: 'sig', kid: id }),
    created_at: clock.now(),
  }
  return database.transaction(async (tx) => {
    if (stored !== undefined) await deleteSigningKey(tx, stored)
    await insertSigningKey(tx, row)
    const kept = (await findSigningKey(tx, PURPOSE))!
    if (algorithmOf(kept) !== algorithm)
      throw new Error(
        `another process signs OAuth2 tokens with ${algorithmOf(kept)}: processes on one database need the same oauth2.jwt_signing_algorithm`,
      )
    return open(kept, secrets)
  })
}

interface MadeKey {
  /** The private part in the form that is encrypted. */
  readonly text: string
  readonly members: PublicKey
}

async function makeKey(algorithm: SigningAlgorithm): Promise<MadeKey> {
  if (isSymmetric(algorithm)) return { text: randomBytes(SECRET_BYTES).toString('base64'), members: { kty: 'oct' } }
  const { privateKey, publicKey } = await makePair(algorithm)
  return {
    text: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    members: publicKey.export({ format: 'jwk' }) as PublicKey,
  }
}

function makePair(algorithm: SigningAlgorithm): Promise<{ privateKey: KeyObject; publicKey: KeyObject }> {
  const curve = CURVES[algorithm]
  if (curve !== undefined) return generate('ec', { namedCurve: curve })
  return algorithm === 'EdDSA' ? generate('ed25519') : generate('rsa', { modulusLength: RSA_BITS })
}

const algorithmOf = (row: SigningKeyRow): string => (JSON.parse(row.public_key) as PublicKey)['alg'] ?? ''

/**
 * NOTE: undefined when the server's secret has changed since the key was generated. The key is then lost, and a new one
 * invalidates all tokens.
 */
function tryOpen(row: SigningKeyRow, secrets: SecretBox, algorithm: SigningAlgorithm): SigningKey | undefined {
  if (algorithmOf(row) !== algorithm) return undefined
  try {
    return open(row, secrets)
  } catch {
    return undefined
  }
}

function open(row: SigningKeyRow, secrets: SecretBox): SigningKey {
  const id = row.key_id
  const publicKey = JSON.parse(row.public_key) as PublicKey
  const text = secrets.open(row.private_key, CONTEXT)
  if (publicKey['kty'] === 'oct') {
    const secret = createSecretKey(Buffer.from(text, 'base64'))
    return { id, signing: secret, verifying: secret, publicKey: undefined }
  }
  return {
    id,
    signing: createPrivateKey(text),
    verifying: createPublicKey({ key: { ...publicKey }, format: 'jwk' }),
    publicKey,
  }
}
