import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { Core } from '../../../core/module.ts'
import { errors } from '../../errors.ts'
import type { User } from '../../accounts/index.ts'
import { deleteWholePackage } from './delete-package.ts'
import { deleteFiles, lockPackage, type PackageEntry } from './package-contents.store.ts'
import { appendPackageEvent } from './package-event.ts'
import type { VersionName } from './package-reads.ts'
import { deleteVersion, findVersion, listFiles } from './package.store.ts'

/** Throws an error for the caller if the change is not allowed. Called while the package is locked. */
type CheckMetadata = (metadata: string) => void

/** Throws NotFound. */
export async function lockEntry(tx: Tx, owner: User, ref: { type: string; name: string }): Promise<PackageEntry> {
  const entry = await lockPackage(tx, { ownerId: owner.id, ...ref })
  if (entry === undefined) throw errors.packageNotFound()
  return entry
}

/** Deletes versions and files of packages, for the registries. */
export function createPackageDeletions(deps: Pick<Core, 'database' | 'clock' | 'events'>) {
  const { database } = deps

  /** Deletes the files whose names match; with the last one the version. Throws NotFound without any. */
  const removeFiles = (
    actor: SignedIn,
    owner: User,
    ref: VersionName,
    matches: (name: string) => boolean,
  ): Promise<void> =>
    database.transaction(async (tx) => {
      await lockEntry(tx, owner, ref)
      const found = await findVersion(tx, { ownerId: owner.id, ...ref }, ref.version)
      const files = found === undefined ? [] : await listFiles(tx, found.id)
      const ids = files.flatMap(({ id, name }) => (matches(name) ? [id] : []))
      if (found === undefined || ids.length === 0) throw errors.packageNotFound()
      await deleteFiles(tx, ids)
      if (ids.length < files.length) return
      await deleteVersion(tx, found)
      await appendPackageEvent(deps, tx, 'package.deleted', { actor, owner, versions: [found] })
    })

  return {
    /** Deletes a version; with the last one the package. `check` is given its metadata. Throws NotFound. */
    deleteVersion: (actor: SignedIn, owner: User, ref: VersionName, check?: CheckMetadata): Promise<void> =>
      database.transaction(async (tx) => {
        const { metadata } = await lockEntry(tx, owner, ref)
        check?.(metadata)
        const found = await findVersion(tx, { ownerId: owner.id, ...ref }, ref.version)
        if (found === undefined) throw errors.packageNotFound()
        await deleteVersion(tx, found)
        await appendPackageEvent(deps, tx, 'package.deleted', { actor, owner, versions: [found] })
      }),

    /** Deletes a package with all versions. `check` is given its metadata. Throws NotFound. */
    deletePackage: (
      actor: SignedIn,
      owner: User,
      ref: Omit<VersionName, 'version'>,
      check: CheckMetadata,
    ): Promise<void> =>
      database.transaction(async (tx) => {
        check((await lockEntry(tx, owner, ref)).metadata)
        await deleteWholePackage(deps, tx, { actor, owner, ...ref })
      }),

    deleteFiles: removeFiles,
    /** Deletes a file; with the last one its version. Throws NotFound. */
    deleteFile: (actor: SignedIn, owner: User, ref: VersionName, file: string): Promise<void> =>
      removeFiles(actor, owner, ref, (name) => name === file),
  }
}
