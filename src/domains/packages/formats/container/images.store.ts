import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { ContainerBlobTable, ContainerManifestTable } from './container.table.ts'

export type ContainerBlob = Selectable<ContainerBlobTable>
export type ContainerManifest = Selectable<ContainerManifestTable>

export const findBlob = (db: Db, packageId: number, digest: string): Promise<ContainerBlob | undefined> =>
  db
    .selectFrom('container_blob')
    .selectAll()
    .where('package_id', '=', packageId)
    .where('digest', '=', digest)
    .executeTakeFirst()

/** Those of the given digests that the image has. */
export const listBlobs = (db: Db, packageId: number, digests: readonly string[]): Promise<ContainerBlob[]> =>
  digests.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('container_blob')
        .selectAll()
        .where('package_id', '=', packageId)
        .where('digest', 'in', digests)
        .execute()

/** Images that have a blob, at most 100. */
export const listBlobHolders = (
  db: Db,
  digest: string,
): Promise<{ package_id: number; owner_id: number; name: string }[]> =>
  db
    .selectFrom('container_blob')
    .innerJoin('package', 'package.id', 'container_blob.package_id')
    .select(['container_blob.package_id', 'package.owner_id', 'package.name'])
    .where('container_blob.digest', '=', digest)
    .orderBy('container_blob.id')
    .limit(100)
    .execute()

/** If the blob already exists, its time is reset, so that it remains until its manifest is pushed. */
export async function insertBlob(tx: Tx, blob: Omit<ContainerBlob, 'id'>): Promise<void> {
  await tx
    .insertInto('container_blob')
    .values(blob)
    .onConflict((on) => on.columns(['package_id', 'digest']).doUpdateSet({ created_at: blob.created_at }))
    .execute()
}

export async function deleteBlob(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('container_blob').where('id', '=', id).execute()
}

export const findManifest = (db: Db, packageId: number, digest: string): Promise<ContainerManifest | undefined> =>
  db
    .selectFrom('container_manifest')
    .selectAll()
    .where('package_id', '=', packageId)
    .where('digest', '=', digest)
    .executeTakeFirst()

export const findManifestOfTag = (db: Db, packageId: number, tag: string): Promise<ContainerManifest | undefined> =>
  db
    .selectFrom('container_tag')
    .innerJoin('container_manifest', 'container_manifest.id', 'container_tag.manifest_id')
    .selectAll('container_manifest')
    .where('container_tag.package_id', '=', packageId)
    .where('container_tag.name', '=', tag)
    .executeTakeFirst()

/** Those of the given digests that the image has. */
export const listManifests = (db: Db, packageId: number, digests: readonly string[]): Promise<ContainerManifest[]> =>
  digests.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('container_manifest')
        .selectAll()
        .where('package_id', '=', packageId)
        .where('digest', 'in', digests)
        .execute()

/** Manifests that refer to a digest as their subject, oldest first. */
export const listReferrers = (db: Db, packageId: number, subject: string): Promise<ContainerManifest[]> =>
  db
    .selectFrom('container_manifest')
    .selectAll()
    .where('package_id', '=', packageId)
    .where('subject', '=', subject)
    .orderBy('id')
    .execute()

/** At most 100 manifests with tags that begin with a text, which has no characters that are special in LIKE. */
export const listTagged = (
  db: Db,
  packageId: number,
  prefix: string,
): Promise<(ContainerManifest & { tag: string })[]> =>
  db
    .selectFrom('container_tag')
    .innerJoin('container_manifest', 'container_manifest.id', 'container_tag.manifest_id')
    .selectAll('container_manifest')
    .select('container_tag.name as tag')
    .where('container_tag.package_id', '=', packageId)
    .where('container_tag.name', 'like', `${prefix}%`)
    .orderBy('container_tag.name')
    .limit(100)
    .execute()

interface NewReference {
  readonly digest: string
  readonly isManifest: boolean
}

/** Inserts a manifest with its references. Returns its id, also of one that is there already. */
export async function insertManifest(
  tx: Tx,
  manifest: Omit<ContainerManifest, 'id'>,
  references: readonly NewReference[],
): Promise<number> {
  const made = await tx
    .insertInto('container_manifest')
    .values(manifest)
    .onConflict((on) => on.columns(['package_id', 'digest']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made === undefined) return (await findManifest(tx, manifest.package_id, manifest.digest))!.id
  if (references.length > 0)
    await tx
      .insertInto('container_reference')
      .values(
        references.map(({ digest, isManifest }) => ({
          manifest_id: made.id,
          package_id: manifest.package_id,
          digest,
          is_manifest: flag(isManifest),
        })),
      )
      .execute()
  return made.id
}

/** Deletes a manifest with its tags and references. */
export async function deleteManifest(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('container_manifest').where('id', '=', id).execute()
}

/** References of a manifest. */
export const listReferences = (db: Db, manifestId: number): Promise<{ digest: string; is_manifest: 0 | 1 }[]> =>
  db
    .selectFrom('container_reference')
    .select(['digest', 'is_manifest'])
    .where('manifest_id', '=', manifestId)
    .orderBy('id')
    .execute()

/** The digest of an index of the image that names a manifest. */
export async function findIndexOf(db: Db, packageId: number, digest: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('container_reference')
    .innerJoin('container_manifest', 'container_manifest.id', 'container_reference.manifest_id')
    .select('container_manifest.digest')
    .where('container_reference.package_id', '=', packageId)
    .where('container_reference.digest', '=', digest)
    .where('container_reference.is_manifest', '=', 1)
    .limit(1)
    .executeTakeFirst()
  return row?.digest
}

/** Creates a tag, or moves it. */
export async function setTag(tx: Tx, packageId: number, name: string, manifestId: number): Promise<void> {
  await tx
    .insertInto('container_tag')
    .values({ package_id: packageId, name, manifest_id: manifestId })
    .onConflict((on) => on.columns(['package_id', 'name']).doUpdateSet({ manifest_id: manifestId }))
    .execute()
}

export async function deleteTag(tx: Tx, packageId: number, name: string): Promise<void> {
  await tx.deleteFrom('container_tag').where('package_id', '=', packageId).where('name', '=', name).execute()
}

export const listTagsOfManifest = async (db: Db, manifestId: number): Promise<string[]> =>
  (await db.selectFrom('container_tag').select('name').where('manifest_id', '=', manifestId).execute()).map(
    ({ name }) => name,
  )

interface NameRange {
  /** Exclusive; empty for the beginning. */
  readonly after: string
  readonly limit: number
}

/** Tags of an image, sorted by bytes. */
export const listTags = async (db: Db, packageId: number, { after, limit }: NameRange): Promise<string[]> =>
  (
    await db
      .selectFrom('container_tag')
      .select('name')
      .where('package_id', '=', packageId)
      .where('name', '>', after)
      .orderBy('name')
      .limit(limit)
      .execute()
  ).map(({ name }) => name)

/** Images of an owner that have a manifest, sorted by name. */
export const listImages = async (db: Db, ownerId: UserId, { after, limit }: NameRange): Promise<string[]> =>
  (
    await db
      .selectFrom('package')
      .select('lower_name')
      .where('owner_id', '=', ownerId)
      .where('type', '=', 'container')
      .where('lower_name', '>', after)
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('container_manifest').select('id').whereRef('package_id', '=', 'package.id')),
      )
      .orderBy('lower_name')
      .limit(limit)
      .execute()
  ).map((row) => row.lower_name)

/** The owners of images, by name; the names are in lower case. */
export const listImageOwners = (db: Db, { after, limit }: NameRange): Promise<{ id: number; name: string }[]> =>
  db
    .selectFrom('user')
    .select(['user.id', 'user.lower_name as name'])
    .where('user.lower_name', '>=', after)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('package')
          .select('package.id')
          .whereRef('package.owner_id', '=', 'user.id')
          .where('package.type', '=', 'container'),
      ),
    )
    .orderBy('user.lower_name')
    .limit(limit)
    .execute()
