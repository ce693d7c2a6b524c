import { createHash, randomUUID } from 'node:crypto'
import type { Core } from '../../../../core/module.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import type { User } from '../../../accounts/index.ts'
import type { PackageContents, PackageHold } from '../../packages/package-contents.service.ts'
import { ensurePackage } from '../../packages/package.store.ts'
import { ContainerRefusal, unknownUpload, wrongDigest } from './container-refusal.ts'
import { findBlob, insertBlob } from './images.store.ts'
import {
  appendChunk,
  type ContainerChunk,
  type ContainerUpload,
  deleteUpload,
  findUpload,
  insertUpload,
  listChunks,
} from './uploads.store.ts'

interface UploadDeps extends Pick<Core, 'database' | 'clock'> {
  readonly contents: PackageContents
}

/** The name of an image below its owner. */
export interface ImageName {
  readonly owner: User
  readonly image: string
}

interface SentChunk {
  readonly body: AsyncIterable<Uint8Array>
  /** The offset that the client names, if it does. */
  readonly start: number | undefined
  readonly hold: PackageHold
  /** Digest of the whole blob, sent with its last chunk. */
  readonly digest?: string
}

interface BytesOfBlob {
  readonly sha256: string
  readonly size: number
}

export type BlobUploads = ReturnType<typeof createBlobUploads>

/** Uploads of blobs, whole or in chunks: each chunk is stored when it is complete, so that uploads can be resumed. */
export function createBlobUploads({ database, clock, contents }: UploadDeps) {
  const { read } = database

  const record = async (tx: Tx, packageId: number, digest: string, bytes: BytesOfBlob): Promise<void> =>
    insertBlob(tx, {
      package_id: packageId,
      digest,
      sha256: bytes.sha256,
      size: bytes.size,
      created_at: clock.now(),
    })

  async function get(packageId: number, id: string): Promise<ContainerUpload> {
    const found = await findUpload(read, packageId, id)
    if (found === undefined) throw unknownUpload()
    return found
  }

  /** Stores what the client sent as the next chunk. Throws ContainerRefusal if it does not begin at the end. */
  async function append(packageId: number, id: string, chunk: SentChunk): Promise<ContainerUpload> {
    const { body, start, hold, digest } = chunk
    const upload = await get(packageId, id)
    if (start !== undefined && start !== upload.size) throw outOfOrder(upload)
    const expected = upload.size === 0 ? sha256Of(digest) : undefined
    const { size, sha256 } = await hold.receiveBlob(body, { before: upload.size, expected }).catch(asWrongDigest)
    if (size === 0) return upload
    const row = { upload_id: id, position: upload.size, sha256, sha512: '', size }
    const isNext = await contents.whileStored([sha256], () =>
      database.transaction((tx) => appendChunk(tx, row, clock.now())),
    )
    if (!isNext) throw outOfOrder(await get(packageId, id))
    return { ...upload, size: upload.size + size }
  }

  return {
    get,
    append,

    /** Creates an upload, and the image if it is new. */
    start: ({ owner, image }: ImageName): Promise<string> =>
      database.transaction(async (tx) => {
        const packageId = await ensurePackage(tx, { ownerId: owner.id, type: 'container', name: image })
        const id = randomUUID()
        await insertUpload(tx, { id, package_id: packageId, size: 0, updated_at: clock.now() })
        return id
      }),

    /** Joins the chunks into a blob. Throws ContainerRefusal for another digest and keeps the upload. */
    async finish(packageId: number, id: string, digest: string, hold: PackageHold): Promise<void> {
      await get(packageId, id)
      const chunks = await listChunks(read, id)
      const bytes = await joinChunks(contents, hold, chunks)
      await requireDigest(contents, digest, bytes)
      await contents.whileStored([bytes.sha256], () =>
        database.transaction(async (tx) => {
          if (!(await deleteUpload(tx, id))) throw unknownUpload()
          await record(tx, packageId, digest, bytes)
        }),
      )
    },

    /** Stores a blob that was sent with its digest. Throws ContainerRefusal for another digest. */
    async put(
      { owner, image }: ImageName,
      digest: string,
      { body, hold }: Pick<SentChunk, 'body' | 'hold'>,
    ): Promise<void> {
      const bytes = await hold.receiveBlob(body, { expected: sha256Of(digest) }).catch(asWrongDigest)
      await requireDigest(contents, digest, bytes)
      await contents.whileStored([bytes.sha256], () =>
        database.transaction(async (tx) => {
          const packageId = await ensurePackage(tx, { ownerId: owner.id, type: 'container', name: image })
          await record(tx, packageId, digest, bytes)
        }),
      )
    },

    /** Adds a blob of another image, which the caller may read. False if it has been deleted. */
    async mount({ owner, image }: ImageName, digest: string, fromPackageId: number): Promise<boolean> {
      const source = await findBlob(read, fromPackageId, digest)
      if (source === undefined) return false
      await contents.whileStored([source.sha256], () =>
        database.transaction(async (tx) => {
          const packageId = await ensurePackage(tx, { ownerId: owner.id, type: 'container', name: image })
          await record(tx, packageId, digest, source)
        }),
      )
      return true
    },

    async cancel(packageId: number, id: string): Promise<void> {
      await get(packageId, id)
      await database.transaction((tx) => deleteUpload(tx, id))
    },
  }
}

/** One chunk is the blob itself; several are copied into one. */
async function joinChunks(
  contents: PackageContents,
  hold: PackageHold,
  chunks: readonly ContainerChunk[],
): Promise<BytesOfBlob> {
  if (chunks.length === 1) return chunks[0]!
  async function* joined(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield* (await contents.open(chunk)) as AsyncIterable<Uint8Array>
  }
  return hold.receiveBlob(joined())
}

/** Undefined for a digest of another algorithm. */
const sha256Of = (digest = ''): string | undefined => /^sha256:(.+)$/.exec(digest)?.[1]

function asWrongDigest(error: unknown): never {
  throw isDomainError(error, 'invalid') ? wrongDigest() : error
}

/**
 * Throws ContainerRefusal for another digest. Those of the few clients that use SHA-512 are computed from the store.
 */
async function requireDigest(contents: PackageContents, digest: string, bytes: BytesOfBlob): Promise<void> {
  if (digest === `sha256:${bytes.sha256}`) return
  if (!digest.startsWith('sha512:')) throw wrongDigest()
  const sum = createHash('sha512')
  for await (const chunk of await contents.open(bytes)) sum.update(chunk as Buffer)
  if (digest !== `sha512:${sum.digest('hex')}`) throw wrongDigest()
}

/** The header `Range` of an upload; as in other registries `0-0` at the beginning too. */
export const uploadRange = ({ size }: Pick<ContainerUpload, 'size'>): string => `0-${Math.max(size - 1, 0)}`

const outOfOrder = (upload: ContainerUpload): ContainerRefusal =>
  new ContainerRefusal(416, 'BLOB_UPLOAD_INVALID', `the next chunk begins at ${upload.size}`, {
    headers: { range: uploadRange(upload) },
  })
