import type { Core } from '../../../core/module.ts'
import { errors } from '../../errors.ts'
import type { User } from '../../accounts/index.ts'
import { findVersionEntry, setFileMetadata, setPackageMetadata, setVersionMetadata } from './package-contents.store.ts'
import { lockEntry } from './package-deletions.ts'
import type { VersionName } from './package-reads.ts'
import { deleteEmptyPackage, ensurePackage, type PackageFile } from './package.store.ts'

/** Changes the metadata of published packages, for the registries. */
export function createPackageEdits({ database }: Pick<Core, 'database'>) {
  return {
    /** Replaces the metadata of a package by the result of `edit` for the former metadata. */
    editMetadata: (owner: User, type: string, name: string, edit: (former: string) => string): Promise<void> =>
      database.transaction(async (tx) => {
        const entry = await lockEntry(tx, owner, { type, name })
        await setPackageMetadata(tx, entry.id, edit(entry.metadata))
      }),

    /**
     * As `editMetadata`, of a package that needs no version: one without versions exists for its metadata, and is
     * deleted when they become empty.
     */
    reserve: (
      owner: User,
      { type, name }: Omit<VersionName, 'version'>,
      edit: (former: string) => string,
    ): Promise<void> =>
      database.transaction(async (tx) => {
        await ensurePackage(tx, { ownerId: owner.id, type, name })
        const entry = await lockEntry(tx, owner, { type, name })
        const metadata = edit(entry.metadata)
        await setPackageMetadata(tx, entry.id, metadata)
        if (metadata === '') await deleteEmptyPackage(tx, entry.id)
      }),

    /** Replaces the metadata of a version, such as the mark of a withdrawn one. Throws NotFound. */
    editVersionMetadata: (owner: User, ref: VersionName, edit: (former: string) => string): Promise<void> =>
      database.transaction(async (tx) => {
        const entry = await lockEntry(tx, owner, ref)
        const version = await findVersionEntry(tx, entry.id, ref.version)
        if (version === undefined) throw errors.packageNotFound()
        await setVersionMetadata(tx, version.id, edit(version.metadata))
      }),

    /** Replaces the metadata of a file; its content does not change. */
    setFileMetadata: ({ id }: Pick<PackageFile, 'id'>, metadata: string): Promise<void> =>
      database.transaction((tx) => setFileMetadata(tx, id, metadata)),
  }
}
