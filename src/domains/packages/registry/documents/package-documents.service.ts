import { buffer } from 'node:stream/consumers'
import type { Core } from '../../../../core/module.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageEntry } from '../../packages/package-contents.store.ts'
import { findDocument, saveDocument } from './package-document.store.ts'

/** A text that clients read to find the versions of a package. */
export interface PackageDocument {
  readonly entry: PackageEntry
  /** Unique among the documents of the package. */
  readonly name: string
  /** What else the text contains, such as the address of the registry. */
  readonly basis: string
  make(): Promise<string>
}

interface DocumentDeps extends Pick<Core, 'database'> {
  readonly contents: Pick<PackageContents, 'open' | 'store' | 'discard'>
}

/** Characters; a shorter document is made at each request. */
const MIN_STORED = 64 * 1024

export type PackageDocuments = ReturnType<typeof createPackageDocuments>

/** Documents of packages; long ones are stored as blobs until their package changes. */
export function createPackageDocuments({ database, contents }: DocumentDeps) {
  async function make({ entry, name, basis, make: makeText }: PackageDocument): Promise<Buffer> {
    const text = Buffer.from(await makeText())
    if (text.length < MIN_STORED) return text
    const former = await findDocument(database.read, entry.id, name)
    await contents.store([text], ({ sha256 }) =>
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
      if (found?.revision !== entry.revision || found.basis !== basis) return make(document)
      try {
        return await buffer(await contents.open(found))
      } catch (error) {
        // A newer document has replaced it since then.
        if (isDomainError(error, 'not-found')) return make(document)
        throw error
      }
    },
  }
}
