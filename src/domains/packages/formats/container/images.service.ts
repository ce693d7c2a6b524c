import type { Core } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import type { User } from '../../../accounts/index.ts'
import type { PackageContents, PackageHold } from '../../packages/package-contents.service.ts'
import { appendPackageEvent } from '../../packages/package-event.ts'
import { ensurePackage, type PackageName } from '../../packages/package.store.ts'
import { deleteVersionRows, writeVersionRows } from '../../packages/version-rows.ts'
import type { ImageName } from './blob-uploads.service.ts'
import { ContainerRefusal, unknownManifest } from './container-refusal.ts'
import {
  type ContainerManifest,
  deleteBlob,
  deleteManifest,
  deleteTag,
  findBlob,
  findIndexOf,
  findManifest,
  findManifestOfTag,
  insertManifest,
  listBlobs,
  listManifests,
  listReferences,
  listTagsOfManifest,
  setTag,
} from './images.store.ts'
import { DIGEST, type ParsedManifest } from './manifest.policy.ts'

interface ImageDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  readonly contents: PackageContents
}

interface NewManifest {
  /** A tag or a digest. */
  readonly reference: string
  readonly bytes: Buffer
  readonly parsed: ParsedManifest
  /** The digest of the bytes, by the algorithm that the client uses. */
  readonly digest: string
}

interface StoredManifest extends NewManifest {
  /** The name of the bytes in the blob store. */
  readonly sha256: string
}

export type Images = ReturnType<typeof createImages>

const TYPE = 'container'

/** Manifests, tags and blobs of images. Callers check permissions. */
export function createImages(deps: ImageDeps) {
  const { database, clock, contents } = deps
  const { read } = database

  const find = (packageId: number, reference: string): Promise<ContainerManifest | undefined> =>
    DIGEST.test(reference) ? findManifest(read, packageId, reference) : findManifestOfTag(read, packageId, reference)

  async function put(tx: Tx, actor: SignedIn, { owner, image }: ImageName, manifest: StoredManifest): Promise<void> {
    const { reference, bytes, parsed, digest, sha256 } = manifest
    const name = { ownerId: owner.id, type: TYPE, name: image }
    const packageId = await ensurePackage(tx, name)
    await requireReferences(tx, packageId, parsed)
    const at = clock.now()
    const id = await insertManifest(
      tx,
      {
        package_id: packageId,
        digest,
        media_type: parsed.mediaType,
        artifact_type: parsed.artifactType,
        subject: parsed.subject,
        annotations: parsed.annotations,
        sha256,
        size: bytes.length,
        creator_id: actor.account.id,
        created_at: at,
      },
      parsed.references,
    )
    const isTag = !DIGEST.test(reference)
    const former = isTag ? await findManifestOfTag(tx, packageId, reference) : undefined
    if (isTag) await setTag(tx, packageId, reference, id)
    const children = parsed.references.filter(({ isManifest }) => isManifest).map((child) => child.digest)
    const changed = [...(isTag ? [reference] : []), digest, ...(former ? [former.digest] : []), ...children]
    const reported = { kind: 'package.created', versions: [isTag ? reference : digest] } as const
    await syncVersions(deps, tx, { actor, owner, name, packageId }, { changed, reported })
  }

  return {
    find,

    /**
     * Stores a manifest under a tag or its digest. Throws ContainerRefusal if the image lacks a blob or manifest to
     * which it refers.
     */
    async put(actor: SignedIn, target: ImageName, manifest: NewManifest, hold: PackageHold): Promise<void> {
      const { sha256 } = await hold.receiveBlob([manifest.bytes])
      await contents.whileStored([sha256], () =>
        database.transaction((tx) => put(tx, actor, target, { ...manifest, sha256 })),
      )
    },

    /** Deletes a tag, or a manifest with its tags. Throws ContainerRefusal. */
    delete: (actor: SignedIn, { owner, image }: ImageName, packageId: number, reference: string): Promise<void> =>
      database.transaction(async (tx) => {
        const name = { ownerId: owner.id, type: TYPE, name: image }
        await ensurePackage(tx, name)
        const changed = await deleteReference(tx, packageId, reference)
        const reported = { kind: 'package.deleted', versions: changed } as const
        await syncVersions(deps, tx, { actor, owner, name, packageId }, { changed, reported })
      }),

    /** False if the image does not have this blob. */
    deleteBlob: (packageId: number, digest: string): Promise<boolean> =>
      database.transaction(async (tx) => {
        const blob = await findBlob(tx, packageId, digest)
        if (blob !== undefined) await deleteBlob(tx, blob.id)
        return blob !== undefined
      }),
  }
}

/** Deletes a tag, or a manifest with its tags; the names of versions that this concerns. Throws ContainerRefusal. */
async function deleteReference(tx: Tx, packageId: number, reference: string): Promise<string[]> {
  if (!DIGEST.test(reference)) {
    const manifest = await findManifestOfTag(tx, packageId, reference)
    if (manifest === undefined) throw unknownManifest()
    await deleteTag(tx, packageId, reference)
    return [reference, manifest.digest]
  }
  const manifest = await findManifest(tx, packageId, reference)
  if (manifest === undefined) throw unknownManifest()
  const index = await findIndexOf(tx, packageId, reference)
  if (index !== undefined)
    throw new ContainerRefusal(405, 'UNSUPPORTED', `the index ${index} names this manifest: delete the index first`)
  const tags = await listTagsOfManifest(tx, manifest.id)
  const children = (await listReferences(tx, manifest.id)).filter((one) => one.is_manifest === 1)
  await deleteManifest(tx, manifest.id)
  return [reference, ...tags, ...children.map(({ digest }) => digest)]
}

/** Throws ContainerRefusal unless the image has all blobs and manifests that a new manifest names. */
async function requireReferences(tx: Tx, packageId: number, { references }: ParsedManifest): Promise<void> {
  const needed = references.filter(({ isOptional }) => !isOptional)
  const digestsOf = (isManifest: boolean): string[] => [
    ...new Set(needed.filter((one) => one.isManifest === isManifest).map(({ digest }) => digest)),
  ]
  const blobs = await listBlobs(tx, packageId, digestsOf(false))
  const manifests = await listManifests(tx, packageId, digestsOf(true))
  const sizes = new Map([...blobs, ...manifests].map(({ digest, size }) => [digest, size]))
  for (const { digest, size, isManifest } of needed) {
    const stored = sizes.get(digest)
    if (stored === undefined)
      throw new ContainerRefusal(
        404,
        isManifest ? 'MANIFEST_BLOB_UNKNOWN' : 'BLOB_UNKNOWN',
        `the image lacks ${digest}`,
      )
    if (stored !== size)
      throw new ContainerRefusal(400, 'SIZE_INVALID', `the size of ${digest} is ${stored}, not ${size}`)
  }
}

interface ImageOfVersions {
  readonly actor: SignedIn
  readonly owner: User
  readonly name: PackageName
  readonly packageId: number
}

interface ChangedNames {
  /** Tags and digests whose versions may have changed. */
  readonly changed: readonly string[]
  /** Of which versions events are appended: a manifest that loses its tag gets a version, but was not published. */
  readonly reported: { readonly kind: 'package.created' | 'package.deleted'; readonly versions: readonly string[] }
}

/**
 * Writes the versions of the package that a change of tags and manifests concerns: one for each tag, and one for each
 * manifest that neither a tag nor an index names.
 */
async function syncVersions(
  deps: Pick<Core, 'clock' | 'events'>,
  tx: Tx,
  { actor, owner, name, packageId }: ImageOfVersions,
  { changed, reported }: ChangedNames,
): Promise<void> {
  for (const version of new Set(changed)) {
    const manifest = await manifestOfVersion(tx, packageId, version)
    const change =
      manifest === undefined
        ? await deleteVersionRows(tx, name, version)
        : await writeVersionRows(tx, {
            ...name,
            packageId,
            version,
            creatorId: asId(manifest.creator_id),
            at: deps.clock.now(),
            metadata: JSON.stringify({ digest: manifest.digest, media_type: manifest.media_type }),
            files: await filesOf(tx, packageId, manifest),
          })
    const kind = manifest === undefined ? 'package.deleted' : 'package.created'
    if (change === undefined || kind !== reported.kind || !reported.versions.includes(version)) continue
    await appendPackageEvent(deps, tx, kind, { actor, owner, versions: [change] })
  }
}

async function manifestOfVersion(tx: Tx, packageId: number, version: string): Promise<ContainerManifest | undefined> {
  if (!DIGEST.test(version)) return findManifestOfTag(tx, packageId, version)
  const manifest = await findManifest(tx, packageId, version)
  if (manifest === undefined || (await listTagsOfManifest(tx, manifest.id)).length > 0) return undefined
  return (await findIndexOf(tx, packageId, version)) === undefined ? manifest : undefined
}

/** The manifest and its blobs; digests that the registry does not know are empty. */
async function filesOf(tx: Tx, packageId: number, { id, sha256, size }: ContainerManifest) {
  const unknown = { md5: '', sha1: '', sha512: '' }
  const references = (await listReferences(tx, id)).filter((one) => one.is_manifest === 0)
  const digests = [...new Set(references.map(({ digest }) => digest))]
  const blobs = new Map((await listBlobs(tx, packageId, digests)).map((blob) => [blob.digest, blob]))
  const named = digests.flatMap((digest) => blobs.get(digest) ?? [])
  return [
    { ...unknown, name: 'manifest.json', sha256, size },
    ...named.map((blob) => ({ ...unknown, name: blob.digest.replace(':', '_'), sha256: blob.sha256, size: blob.size })),
  ]
}
