import type { Db, Tx } from '../../../../core/db/database.ts'

/** A file of an artifact that consists of files. */
export interface ArtifactFile {
  readonly id: number
  readonly path: string
  /** `gzip` or empty. */
  readonly encoding: string
  readonly hash: string
  /** Bytes, as stored. */
  readonly size: number
}

const filesOf = (db: Db, runId: number) =>
  db.selectFrom('action_artifact').where('run_id', '=', runId).where('protocol', '=', 'v3')

const readyFiles = (db: Db, runId: number) =>
  filesOf(db, runId).where('status', '=', 'ready').select(['id', 'path', 'encoding', 'hash', 'size'])

/** The files of an artifact, also those that are not listed yet. */
export async function countFiles(db: Db, runId: number, name: string): Promise<number> {
  const { files } = await filesOf(db, runId)
    .where('name', '=', name)
    .select((eb) => eb.fn.countAll<number>().as('files'))
    .executeTakeFirstOrThrow()
  return Number(files)
}

/** The names of artifacts with files that can be downloaded, sorted. */
export async function listFileArtifacts(db: Db, runId: number, limit: number): Promise<string[]> {
  const rows = await filesOf(db, runId)
    .where('status', '=', 'ready')
    .select('name')
    .distinct()
    .orderBy('name')
    .limit(limit)
    .execute()
  return rows.map(({ name }) => name)
}

/** Sorted by path. */
export const listFiles = (db: Db, runId: number, name: string): Promise<ArtifactFile[]> =>
  readyFiles(db, runId).where('name', '=', name).orderBy('path').execute()

export const findFile = (db: Db, runId: number, id: number): Promise<ArtifactFile | undefined> =>
  readyFiles(db, runId).where('id', '=', id).executeTakeFirst()

/** Deletes the file of this path, and an artifact of this name that is one zip file. Returns their blobs. */
export async function deleteFormerFile(
  tx: Tx,
  { runId, name, path }: { readonly runId: number; readonly name: string; readonly path: string },
): Promise<string[]> {
  const rows = await tx
    .deleteFrom('action_artifact')
    .where('run_id', '=', runId)
    .where('name', '=', name)
    .where('path', 'in', ['', path])
    .returning('hash')
    .execute()
  return rows.map(({ hash }) => hash).filter((hash) => hash !== '')
}

/** Lists the files of an artifact that were sent. Returns the number of all its files. */
export async function confirmFiles(
  tx: Tx,
  runId: number,
  { name, at }: { readonly name: string; readonly at: number },
): Promise<number> {
  await tx
    .updateTable('action_artifact')
    .set({ status: 'ready', updated_at: at })
    .where('run_id', '=', runId)
    .where('name', '=', name)
    .where('protocol', '=', 'v3')
    .where('status', '=', 'uploading')
    .execute()
  return countFiles(tx, runId, name)
}
