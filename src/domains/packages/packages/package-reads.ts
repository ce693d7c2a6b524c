import type { Readable } from 'node:stream'
import type { BlobLink, BlobRange, BlobStore } from '../../../core/blobs/index.ts'
import type { Database } from '../../../core/db/database.ts'
import { notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { User } from '../../accounts/index.ts'
import { type ListedFile, listFilesOfType, summarizeFiles } from './listed-files.store.ts'
import { findVersion, listFiles, type PackageFile } from './package.store.ts'
import {
  countPackageDownload,
  findFile,
  findFileOfType,
  findPackage,
  findVersionEntry,
  listFilesOfPackage,
  listNamedFiles,
  listPackages,
  listVersionEntries,
  listVersionEntriesOf,
  listVersionFiles,
  listVersionsNamed,
  type NamedFile,
  type PackageEntry,
  type VersionEntry,
  type VersionFile,
} from './package-contents.store.ts'

export interface VersionName {
  readonly type: string
  readonly name: string
  readonly version: string
}

type VersionRef = Pick<VersionName, 'type' | 'name'> & Partial<VersionName>

/** Reads packages for the registries. */
export function createPackageReads({ database, blobs }: { readonly database: Database; readonly blobs: BlobStore }) {
  const { read } = database
  const find = async (
    owner: User,
    { type, name, version }: VersionRef,
    file: string,
  ): Promise<PackageFile | undefined> => {
    const found = await findVersion(read, { ownerId: owner.id, type, name }, version)
    return found && findFile(read, found.id, file)
  }
  return {
    findPackage: (owner: User, type: string, name: string): Promise<PackageEntry | undefined> =>
      findPackage(read, { ownerId: owner.id, type, name }),
    /** The packages of a type by name, or those whose names begin with `prefix`, in any case. */
    listPackages: (owner: User, type: string, prefix = ''): Promise<PackageEntry[]> =>
      listPackages(read, { ownerId: owner.id, type, prefix }),
    /** Versions in the order of their publication. */
    listVersions: (entry: PackageEntry): Promise<VersionEntry[]> => listVersionEntries(read, entry.id),
    /** Versions of all packages of a type in the order of their publication. */
    listAllVersions: (owner: User, type: string): Promise<VersionEntry[]> => listVersionEntriesOf(read, owner.id, type),
    findVersion: (entry: PackageEntry, version: string): Promise<VersionEntry | undefined> =>
      findVersionEntry(read, entry.id, version),
    /** Files in upload order. */
    listFiles: (version: Pick<VersionEntry, 'id'>): Promise<PackageFile[]> => listFiles(read, version.id),
    /** The newest file of this name in the packages of a type. */
    findFileOfType: (owner: User, type: string, file: string): Promise<PackageFile | undefined> =>
      findFileOfType(read, { ownerId: owner.id, type, file }),
    /** Files of all versions of a package, in upload order. */
    listFilesOfPackage: (entry: PackageEntry): Promise<PackageFile[]> => listFilesOfPackage(read, entry.id),
    /** The same files, or the newest ones, with the names of their versions. */
    listNamedFiles: (entry: PackageEntry, newest?: number): Promise<NamedFile[]> =>
      listNamedFiles(read, entry.id, newest),
    /** The files of all versions, or of the newest ones, in the order of publication. */
    listVersionFiles: (entry: PackageEntry, newest?: number): Promise<VersionFile[]> =>
      listVersionFiles(read, entry.id, newest),
    /** The versions with these names, at most 1000, that the package has. */
    listVersionsNamed: (entry: PackageEntry, names: readonly string[]): Promise<VersionEntry[]> =>
      listVersionsNamed(read, entry.id, names),

    /** All files of a type, by their ids. */
    listFilesOfType: (owner: User, type: string): AsyncIterable<ListedFile> => listFilesOfType(read, owner.id, type),
    /** A summary by which callers detect changes of the files of a type. */
    summarizeFiles: (owner: User, type: string): Promise<{ readonly count: number; readonly sum: number }> =>
      summarizeFiles(read, owner.id, type),

    findFile: find,

    /** A file of a version by its name, of the newest version if the reference names none. Throws NotFound. */
    async getFile(owner: User, ref: VersionRef, file: string): Promise<PackageFile> {
      const row = await find(owner, ref, file)
      if (row === undefined) throw errors.packageNotFound()
      return row
    },

    /** Throws NotFound if the bytes are lost. */
    async open({ sha256 }: Pick<PackageFile, 'sha256'>, range?: BlobRange): Promise<Readable> {
      const stream = await blobs.open(sha256, range)
      if (stream === undefined) throw notFound('the bytes of the file are lost')
      return stream
    },
    /** An address of the object store; undefined if this server sends the bytes. */
    link: ({ sha256 }: Pick<PackageFile, 'sha256'>, as: BlobLink): Promise<string | undefined> =>
      blobs.link(sha256, as),
    countDownload: ({ version_id: id }: Pick<PackageFile, 'version_id'>): Promise<void> =>
      database.transaction((tx) => countPackageDownload(tx, id)),
  }
}
