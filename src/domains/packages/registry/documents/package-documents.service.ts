import { buffer } from 'node:stream/consumers'
import type { Core } from '../../../../core/module.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageEntry } from '../../packages/package-contents.store.ts'
import { type DocumentRow, findDocument, saveDocument } from './package-document.store.ts'

/** A text that clients read to find the versions of a package. */
export interface PackageDocument {
  readonly entry: PackageEntry
  /** Unique among the documents of the package. */
  readonly name: string
  /** Other data that the text contains, such as the address of the registry. */
  readonly basis: string
  /** `former`: the same document with the same basis, of another state of the package. */
  make(former?: FormerDocument): Promise<string | Buffer>
}

export interface FormerDocument {
  /** `PackageEntry.revision` from which it was generated. */
  readonly revision: number
  /** Undefined if a newer one has replaced it. */
  read(): Promise<Buffer | undefined>
}

interface DocumentDeps extends Pick<Core, 'database'> {
  readonly contents: Pick<PackageContents, 'open' | 'storeBlob' | 'discard'>
}

/** Characters; a shorter document is generated at each request. */
const MIN_STORED = 64 * 1024

export type PackageDocuments = ReturnType<typeof createPackageDocuments>

/** Documents of packages; long ones are stored as blobs until their package changes. */
export function createPackageDocuments({ database, contents }: DocumentDeps) {
  async function read(row: DocumentRow): Promise<Buffer | undefined> {
    try {
      return await buffer(await contents.open(row))
    } catch (error) {
      if (isDomainError(error, 'not-found')) return undefined
      throw error
    }
  }

  async function make(document: PackageDocument, former: DocumentRow | undefined): Promise<Buffer> {
    const { entry, name, basis } = document
    const isLike = former !== undefined && former.basis === basis
    const made = await document.make(isLike ? { revision: former.revision, read: () => read(former) } : undefined)
    const text = Buffer.isBuffer(made) ? made : Buffer.from(made)
    if (text.length < MIN_STORED) return text
    await contents.storeBlob([text], ({ sha256 }) =>
      database.transaction((tx) =>
        saveDocument(tx, { package_id: entry.id, name, revision: entry.revision, basis, sha256 }),
      ),
    )
    if (former !== undefined) await contents.discard([former.sha256])
    return text
  }

  return {
    /** The text as the package is now. */
    async get(document: PackageDocument): Promise<Buffer> {
      const { entry, name, basis } = document
      const found = await findDocument(database.read, entry.id, name)
      if (found?.revision !== entry.revision || found.basis !== basis) return make(document, found)
      // Without its bytes, a newer document has replaced it since then.
      return (await read(found)) ?? make(document, await findDocument(database.read, entry.id, name))
    },
  }
}
