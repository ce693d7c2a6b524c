import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { Schema } from '../../../../core/db/schema.ts'
import { asId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { PackageName } from '../../packages/package.store.ts'

/**
 * No manifest of the image refers to the blob: an upload of the last minutes, or a layer whose tags were deleted or
 * moved.
 */
const isUnnamed = ({ not, exists, selectFrom }: ExpressionBuilder<Schema, 'container_blob'>): Expression<SqlBool> =>
  not(
    exists(
      selectFrom('container_reference')
        .select('container_reference.id')
        .whereRef('container_reference.package_id', '=', 'container_blob.package_id')
        .whereRef('container_reference.digest', '=', 'container_blob.digest'),
    ),
  )

/** The images that have blobs of no manifest, which were pushed before a time (epoch milliseconds). */
export async function listImagesWithUnnamed(db: Db, before: number): Promise<(PackageName & { id: number })[]> {
  const rows = await db
    .selectFrom('package')
    .select(['id', 'owner_id', 'type', 'name'])
    .where('id', 'in', (query) =>
      query
        .selectFrom('container_blob')
        .select('container_blob.package_id')
        .where('container_blob.created_at', '<', before)
        .where(isUnnamed),
    )
    .execute()
  return rows.map(({ owner_id: ownerId, ...row }) => ({ ...row, ownerId: asId(ownerId) }))
}

/** Lock the image before it. */
export async function deleteUnnamedBlobs(tx: Tx, packageId: number, before: number): Promise<void> {
  await tx
    .deleteFrom('container_blob')
    .where('package_id', '=', packageId)
    .where('created_at', '<', before)
    .where(isUnnamed)
    .execute()
}

/** Nothing was pushed to the image, or all of it was deleted. */
const isEmpty = ({ and, not, exists, selectFrom }: ExpressionBuilder<Schema, 'package'>): Expression<SqlBool> =>
  and(
    (['package_version', 'container_blob', 'container_upload'] as const).map((table) =>
      not(exists(selectFrom(table).select('package_id').whereRef('package_id', '=', 'package.id'))),
    ),
  )

export async function listEmptyImages(db: Db): Promise<(PackageName & { id: number })[]> {
  const rows = await db
    .selectFrom('package')
    .select(['id', 'owner_id', 'type', 'name'])
    .where('type', '=', 'container')
    .where(isEmpty)
    .execute()
  return rows.map(({ owner_id: ownerId, ...row }) => ({ ...row, ownerId: asId(ownerId) }))
}

/** Lock the image before it. */
export const isEmptyImage = async (tx: Tx, packageId: number): Promise<boolean> =>
  (await tx.selectFrom('package').select('id').where('id', '=', packageId).where(isEmpty).executeTakeFirst()) !==
  undefined

/** Bytes of the owner's blobs that are no file of a version, each counted once. */
export async function sumUnnamedBlobs(db: Db, ownerId: UserId): Promise<number> {
  const blobs = db
    .selectFrom('container_blob')
    .innerJoin('package', 'package.id', 'container_blob.package_id')
    .select(['container_blob.sha256', 'container_blob.size'])
    .distinct()
    .where('package.owner_id', '=', ownerId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('package_file')
            .innerJoin('package_version', 'package_version.id', 'package_file.version_id')
            .innerJoin('package as holder', 'holder.id', 'package_version.package_id')
            .select('package_file.id')
            .whereRef('package_file.sha256', '=', 'container_blob.sha256')
            .where('holder.owner_id', '=', ownerId),
        ),
      ),
    )
  const { size } = await db
    .selectFrom(blobs.as('blob'))
    .select(sql<number>`cast(coalesce(sum(blob.size), 0) as bigint)`.as('size'))
    .executeTakeFirstOrThrow()
  return size
}
