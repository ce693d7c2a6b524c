import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { selectPage } from '../../../core/db/page.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { PackageFileTable } from './package.table.ts'

/** Identifies a package; names are case-insensitive. */
export interface PackageName {
  readonly ownerId: UserId
  readonly type: string
  readonly name: string
}

/** One version of a package. */
export interface PackageVersion {
  readonly id: number
  readonly packageId: number
  readonly ownerId: UserId
  readonly type: string
  readonly name: string
  readonly version: string
  readonly repoId: RepoId | undefined
  readonly creatorId: UserId
  /** Epoch milliseconds. */
  readonly createdAt: number
}

export interface PackageFilter {
  /** If absent, packages of all owners. */
  readonly ownerId?: UserId | undefined
  readonly type?: string | undefined
  /** The whole name, case-insensitive. */
  readonly name?: string | undefined
  /** A part of the name, case-insensitive. */
  readonly contains?: string | undefined
}

export type PackageFile = Selectable<PackageFileTable>

const versions = (db: Db) =>
  db
    .selectFrom('package_version')
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .select([
      'package_version.id',
      'package_version.package_id',
      'package.owner_id',
      'package.type',
      'package.name',
      'package_version.version',
      'package.repo_id',
      'package_version.creator_id',
      'package_version.created_at',
    ])

type VersionRow = Awaited<ReturnType<ReturnType<typeof versions>['executeTakeFirstOrThrow']>>

const toVersion = (row: VersionRow): PackageVersion => ({
  id: row.id,
  packageId: row.package_id,
  ownerId: asId(row.owner_id),
  type: row.type,
  name: row.name,
  version: row.version,
  repoId: row.repo_id === 0 ? undefined : asId(row.repo_id),
  creatorId: asId(row.creator_id),
  createdAt: row.created_at,
})

/** Newest first. */
export function listVersions(
  db: Db,
  { filter, paging }: { readonly filter: PackageFilter; readonly paging: Paging },
): Promise<Page<PackageVersion>> {
  const { ownerId, type, name, contains } = filter
  let query = versions(db)
  if (ownerId !== undefined) query = query.where('package.owner_id', '=', ownerId)
  if (type !== undefined) query = query.where('package.type', '=', type)
  if (name !== undefined) query = query.where('package.lower_name', '=', name.toLowerCase())
  if (contains !== undefined)
    query = query.where(sql<boolean>`package.lower_name like ${`%${escapeLike(contains)}%`} escape '\\'`)
  return selectPage(query.orderBy('package_version.id', 'desc'), paging, toVersion)
}

/** Converts the text to lower case and escapes it for LIKE. */
export const escapeLike = (text: string): string => text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)

/** The newest version if `version` is absent. */
export async function findVersion(
  db: Db,
  { ownerId, type, name }: PackageName,
  version?: string,
): Promise<PackageVersion | undefined> {
  let query = versions(db)
    .where('package.owner_id', '=', ownerId)
    .where('package.type', '=', type)
    .where('package.lower_name', '=', name.toLowerCase())
  if (version !== undefined) query = query.where('package_version.lower_version', '=', version.toLowerCase())
  const row = await query.orderBy('package_version.id', 'desc').limit(1).executeTakeFirst()
  return row && toVersion(row)
}

/** Files in upload order. */
export const listFiles = (db: Db, versionId: number): Promise<PackageFile[]> =>
  db.selectFrom('package_file').selectAll().where('version_id', '=', versionId).orderBy('id').execute()

interface NewVersion extends PackageName {
  readonly version: string
  readonly creatorId: UserId
  /** Epoch milliseconds. */
  readonly at: number
  /** JSON of the format. */
  readonly metadata: string
}

/** Inserts a package unless it exists, and locks it until the transaction ends. Returns its id. */
export async function ensurePackage(tx: Tx, { ownerId, type, name }: PackageName): Promise<number> {
  // NOTE: the update changes nothing, but locks the row and returns it.
  const { id } = await tx
    .insertInto('package')
    .values({ owner_id: ownerId, type, lower_name: name.toLowerCase(), name })
    .onConflict((on) =>
      on.columns(['owner_id', 'type', 'lower_name']).doUpdateSet({ type: sql<string>`excluded.type` }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Inserts a version, and the package if it is new. Undefined when the package already has this version. */
export async function insertVersion(tx: Tx, version: NewVersion): Promise<PackageVersion | undefined> {
  const packageId = await ensurePackage(tx, version)
  const made = await tx
    .insertInto('package_version')
    .values({
      package_id: packageId,
      creator_id: version.creatorId,
      version: version.version,
      lower_version: version.version.toLowerCase(),
      created_at: version.at,
      metadata: version.metadata,
    })
    .onConflict((on) => on.columns(['package_id', 'lower_version']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return made && findVersion(tx, version, version.version)
}

export async function insertFiles(
  tx: Tx,
  versionId: number,
  files: readonly Omit<PackageFile, 'id' | 'version_id'>[],
): Promise<void> {
  if (files.length === 0) return
  await tx
    .insertInto('package_file')
    .values(files.map((file) => ({ ...file, version_id: versionId })))
    .execute()
}

export async function deleteFilesOf(tx: Tx, versionId: number): Promise<void> {
  await tx.deleteFrom('package_file').where('version_id', '=', versionId).execute()
}

export async function deletePackage(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('package').where('id', '=', id).execute()
}

/** Deletes a version alone: its package may stay without one. */
export async function deleteOnlyVersion(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('package_version').where('id', '=', id).execute()
}

/** Deletes the package with its last version. */
export async function deleteVersion(tx: Tx, { id, packageId }: PackageVersion): Promise<void> {
  await deleteOnlyVersion(tx, id)
  await deleteEmptyPackage(tx, packageId)
}

/** Deletes a package unless it has versions. */
export async function deleteEmptyPackage(tx: Tx, id: number): Promise<void> {
  await tx
    .deleteFrom('package')
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('package_version').select('id').where('package_id', '=', id))),
    )
    .execute()
}

/** Undefined removes the link. */
export async function updatePackageRepo(tx: Tx, id: number, repoId: RepoId | undefined): Promise<void> {
  await tx
    .updateTable('package')
    .set({ repo_id: repoId ?? 0 })
    .where('id', '=', id)
    .execute()
}

export async function unlinkRepo(tx: Tx, repoId: RepoId): Promise<void> {
  await tx.updateTable('package').set({ repo_id: 0 }).where('repo_id', '=', repoId).execute()
}
