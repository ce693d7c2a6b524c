import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { PackageName } from '../../packages/package.store.ts'
import type { PackageDocumentTable } from './package-document.table.ts'

export type DocumentRow = Selectable<PackageDocumentTable>

export const findDocument = (db: Db, packageId: number, name: string): Promise<DocumentRow | undefined> =>
  db
    .selectFrom('package_document')
    .selectAll()
    .where('package_id', '=', packageId)
    .where('name', '=', name)
    .executeTakeFirst()

/** Inserts a document or replaces an older one; does nothing if its package has been deleted. */
export async function saveDocument(tx: Tx, document: Omit<DocumentRow, 'id'>): Promise<void> {
  const { revision, basis, sha256 } = document
  const found = await tx.selectFrom('package').select('id').where('id', '=', document.package_id).executeTakeFirst()
  if (found === undefined) return
  await tx
    .insertInto('package_document')
    .values(document)
    .onConflict((on) =>
      on
        .columns(['package_id', 'name'])
        .doUpdateSet({ revision, basis, sha256 })
        .where('package_document.revision', '<=', revision),
    )
    .execute()
}

/** Whether a text was stored of a package, or an index of all packages of its type. */
export async function hasStoredTexts(db: Db, { ownerId, type, name }: PackageName): Promise<boolean> {
  const index = await db
    .selectFrom('package_index')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('type', '=', type)
    .limit(1)
    .executeTakeFirst()
  if (index !== undefined) return true
  const document = await db
    .selectFrom('package_document')
    .innerJoin('package', 'package.id', 'package_document.package_id')
    .select('package_document.id')
    .where('package.owner_id', '=', ownerId)
    .where('package.type', '=', type)
    .where('package.lower_name', '=', name.toLowerCase())
    .limit(1)
    .executeTakeFirst()
  return document !== undefined
}

/** Whether a document has this content. */
export const findDocumentUse = async (db: Db, sha256: string): Promise<true | undefined> =>
  (await db.selectFrom('package_document').select('id').where('sha256', '=', sha256).limit(1).executeTakeFirst()) &&
  true
