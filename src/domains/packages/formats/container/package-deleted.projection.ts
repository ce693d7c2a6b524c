import type { Tx } from '../../../../core/db/database.ts'
import type { Projections } from '../../../../core/events/index.ts'
import { asId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { findPackage } from '../../packages/package-contents.store.ts'
import { deleteVersionRows } from '../../packages/version-rows.ts'
import {
  deleteManifest,
  deleteTag,
  findIndexOf,
  findManifest,
  findManifestOfTag,
  listReferences,
  listTagsOfManifest,
} from './images.store.ts'
import { DIGEST } from './manifest.policy.ts'

/**
 * Deletes the tags and manifests of versions that were deleted by the API. The manifest of a tag and the manifests of
 * an index are deleted too, unless something else refers to them.
 */
export const containerProjections: Projections = {
  async 'package.deleted'(tx, { payload }) {
    const { owner_id, type, name, versions = [] } = payload
    if (type !== 'container') return
    const found = await findPackage(tx, { ownerId: asId(owner_id), type, name })
    if (found === undefined) return
    const image: Image = { ownerId: asId(owner_id), type, name, packageId: found.id }
    for (const { version } of versions) {
      const manifest = DIGEST.test(version) ? undefined : await findManifestOfTag(tx, found.id, version)
      if (manifest !== undefined) await deleteTag(tx, found.id, version)
      await deleteUnnamed(tx, image, manifest?.digest ?? version)
    }
  },
}

interface Image {
  readonly ownerId: UserId
  readonly type: string
  readonly name: string
  readonly packageId: number
}

/** The depth of indexes in indexes that clients make is two. */
const MAX_DEPTH = 8

async function deleteUnnamed(tx: Tx, image: Image, digest: string, depth = 0): Promise<void> {
  const manifest = await findManifest(tx, image.packageId, digest)
  if (manifest === undefined || depth > MAX_DEPTH) return
  if ((await listTagsOfManifest(tx, manifest.id)).length > 0) return
  if ((await findIndexOf(tx, image.packageId, digest)) !== undefined) return
  const references = await listReferences(tx, manifest.id)
  await deleteManifest(tx, manifest.id)
  await deleteVersionRows(tx, image, digest)
  for (const child of references) if (child.is_manifest === 1) await deleteUnnamed(tx, image, child.digest, depth + 1)
}
