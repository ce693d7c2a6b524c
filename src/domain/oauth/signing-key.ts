import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Database } from '../../db/database.ts'
import { deleteSigningKey, findSigningKey, insertSigningKey, type SigningKeyRow } from '../../db/stores/signing-key.store.ts'
import type { Clock } from '../../platform/clock.ts'
import { randomBase32 } from '../../platform/crypto.ts'
import type { SecretBox } from '../../platform/secret-box.ts'

export interface PublicKey {
  readonly kty: string
  readonly n: string
  readonly e: string
  readonly alg: string
  readonly use: string
  readonly kid: string
}

export interface SigningKey {
  readonly id: string
  readonly privateKey: KeyObject
  readonly publicKey: PublicKey
}

export interface SigningKeyDeps {
  readonly database: Database
  readonly clock: Clock
  readonly secrets: SecretBox
}

export const SIGNING_ALGORITHM = 'RS256'
const PURPOSE = 'oauth2'
const CONTEXT = 'signing_key.private_key:oauth2'
const KEY_ID_BYTES = 16
const generate = promisify(generateKeyPair)

/** The key that signs OAuth2 tokens: made at the first need, once for all processes on the database, encrypted at rest. */
export function createSigningKey(deps: SigningKeyDeps): () => Promise<SigningKey> {
  let loaded: Promise<SigningKey> | undefined
  return () => (loaded ??= load(deps).catch((error: unknown) => {
    loaded = undefined
    throw error
  }))
}

async function load({ database, clock, secrets }: SigningKeyDeps): Promise<SigningKey> {
  const known = await findSigningKey(database.read, PURPOSE)
  const opened = known && tryOpen(known, secrets)
  if (opened !== undefined) return opened
  const { privateKey, publicKey } = await generate('rsa', { modulusLength: 2048 })
  const id = randomBase32(KEY_ID_BYTES)
  const { kty, n, e } = publicKey.export({ format: 'jwk' })
  const row = {
    purpose: PURPOSE,
    key_id: id,
    private_key: secrets.seal(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), CONTEXT),
    public_key: JSON.stringify({ kty, n, e, alg: SIGNING_ALGORITHM, use: 'sig', kid: id }),
    created_at: clock.now(),
  }
  return database.transaction(async (tx) => {
    if (known !== undefined) await deleteSigningKey(tx, known)
    await insertSigningKey(tx, row)
    return open((await findSigningKey(tx, PURPOSE))!, secrets)
  })
}

/** NOTE: undefined when the server's secret is another than when the key was made: then the key is lost, and a new one ends all tokens. */
function tryOpen(row: SigningKeyRow, secrets: SecretBox): SigningKey | undefined {
  try {
    return open(row, secrets)
  } catch {
    return undefined
  }
}

function open(row: SigningKeyRow, secrets: SecretBox): SigningKey {
  return { id: row.key_id, privateKey: createPrivateKey(secrets.open(row.private_key, CONTEXT)), publicKey: JSON.parse(row.public_key) as PublicKey }
}
