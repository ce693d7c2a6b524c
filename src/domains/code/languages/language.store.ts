import type { Db, Tx } from '../../../core/db/database.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { repoQueries } from '../../repositories/index.ts'

interface RepoLanguages {
  /** The commit that was counted; empty for an empty repository. */
  readonly oid: string
  /** Largest first. */
  readonly bytes: Readonly<Record<string, number>>
}

export async function findRepoLanguages(db: Db, repoId: RepoId): Promise<RepoLanguages | undefined> {
  const row = await db
    .selectFrom('repo_languages')
    .select(['oid', 'bytes'])
    .where('repo_id', '=', repoId)
    .executeTakeFirst()
  return row && { oid: row.oid, bytes: JSON.parse(row.bytes) as Record<string, number> }
}

/** Also sets the primary language of the repository, the first one. */
export async function putRepoLanguages(tx: Tx, repoId: RepoId, { oid, bytes }: RepoLanguages): Promise<void> {
  const values = { oid, bytes: JSON.stringify(bytes) }
  await tx
    .insertInto('repo_languages')
    .values({ repo_id: repoId, ...values })
    .onConflict((conflict) => conflict.column('repo_id').doUpdateSet(values))
    .execute()
  await repoQueries.setPrimaryLanguage(tx, repoId, Object.keys(bytes)[0])
}

/** Copies the result of a repository to its fork. */
export async function copyRepoLanguages(tx: Tx, from: RepoId, to: RepoId): Promise<void> {
  const found = await findRepoLanguages(tx, from)
  if (found !== undefined) await putRepoLanguages(tx, to, found)
}
