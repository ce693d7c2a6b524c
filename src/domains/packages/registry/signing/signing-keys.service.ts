import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { Core } from '../../../../core/module.ts'
import type { SealedColumns } from '../../../../core/db/sealed-columns.ts'
import { createPgpKey, loadPgpSigner, type PgpSigner } from '../../../../core/platform/pgp/index.ts'
import type { User } from '../../../accounts/index.ts'
import { deleteSigningKey, findSigningKey, insertSigningKey, type SigningKeyKind } from './signing-key.store.ts'

const CONTEXT = 'package_signing_key.private_key'
const RSA_BITS = 3072

export const sealedSigningKeys: SealedColumns = {
  table: 'package_signing_key',
  key: 'id',
  contexts: { private_key: () => CONTEXT },
}

interface SigningKey {
  readonly id: number
  readonly publicKey: string
  readonly privateKey: string
}

export type SigningKeys = ReturnType<typeof createSigningKeys>

/** The keys that sign indexes of packages: one of each kind per owner, generated at the first use. */
export function createSigningKeys({ database, clock, secrets }: Pick<Core, 'database' | 'clock' | 'secrets'>) {
  async function create(owner: User, kind: SigningKeyKind): Promise<void> {
    const made = kind === 'rsa' ? await createRsaKey() : await createPgpKey(`Packages of ${owner.name}`, clock.now())
    await database.transaction((tx) =>
      insertSigningKey(tx, {
        owner_id: owner.id,
        kind,
        private_key: secrets.seal(made.privateKey, CONTEXT),
        public_key: made.publicKey,
        created_at: clock.now(),
      }),
    )
  }

  async function get(owner: User, kind: SigningKeyKind): Promise<SigningKey> {
    let row = await findSigningKey(database.read, owner.id, kind)
    if (row === undefined) {
      await create(owner, kind)
      row = (await findSigningKey(database.read, owner.id, kind))!
    }
    return { id: row.id, publicKey: row.public_key, privateKey: secrets.open(row.private_key, CONTEXT) }
  }

  return {
    get,
    async pgpSigner(owner: User): Promise<PgpSigner> {
      return loadPgpSigner((await get(owner, 'openpgp')).privateKey, '')
    },
    /** A new key is generated at the next use. */
    delete: (owner: User, kind: SigningKeyKind): Promise<void> =>
      database.transaction((tx) => deleteSigningKey(tx, owner.id, kind)),
  }
}

async function createRsaKey(): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: RSA_BITS })
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}
