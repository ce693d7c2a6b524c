import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Core } from '../../../../core/module.ts'
import type { SealedColumns } from '../../../../core/db/sealed-columns.ts'
import { randomHex } from '../../../../core/platform/crypto/crypto.ts'
import type { SecretBox } from '../../../../core/platform/crypto/secret-box.ts'
import { deleteKeysBefore, insertKey, type KeyRow, listKeys } from './id-token-key.store.ts'

const CONTEXT = 'action_id_token_key.private_key'
const RSA_BITS = 2048
const ROTATION_MS = 90 * 86_400_000

export const sealedIdTokenKeys: SealedColumns = {
  table: 'action_id_token_key',
  key: 'id',
  contexts: { private_key: () => CONTEXT },
}

interface SigningKey {
  readonly id: string
  readonly key: KeyObject
}

/** The keys that sign ID tokens of jobs: a new one each 90 days, of which the one before stays published. */
export function createIdTokenKeys({ database, clock, secrets }: Pick<Core, 'database' | 'clock' | 'secrets'>) {
  async function current(): Promise<SigningKey> {
    const [newest] = await listKeys(database.read)
    const opened = newest && newest.created_at > clock.now() - ROTATION_MS ? tryOpen(secrets, newest) : undefined
    return opened ?? create(newest)
  }

  async function create(before: KeyRow | undefined): Promise<SigningKey> {
    const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: RSA_BITS })
    const id = randomHex(16)
    await database.transaction(async (tx) => {
      if (before !== undefined) await deleteKeysBefore(tx, before.created_at)
      await insertKey(tx, {
        key_id: id,
        private_key: secrets.seal(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), CONTEXT),
        public_key: JSON.stringify({ ...publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: id }),
        created_at: clock.now(),
      })
    })
    return { id, key: privateKey }
  }

  return {
    current,
    /** JSON Web Keys (RFC 7517). */
    async listPublic(): Promise<readonly unknown[]> {
      await current()
      return (await listKeys(database.read)).map((row): unknown => JSON.parse(row.public_key))
    },
  }
}

/** Undefined for a key that was sealed with a secret which the server no longer has. */
function tryOpen(secrets: SecretBox, { key_id: id, private_key: sealed }: KeyRow): SigningKey | undefined {
  try {
    return { id, key: createPrivateKey(secrets.open(sealed, CONTEXT)) }
  } catch {
    return undefined
  }
}
