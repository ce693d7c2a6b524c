import { sql } from 'kysely'
import type { BlobUse } from '../../../core/blobs/index.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { escapeLike, type PackageFile, type PackageName } from './package.store.ts'

/** A package with the data of its format. */
export interface PackageEntry {
  readonly id: number
  readonly name: string
  readonly repoId: RepoId | undefined
  /** JSON of the format; empty for none. */
  readonly metadata: string
  readonly revision: number
}

/** A version with the data of its format. */
export interface VersionEntry {
  readonly id: number
  readonly packageId: number
  readonly version: string
  readonly creatorId: UserId
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** JSON of the format; empty for none. */
  readonly metadata: string
  readonly downloads: number
}

const packages = (db: Db) => db.selectFrom('package').select(['id', 'name', 'repo_id', 'metadata', 'revision'])

type PackageRow = Awaited<ReturnType<ReturnType<typeof packages>['executeTakeFirstOrThrow']>>

const toPackage = ({ repo_id: repoId, ...row }: PackageRow): PackageEntry => ({
  ...row,
  repoId: repoId === 0 ? undefined : asId(repoId),
})

export async function findPackage(db: Db, { ownerId, type, name }: PackageName): Promise<PackageEntry | undefined> {
  const row = await packages(db)
    .where('owner_id', '=', ownerId)
    .where('type', '=', type)
    .where('lower_name', '=', name.toLowerCase())
    .executeTakeFirst()
  return row && toPackage(row)
}

interface PackageGroup {
  readonly ownerId: UserId
  readonly type: string
  /** Prefix of the names, case-insensitive. */
  readonly prefix: string
}

/** Packages ordered by name. */
export async function listPackages(db: Db, { ownerId, type, prefix }: PackageGroup): Promise<PackageEntry[]> {
  let query = packages(db).where('owner_id', '=', ownerId).where('type', '=', type)
  if (prefix !== '') query = query.where(sql<boolean>`lower_name like ${`${escapeLike(prefix)}%`} escape '\\'`)
  return (await query.orderBy('lower_name').execute()).map(toPackage)
}

const versionEntries = (db: Db) =>
  db
    .selectFrom('package_version')
    .select([
      'package_version.id',
      'package_version.package_id',
      'package_version.version',
      'package_version.creator_id',
      'package_version.created_at',
      'package_version.metadata',
      'package_version.download_count',
    ])

type VersionRow = Awaited<ReturnType<ReturnType<typeof versionEntries>['executeTakeFirstOrThrow']>>

const toVersion = (row: VersionRow): VersionEntry => ({
  id: row.id,
  packageId: row.package_id,
  version: row.version,
  creatorId: asId(row.creator_id),
  createdAt: row.created_at,
  metadata: row.metadata,
  downloads: row.download_count,
})

/** The versions of a package in the order of their publication. */
export const listVersionEntries = async (db: Db, packageId: number): Promise<VersionEntry[]> =>
  (await versionEntries(db).where('package_id', '=', packageId).orderBy('id').execute()).map(toVersion)

/** The versions of all packages of a type in the order of their publication. */
export const listVersionEntriesOf = async (db: Db, ownerId: UserId, type: string): Promise<VersionEntry[]> =>
  (
    await versionEntries(db)
      .innerJoin('package', 'package.id', 'package_version.package_id')
      .where('package.owner_id', '=', ownerId)
      .where('package.type', '=', type)
      .orderBy('package_version.id')
      .execute()
  ).map(toVersion)

export async function findVersionEntry(db: Db, packageId: number, version: string): Promise<VersionEntry | undefined> {
  const row = await versionEntries(db)
    .where('package_id', '=', packageId)
    .where('lower_version', '=', version.toLowerCase())
    .executeTakeFirst()
  return row && toVersion(row)
}

export interface NamedFile extends PackageFile {
  readonly version: string
}

/** The files of all versions of a package, or the newest ones, in upload order. */
export async function listNamedFiles(db: Db, packageId: number, newest?: number): Promise<NamedFile[]> {
  const files = db
    .selectFrom('package_file')
    .innerJoin('package_version', 'package_version.id', 'package_file.version_id')
    .selectAll('package_file')
    .select('package_version.version')
    .where('package_version.package_id', '=', packageId)
  if (newest === undefined) return files.orderBy('package_file.id').execute()
  return (await files.orderBy('package_file.id', 'desc').limit(newest).execute()).toReversed()
}

/** The files of all versions of a package, in upload order. */
export const listFilesOfPackage = (db: Db, packageId: number): Promise<PackageFile[]> =>
  db
    .selectFrom('package_file')
    .selectAll()
    .where('version_id', 'in', (query) =>
      query.selectFrom('package_version').select('id').where('package_id', '=', packageId),
    )
    .orderBy('id')
    .execute()

/** A file with the members of its version that an index shows. */
export interface VersionFile extends Pick<PackageFile, 'name' | 'sha1' | 'sha512' | 'metadata' | 'version_id'> {
  readonly version: string
  /** Epoch milliseconds. */
  readonly published_at: number
  /** JSON of the format. */
  readonly version_metadata: string
}

/** The files of all versions of a package, or of the newest ones, by version in the order of their publication. */
export function listVersionFiles(db: Db, packageId: number, newest?: number): Promise<VersionFile[]> {
  const files = db
    .selectFrom('package_version')
    .innerJoin('package_file', 'package_file.version_id', 'package_version.id')
    .select([
      'package_version.version',
      'package_version.created_at as published_at',
      'package_version.metadata as version_metadata',
      'package_file.version_id',
      'package_file.name',
      'package_file.sha1',
      'package_file.sha512',
      'package_file.metadata',
    ])
    .where('package_version.package_id', '=', packageId)
    .orderBy('package_version.id')
    .orderBy('package_file.id')
  if (newest === undefined) return files.execute()
  return files
    .where('package_version.id', 'in', (query) =>
      query
        .selectFrom('package_version as newer')
        .select('newer.id')
        .where('newer.package_id', '=', packageId)
        .orderBy('newer.id', 'desc')
        .limit(newest),
    )
    .execute()
}

/** The versions with these names that the package has; names are case-sensitive. */
export const listVersionsNamed = async (
  db: Db,
  packageId: number,
  names: readonly string[],
): Promise<VersionEntry[]> =>
  names.length === 0
    ? []
    : (
        await versionEntries(db)
          .where('package_id', '=', packageId)
          .where(
            'lower_version',
            'in',
            names.map((name) => name.toLowerCase()),
          )
          .execute()
      )
        .map(toVersion)
        .filter(({ version }) => names.includes(version))

/** Finds a file by its name, case-sensitive. */
export const findFile = (db: Db, versionId: number, name: string): Promise<PackageFile | undefined> =>
  db
    .selectFrom('package_file')
    .selectAll()
    .where('version_id', '=', versionId)
    .where('name', '=', name)
    .executeTakeFirst()

interface FileOfType {
  readonly ownerId: UserId
  readonly type: string
  /** Case-sensitive. */
  readonly file: string
}

/** The newest one. */
export const findFileOfType = (db: Db, { ownerId, type, file }: FileOfType): Promise<PackageFile | undefined> =>
  db
    .selectFrom('package_file')
    .innerJoin('package_version', 'package_version.id', 'package_file.version_id')
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .selectAll('package_file')
    .where('package.owner_id', '=', ownerId)
    .where('package.type', '=', type)
    .where('package_file.name', '=', file)
    .orderBy('package_file.id', 'desc')
    .limit(1)
    .executeTakeFirst()

export async function deleteFiles(tx: Tx, ids: readonly number[]): Promise<void> {
  for (let at = 0; at < ids.length; at += BATCH)
    await tx
      .deleteFrom('package_file')
      .where('id', 'in', ids.slice(at, at + BATCH))
      .execute()
}

/** Databases limit the number of parameters. */
const BATCH = 1000

export async function setPackageMetadata(tx: Tx, id: number, metadata: string): Promise<void> {
  await tx.updateTable('package').set({ metadata }).where('id', '=', id).execute()
}

export async function setVersionMetadata(tx: Tx, id: number, metadata: string): Promise<void> {
  await tx.updateTable('package_version').set({ metadata }).where('id', '=', id).execute()
}

export async function setFileMetadata(tx: Tx, id: number, metadata: string): Promise<void> {
  await tx.updateTable('package_file').set({ metadata }).where('id', '=', id).execute()
}

/** Increases the revision of a package and locks it until the transaction ends. Undefined if there is none. */
export async function lockPackage(tx: Tx, { ownerId, type, name }: PackageName): Promise<PackageEntry | undefined> {
  const row = await tx
    .updateTable('package')
    .set(({ eb }) => ({ revision: eb('revision', '+', 1) }))
    .where('owner_id', '=', ownerId)
    .where('type', '=', type)
    .where('lower_name', '=', name.toLowerCase())
    .returning(['id', 'name', 'repo_id', 'metadata', 'revision'])
    .executeTakeFirst()
  return row && toPackage(row)
}

export async function countPackageDownload(tx: Tx, versionId: number): Promise<void> {
  await tx
    .updateTable('package_version')
    .set(({ eb }) => ({ download_count: eb('download_count', '+', 1) }))
    .where('id', '=', versionId)
    .execute()
}

/** Whether a file of any package has this content. */
export async function isPackageBlobUsed(db: Db, hash: string): Promise<boolean> {
  return (
    (await db.selectFrom('package_file').select('id').where('sha256', '=', hash).limit(1).executeTakeFirst()) !==
    undefined
  )
}

/** The next files of packages by id. */
export async function listPackageBlobUses(db: Db, after: number, limit: number): Promise<BlobUse[]> {
  const rows = await db
    .selectFrom('package_file')
    .innerJoin('package_version', 'package_version.id', 'package_file.version_id')
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .innerJoin('user', 'user.id', 'package.owner_id')
    .select([
      'package_file.id',
      'package_file.name as file',
      'package_file.sha256',
      'package_file.size',
      'package.type',
      'package.name',
      'package_version.version',
      'user.name as owner',
    ])
    .where('package_file.id', '>', after)
    .orderBy('package_file.id')
    .limit(limit)
    .execute()
  return rows.map(({ id, owner, type, name, version, file, sha256, size }) => ({
    id,
    repo: owner,
    label: `${type} package ${name} ${version}, ${file}`,
    hash: sha256,
    size,
  }))
}
