import type { Db } from '../../../../core/db/database.ts'
import type { SideTx } from '../../../../core/db/side-database.ts'
import { asId, type RepoId } from '../../../../core/platform/crypto/ids.ts'

export interface IndexState {
  /** The commit whose files are indexed; empty while they change. */
  readonly oid: string
  readonly branch: string
  readonly isPartial: boolean
}

export interface IndexedFile {
  readonly path: string
  readonly oid: string
  readonly language: string
  /** Undefined for a file that is not searched. */
  readonly text: IndexedText | undefined
}

export interface IndexedText {
  readonly plain: string
  /** Bytes. */
  readonly size: number
  stored(): string | Uint8Array
}

export async function findIndexState(db: Db, repoId: RepoId): Promise<IndexState | undefined> {
  const row = await db.selectFrom('code_repo').selectAll().where('repo_id', '=', repoId).executeTakeFirst()
  return row && { oid: row.oid, branch: row.branch, isPartial: row.is_partial === 1 }
}

export async function putIndexState(tx: SideTx, repoId: RepoId, { oid, branch, isPartial }: IndexState): Promise<void> {
  const values = { oid, branch, is_partial: isPartial ? (1 as const) : (0 as const) }
  await tx
    .insertInto('code_repo')
    .values({ repo_id: repoId, ...values })
    .onConflict((conflict) => conflict.column('repo_id').doUpdateSet(values))
    .execute()
}

/** The object ids of the indexed files, by path. */
export async function loadFileOids(db: Db, repoId: RepoId): Promise<Map<string, string>> {
  const rows = await db.selectFrom('code_file').select(['path', 'oid']).where('repo_id', '=', repoId).execute()
  return new Map(rows.map(({ path, oid }) => [path, oid]))
}

async function loadBlobIds(db: Db, oids: readonly string[]): Promise<Map<string, number>> {
  if (oids.length === 0) return new Map()
  const rows = await db.selectFrom('code_blob').select(['id', 'oid']).where('oid', 'in', oids).execute()
  return new Map(rows.map(({ id, oid }) => [oid, id]))
}

/** Bytes of all texts. */
export async function sumTextSizes(db: Db): Promise<number> {
  const { total } = await db
    .selectFrom('code_blob')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('size'), eb.lit(0)).as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** The key of a row that says that all repositories have been indexed; no repository has this id. */
const ALL = asId<RepoId>(0)

/** False for an index that is new, was lost or is written again, until all repositories have been indexed. */
export async function isIndexComplete(db: Db): Promise<boolean> {
  return (await findIndexState(db, ALL)) !== undefined
}

export const putIndexComplete = (tx: SideTx): Promise<void> =>
  putIndexState(tx, ALL, { oid: '', branch: '', isPartial: false })

export const deleteIndexComplete = (tx: SideTx): Promise<void> => deleteIndexState(tx, ALL)

/** Repositories with rows that have been deleted themselves. */
export async function listDeletedRepos(db: Db): Promise<number[]> {
  const rows = await db
    .selectFrom('code_repo')
    .select('repo_id')
    .where('repo_id', '<>', ALL)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('repo').select('repo.id').whereRef('repo.id', '=', 'code_repo.repo_id'))),
    )
    .execute()
  return rows.map((row) => row.repo_id)
}

/** Writes files, and the texts of those whose text is not there. */
export async function putFiles(tx: SideTx, repoId: RepoId, files: readonly IndexedFile[], isSqlite: boolean) {
  const texts = new Map(files.flatMap(({ oid, text }) => (text === undefined ? [] : [[oid, text] as const])))
  const ids = await loadBlobIds(tx, [...texts.keys()])
  for (const [oid, text] of texts) {
    if (ids.has(oid)) continue
    const { id } = await tx
      .insertInto('code_blob')
      .values({ oid, size: text.size, text: text.stored() })
      .returning('id')
      .executeTakeFirstOrThrow()
    if (isSqlite) await tx.insertInto('code_text').values({ rowid: id, text: text.plain }).execute()
    ids.set(oid, id)
  }
  for (const { path, oid, language, text } of files) {
    const values = { oid, language, blob_id: text === undefined ? null : ids.get(oid)! }
    await tx
      .insertInto('code_file')
      .values({ repo_id: repoId, path, ...values })
      .onConflict((conflict) => conflict.columns(['repo_id', 'path']).doUpdateSet(values))
      .execute()
  }
}

/** At most `limit` files, to be deleted step by step. */
export const listFilesOf = (db: Db, repoId: RepoId, limit: number): Promise<{ path: string; oid: string }[]> =>
  db.selectFrom('code_file').select(['path', 'oid']).where('repo_id', '=', repoId).limit(limit).execute()

export async function deleteFiles(tx: SideTx, repoId: RepoId, paths: readonly string[]): Promise<void> {
  await tx.deleteFrom('code_file').where('repo_id', '=', repoId).where('path', 'in', paths).execute()
}

/** Deletes the texts among these that no file has. */
export async function deleteUnusedTexts(tx: SideTx, oids: readonly string[], isSqlite: boolean): Promise<void> {
  if (oids.length === 0) return
  const unused = await tx
    .selectFrom('code_blob')
    .select('id')
    .where('oid', 'in', oids)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom('code_file').select('code_file.path').whereRef('code_file.blob_id', '=', 'code_blob.id'),
        ),
      ),
    )
    .execute()
  if (unused.length === 0) return
  const ids = unused.map(({ id }) => id)
  if (isSqlite) await tx.deleteFrom('code_text').where('rowid', 'in', ids).execute()
  await tx.deleteFrom('code_blob').where('id', 'in', ids).execute()
}

export async function deleteIndexState(tx: SideTx, repoId: RepoId): Promise<void> {
  await tx.deleteFrom('code_repo').where('repo_id', '=', repoId).execute()
}
