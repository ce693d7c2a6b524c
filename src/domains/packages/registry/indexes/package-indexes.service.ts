import type { Core } from '../../../../core/module.ts'
import { errors } from '../../../errors.ts'
import type { User } from '../../../accounts/index.ts'
import type { PackageContents, ReceivedFile } from '../../packages/package-contents.service.ts'
import type { ListedFile } from '../../packages/listed-files.store.ts'
import type { SigningKeys } from '../signing/signing-keys.service.ts'
import type { SigningKeyKind } from '../signing/signing-key.store.ts'
import {
  completeIndex,
  deleteOldIndexes,
  findIndex,
  findIndexFile,
  type IndexFileRow,
  insertIndex,
  insertIndexFile,
  listIndexFilesOf,
} from './package-index.store.ts'

export interface IndexBuild {
  readonly owner: User
  /** All files of the type, by their ids. */
  readonly files: AsyncIterable<ListedFile>
  /** Adds a file to the index. */
  put(name: string, source: string | Uint8Array | AsyncIterable<Uint8Array>): Promise<ReceivedFile>
}

/** The indexes of a type: all files that clients read to find packages. */
export interface IndexKind {
  readonly type: string
  /** The key that signs them. */
  readonly key?: SigningKeyKind
  /** Other data that the files contain, such as the address of the registry. */
  readonly basis?: string
  build(build: IndexBuild): Promise<void>
}

/** Former states that stay for clients that have read their names already. */
const FORMER_STATES = 10

interface IndexDeps extends Pick<Core, 'database'> {
  readonly contents: PackageContents
  readonly signingKeys: SigningKeys
}

export type PackageIndexes = ReturnType<typeof createPackageIndexes>

/**
 * Indexes of packages, stored as blobs. The first reader after a change of the packages of an owner generates all files
 * again, unless the job after the change was faster. So the time of publishing does not depend on the number of
 * packages, and readers see everything published before.
 */
export function createPackageIndexes({ database, contents, signingKeys }: IndexDeps) {
  // NOTE: of this process; two processes may make the same state, of which the first is read.
  const building = new Map<string, Promise<number>>()

  async function build(owner: User, kind: IndexKind, state: string): Promise<number> {
    const name = { ownerId: owner.id, type: kind.type }
    const id = await database.transaction((tx) => insertIndex(tx, name, state))
    await kind.build({
      owner,
      files: contents.listFilesOfType(owner, kind.type),
      put: (file, source) =>
        contents.store(
          typeof source === 'string' || source instanceof Uint8Array ? [Buffer.from(source)] : source,
          (content) => database.transaction((tx) => insertIndexFile(tx, { ...content, index_id: id, name: file })),
        ),
    })
    const old = await database.transaction(async (tx) => {
      await completeIndex(tx, id)
      return deleteOldIndexes(tx, name, FORMER_STATES)
    })
    await contents.discard(old)
    return id
  }

  async function current(owner: User, kind: IndexKind): Promise<number> {
    const files = await contents.summarizeFiles(owner, kind.type)
    if (files.count === 0) throw errors.packageNotFound()
    const key = kind.key === undefined ? undefined : await signingKeys.get(owner, kind.key)
    const state = [files.count, files.sum, key?.id, kind.basis].join(' ').trim()
    const found = await findIndex(database.read, { ownerId: owner.id, type: kind.type }, state)
    if (found !== undefined) return found
    const name = `${owner.id} ${kind.type} ${state}`
    const started = building.get(name) ?? build(owner, kind, state).finally(() => building.delete(name))
    building.set(name, started)
    return started
  }

  return {
    /** Generates the index of the present packages, if there are any. */
    async prepare(owner: User, kind: IndexKind): Promise<void> {
      if ((await contents.summarizeFiles(owner, kind.type)).count > 0) await current(owner, kind)
    },

    /** The first of these files that the current index has. Throws NotFound. */
    async get(owner: User, kind: IndexKind, ...names: readonly string[]): Promise<IndexFileRow> {
      const id = await current(owner, kind)
      for (const name of names) {
        const file = await findIndexFile(database.read, id, name)
        if (file !== undefined) return file
      }
      throw errors.packageNotFound()
    },

    /** The newest file that `matches`, of the current index or one of the former ones. Throws NotFound. */
    async find(owner: User, kind: IndexKind, matches: (file: IndexFileRow) => boolean): Promise<IndexFileRow> {
      await current(owner, kind)
      const file = (await listIndexFilesOf(database.read, { ownerId: owner.id, type: kind.type })).find(matches)
      if (file === undefined) throw errors.packageNotFound()
      return file
    },
  }
}
