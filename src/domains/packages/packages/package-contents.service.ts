import { createHash } from 'node:crypto'
import type { Core, Services } from '../../../core/module.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import { type BlobStore, type StoredBlob, sweepBlobs } from '../../../core/blobs/index.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import type { Hook } from '../../../core/platform/hook.ts'
import { errors } from '../../errors.ts'
import type { User } from '../../accounts/index.ts'
import {
  ensurePackage,
  findVersion,
  insertFiles,
  insertVersion,
  type PackageVersion,
  updatePackageRepo,
} from './package.store.ts'
import { deleteFiles, findFile, findPackage, isPackageBlobUsed, setPackageMetadata } from './package-contents.store.ts'
import { appendPackageEvent } from './package-event.ts'
import { createPackageDeletions, lockEntry } from './package-deletions.ts'
import { createPackageEdits } from './package-edits.ts'
import { createPackageReads, type VersionName } from './package-reads.ts'

/** Stored bytes with their digests in lower-case hex. */
export interface ReceivedFile {
  /** Bytes. */
  readonly size: number
  readonly md5: string
  readonly sha1: string
  readonly sha256: string
  readonly sha512: string
}

type Source = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

interface BlobOptions {
  /** Bytes of the same file that came earlier. */
  readonly before?: number
  /** The SHA-256 that the client announced; other content is refused with Invalid. */
  readonly expected?: string | undefined
}

/** Bytes that no row names yet; see `withHold`. */
export interface PackageHold {
  /** Throws TooLarge for a file that is larger than the setting allows. */
  receive(source: Source): Promise<ReceivedFile>
  /**
   * Like `receive`, but computes only the digest that names the bytes: the others take twice as long as all the rest.
   */
  receiveBlob(source: Source, options?: BlobOptions): Promise<Pick<ReceivedFile, 'sha256' | 'size'>>
}

interface NewPackageFile {
  /** Unique within the version. */
  readonly name: string
  readonly content: ReceivedFile
  /** JSON of the format. */
  readonly metadata?: string
  /** Replaces the file of this name; without it that is a conflict. */
  readonly replaces?: boolean
}

export interface NewContents extends VersionName {
  readonly files: readonly NewPackageFile[]
  /** JSON of the format, of a new version. */
  readonly metadata?: string
  /** The repository that the package is linked to if it is new. */
  readonly repoId?: RepoId | undefined
  /** Refuses a name that differs from that of a package only by case: it would be listed by the name of that one. */
  readonly isExactName?: boolean
  /** Adds the files if the version exists already; without it that is a conflict. */
  readonly extends?: boolean
  /** The new metadata of the package, from its former ones; empty for none. Runs in the transaction. */
  readonly packageMetadata?: (former: string) => string
}

interface ContentsDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  readonly blobs: BlobStore
  /** Whether another table names bytes of the store. */
  readonly blobUses: PackageBlobUses
  readonly quota: Services['quota']
  /** Bytes. */
  readonly maxFileSize: number
}

/** Formats with tables of their own register which bytes these name. */
export type PackageBlobUses = Hook<[db: Db, sha256: string], true | undefined>

export type PackageContents = ReturnType<typeof createPackageContents>

/** Publishing, reading and deletion of the files of packages, for the registries. Callers check permissions. */
export function createPackageContents(deps: ContentsDeps) {
  const { database, clock, blobs, blobUses, quota, maxFileSize } = deps
  const { read } = database
  const isUsed = async (hash: string): Promise<boolean> =>
    (await isPackageBlobUsed(read, hash)) || (await blobUses.first(read, hash)) === true

  async function publish(tx: Tx, actor: SignedIn, owner: User, contents: NewContents): Promise<PackageVersion> {
    const { type, name, version, files, metadata = '', packageMetadata } = contents
    const at = clock.now()
    const ref = { ownerId: owner.id, type, name }
    if (contents.repoId !== undefined && (await findPackage(tx, ref)) === undefined)
      await updatePackageRepo(tx, await ensurePackage(tx, ref), contents.repoId)
    const made = await insertVersion(tx, {
      ...ref,
      creatorId: actor.account.id,
      version,
      at,
      metadata,
    })
    if (made === undefined && contents.extends !== true) throw errors.packageVersionExists()
    const target = made ?? (await findVersion(tx, ref, version))
    if (target === undefined) throw errors.packageNotFound()
    const entry = await lockEntry(tx, owner, { type, name })
    if (contents.isExactName === true && entry.name !== name) throw errors.packageNameTaken(entry.name)
    for (const file of files) {
      if (made === undefined) await replaceFile(tx, target, file)
      const row = { ...file.content, name: file.name, metadata: file.metadata ?? '', created_at: at }
      await insertFiles(tx, target.id, [row])
    }
    if (packageMetadata !== undefined) await setPackageMetadata(tx, entry.id, packageMetadata(entry.metadata))
    if (made !== undefined) await appendPackageEvent(deps, tx, 'package.created', { actor, owner, versions: [made] })
    return target
  }

  async function whileStored<T>(hashes: readonly string[], write: () => Promise<T>): Promise<T> {
    // NOTE: in order, so that two writers do not wait for each other.
    const [first, ...rest] = [...new Set(hashes)].toSorted()
    if (first === undefined) return write()
    let result: { readonly value: T } | undefined
    const isThere = await blobs.claim(first, async () => {
      result = { value: await whileStored(rest, write) }
    })
    if (!isThere || result === undefined) throw errors.uploadLost()
    return result.value
  }

  return {
    ...createPackageReads(deps),
    ...createPackageDeletions(deps),
    ...createPackageEdits(deps),

    /** When the task ends, the bytes that it received are deleted, unless a row names them. */
    async withHold<T>(task: (hold: PackageHold) => Promise<T>): Promise<T> {
      const hold = blobs.hold()
      try {
        return await task({
          async receive(source) {
            const sums = startSums()
            return withSums(await hold.put(summed(source, Object.values(sums)), { maxBytes: maxFileSize }), sums)
          },
          async receiveBlob(source, { before = 0, expected } = {}) {
            const limits = {
              maxBytes: maxFileSize - before,
              ...(expected !== undefined && { expected: { hash: expected } }),
            }
            const { hash: sha256, size } = await hold.put(source, limits)
            return { sha256, size }
          },
        })
      } finally {
        await hold.release(isUsed)
      }
    },

    /** Stores bytes that `record` writes a row of, whatever their size. */
    async store(source: Source, record: (content: ReceivedFile) => Promise<void>): Promise<ReceivedFile> {
      const sums = startSums()
      let content: ReceivedFile | undefined
      await blobs.put(summed(source, Object.values(sums)), {}, (blob) => record((content = withSums(blob, sums))))
      return content!
    },

    /** Like `store`, but computes only the digest that names the bytes. */
    async storeBlob(source: Source, record: (blob: { readonly sha256: string }) => Promise<void>): Promise<void> {
      await blobs.put(source, {}, ({ hash: sha256 }) => record({ sha256 }))
    },

    /** Deletes bytes to which no row refers any longer. */
    async discard(hashes: readonly string[]): Promise<void> {
      for (const hash of new Set(hashes)) await blobs.delete(hash, () => isUsed(hash))
    },

    /**
     * Runs a write of rows that refer to these bytes, while no sweep of any process can delete them. Throws Unavailable
     * if some have been deleted.
     */
    whileStored,

    /** Throws QuotaExceeded; call it before bytes are received. */
    async requireQuota(owner: User): Promise<void> {
      if (await quota.isExceeded(owner, 'size:assets:packages:all')) throw errors.packageQuotaExceeded(owner.name)
    },

    /**
     * Publishes a version, or adds files to one. Throws Conflict if the version, or a file of it, exists already;
     * whatever is thrown, nothing was published.
     */
    publish: (actor: SignedIn, owner: User, contents: NewContents): Promise<PackageVersion> =>
      whileStored(
        contents.files.map(({ content }) => content.sha256),
        () => database.transaction((tx) => publish(tx, actor, owner, contents)),
      ),

    /** Deletes the bytes of deleted files. */
    sweep: (signal: AbortSignal): Promise<void> => sweepBlobs(blobs, isUsed, signal),
  }
}

/** Deletes the file of this name, if there is one. Throws Conflict unless it may be replaced. */
async function replaceFile(tx: Tx, version: PackageVersion, { name, replaces }: NewPackageFile): Promise<void> {
  const former = await findFile(tx, version.id, name)
  if (former === undefined) return
  if (replaces !== true) throw errors.packageFileExists()
  await deleteFiles(tx, [former.id])
}

type Sums = Readonly<Record<'md5' | 'sha1' | 'sha512', ReturnType<typeof createHash>>>

const startSums = (): Sums => ({ md5: createHash('md5'), sha1: createHash('sha1'), sha512: createHash('sha512') })

const withSums = ({ hash, size }: StoredBlob, { md5, sha1, sha512 }: Sums): ReceivedFile => ({
  size,
  sha256: hash,
  md5: md5.digest('hex'),
  sha1: sha1.digest('hex'),
  sha512: sha512.digest('hex'),
})

async function* summed(source: Source, sums: readonly ReturnType<typeof createHash>[]): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    for (const sum of sums) sum.update(chunk)
    yield chunk
  }
}
