import type { Tx } from '../../../../core/db/database.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { ImportKeys } from '../phase.ts'

const CHUNK = 200

/** The ids that the import of a repository maps. */
export const importKeysOf = (repoId: RepoId): ImportKeys => ({
  async set(tx, kind, ids) {
    const rows = [...ids].map(([key, value]) => ({ repo_id: repoId, kind, key, value }))
    for (let at = 0; at < rows.length; at += CHUNK) {
      await tx
        .insertInto('import_key')
        .values(rows.slice(at, at + CHUNK))
        .onConflict((on) =>
          on.columns(['repo_id', 'kind', 'key']).doUpdateSet((eb) => ({ value: eb.ref('excluded.value') })),
        )
        .execute()
    }
  },
  async get(tx, kind, keys) {
    const found = new Map<string, number>()
    for (let at = 0; at < keys.length; at += CHUNK) {
      const rows = await tx
        .selectFrom('import_key')
        .select(['key', 'value'])
        .where('repo_id', '=', repoId)
        .where('kind', '=', kind)
        .where('key', 'in', keys.slice(at, at + CHUNK))
        .execute()
      for (const { key, value } of rows) found.set(key, value)
    }
    return found
  },
})

export async function deleteImportKeys(tx: Tx, repoId: RepoId): Promise<void> {
  await tx.deleteFrom('import_key').where('repo_id', '=', repoId).execute()
}
