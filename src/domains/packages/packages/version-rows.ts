import type { Tx } from '../../../core/db/database.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import { findVersionEntry, lockPackage, setVersionMetadata } from './package-contents.store.ts'
import {
  deleteFilesOf,
  deleteOnlyVersion,
  findVersion,
  insertFiles,
  insertVersion,
  type PackageFile,
  type PackageName,
  type PackageVersion,
} from './package.store.ts'

interface VersionRows extends PackageName {
  readonly packageId: number
  readonly version: string
  readonly creatorId: UserId
  /** Epoch milliseconds. */
  readonly at: number
  readonly metadata: string
  readonly files: readonly Omit<PackageFile, 'id' | 'version_id' | 'metadata' | 'created_at'>[]
}

/**
 * Writes the rows of a version that a format derives from tables of its own. The new version; undefined if there was
 * one, whose files and metadata are replaced when the metadata differ.
 */
export async function writeVersionRows(tx: Tx, rows: VersionRows): Promise<PackageVersion | undefined> {
  const former = await findVersionEntry(tx, rows.packageId, rows.version)
  if (former?.metadata === rows.metadata) return undefined
  await lockPackage(tx, rows)
  const made = former === undefined ? await insertVersion(tx, rows) : undefined
  const id = former?.id ?? made!.id
  if (former !== undefined) {
    await deleteFilesOf(tx, id)
    await setVersionMetadata(tx, id, rows.metadata)
  }
  await insertFiles(
    tx,
    id,
    rows.files.map((file) => ({ ...file, metadata: '', created_at: rows.at })),
  )
  return made
}

/** Deletes and returns the rows of a version; the package remains. */
export async function deleteVersionRows(
  tx: Tx,
  packageName: PackageName,
  version: string,
): Promise<PackageVersion | undefined> {
  const found = await findVersion(tx, packageName, version)
  if (found === undefined) return undefined
  await lockPackage(tx, packageName)
  await deleteOnlyVersion(tx, found.id)
  return found
}
