import { errors } from '../../../../errors.ts'
import type { Core, Services } from '../../../../../core/module.ts'
import type { BlobStore, StoredBlob } from '../../../../../core/blobs/index.ts'
import type { Tx } from '../../../../../core/db/database.ts'
import { badRequest, conflict, notFound, tooLarge } from '../../../../../core/platform/errors.ts'
import { insertBlockList } from '../../stored-blocks/stored-block.store.ts'
import { joinedBytes, sha256Of } from '../../stored-blocks/stored-bytes.ts'
import type { StoredFiles } from '../../stored-files.ts'
import {
  deleteBlock,
  deleteBlocks,
  deleteUpload,
  findUpload,
  findUploadNamed,
  insertBlock,
  insertUpload,
  listBlocks,
  touchUpload,
  type Upload,
  type UploadBlock,
  type UploadName,
  updateUpload,
} from './upload.store.ts'

interface UploadDeps extends Pick<Core, 'database' | 'clock'> {
  readonly blobs: Pick<BlobStore, 'claim' | 'feed' | 'clientsUseLinks' | 'open' | 'put'>
  readonly quota: Services['quota']
  readonly files: Pick<StoredFiles, 'release'>
  /** Bytes of one upload. */
  readonly maxBytes: number
}

export interface UploadOptions {
  readonly encoding?: string
  readonly mimeType?: string
  /** Epoch milliseconds. */
  readonly expiresAt?: number
}

interface SentBlock {
  /** Replaces a block of this name. */
  readonly name: string
  /** The offset of its first byte; `end`: after all others. */
  readonly position: number | 'end'
  readonly source: AsyncIterable<Uint8Array>
  /** The announced number of bytes. */
  readonly size?: number | undefined
  /** Replaces all blocks instead of one. */
  readonly isWhole?: boolean
}

/** A complete file, as it is stored. */
export interface ReceivedFile {
  /** The hash of a blob, or the name of a list of blocks. */
  readonly hash: string
  /** SHA-256 in lower-case hex; empty for a list of blocks that is not a v4 artifact. */
  readonly digest: string
  /** Bytes. */
  readonly size: number
}

/** Size and hash of the complete file that the client announces. */
interface Announced {
  readonly size?: number | undefined
  /** SHA-256 in lower-case hex. */
  readonly hash?: string | undefined
}

export const MAX_BLOCKS = 10_000
/** Bytes; blocks of a smaller file are joined. */
const MIN_LISTED = 16 * 1024 ** 2

export type Uploads = ReturnType<typeof createUploads>

/** Uploads of jobs in blocks. Each block is stored when it is complete, so any process can continue the upload. */
export function createUploads(deps: UploadDeps) {
  const { database, blobs, clock, quota, files, maxBytes } = deps
  const { read } = database

  async function insertSent(tx: Tx, id: number, block: SentBlock, blob: StoredBlob): Promise<void> {
    const upload = await touchUpload(tx, id, clock.now())
    if (upload === undefined) throw unknownUpload()
    const former = block.isWhole ? undefined : await deleteBlock(tx, id, block.name)
    const freed = block.isWhole ? await deleteBlocks(tx, id) : former === undefined ? [] : [former.hash]
    const remaining = block.isWhole ? 0 : upload.size - (former?.size ?? 0)
    const blocks = block.isWhole ? 1 : upload.blocks + (former === undefined ? 1 : 0)
    const size = remaining + blob.size
    if (size > maxBytes) throw tooLarge(`an upload has at most ${maxBytes} bytes`)
    if (blocks > MAX_BLOCKS) throw tooLarge(`an upload has at most ${MAX_BLOCKS} blocks`)
    const position = block.position === 'end' ? remaining : block.position
    const name = block.position === 'end' ? `end ${position}` : block.name
    await insertBlock(tx, { upload_id: id, name, position, hash: blob.hash, size: blob.size })
    await updateUpload(tx, id, { size, blocks, ...(block.isWhole && { listed: '' }) })
    await files.release(tx, freed)
  }

  return {
    /** Begins an upload, in place of an earlier one of this name by the same task. Throws QuotaExceeded. */
    async begin(name: UploadName, options: UploadOptions = {}): Promise<Upload> {
      await quota.requireFor(name.repoId, 'size:assets:artifacts')
      return database.transaction(async (tx) => {
        const former = await findUploadNamed(tx, name)
        if (former !== undefined) {
          await files.release(tx, await deleteBlocks(tx, former.id))
          await deleteUpload(tx, former.id)
        }
        const { encoding = '', mimeType = '', expiresAt = 0 } = options
        return insertUpload(tx, { ...name, encoding, mimeType, expiresAt, at: clock.now() })
      })
    },

    /** Throws NotFound, also when the task has ended. */
    async get(id: number): Promise<Upload> {
      const found = await findUpload(read, id)
      if (found === undefined) throw unknownUpload()
      return found
    },

    find: (name: UploadName): Promise<Upload | undefined> => findUploadNamed(read, name),

    /** Stores a block. Throws QuotaExceeded, TooLarge, and Invalid when the announced size is wrong. */
    async put(upload: Upload, block: SentBlock): Promise<void> {
      await quota.requireFor(upload.repoId, 'size:assets:artifacts')
      const limits = { maxBytes, ...(block.size !== undefined && { expected: { size: block.size } }) }
      await blobs.put(block.source, limits, (blob) =>
        database.transaction((tx) => insertSent(tx, upload.id, block, blob)),
      )
    },

    /** Orders the blocks. Throws BadRequest for unknown and repeated names. */
    list: (upload: Upload, names: readonly string[]): Promise<void> =>
      database.transaction(async (tx) => {
        if ((await touchUpload(tx, upload.id, clock.now())) === undefined) throw unknownUpload()
        orderByList(await listBlocks(tx, upload.id), names)
        await updateUpload(tx, upload.id, { listed: JSON.stringify(names) })
      }),

    /**
     * Deletes the upload; `record` writes the row that refers to the file, which is stored as the list of its blocks:
     * joining them would write everything twice. Throws BadRequest when blocks are missing, or the size or the hash is
     * not the announced one: the upload remains then.
     */
    async finish<T>(
      upload: Upload,
      announced: Announced,
      record: (tx: Tx, file: ReceivedFile) => Promise<T>,
    ): Promise<T> {
      const all = await listBlocks(read, upload.id)
      const blocks = upload.listed === undefined ? all : orderByList(all, upload.listed)
      const size = requireSize(blocks, upload.listed === undefined, announced.size)
      const parts = blocks.filter((block) => block.size > 0)
      let result: { readonly value: T } | undefined
      const complete = async (digest: string, blob?: StoredBlob): Promise<void> => {
        if (announced.hash !== undefined && announced.hash !== digest)
          throw badRequest('[hash]: the upload does not have this SHA-256')
        result = await database.transaction(async (tx) => {
          const freed = await deleteBlocks(tx, upload.id)
          if (!(await deleteUpload(tx, upload.id))) throw unknownUpload()
          await files.release(
            tx,
            freed.filter((hash) => blob !== undefined || !named.has(hash)),
          )
          const hash = blob?.hash ?? (await insertBlockList(tx, requireUnchanged(parts, freed)))
          return { value: await record(tx, { hash, digest, size }) }
        })
      }
      const named = new Set(parts.map(({ hash }) => hash))
      const [only, ...others] = parts
      if (only !== undefined && others.length === 0) await blobs.claim(only.hash, () => complete(only.hash, only))
      // An object store has addresses of whole objects only.
      else if (size < MIN_LISTED || blobs.clientsUseLinks)
        await blobs.put(joinedBytes(blobs, parts), { expected: { size } }, (blob) => complete(blob.hash, blob))
      else await complete(upload.kind === 'v4' ? await sha256Of(blobs, parts) : '')
      if (result === undefined) throw errors.uploadLost()
      return result.value
    },
  }
}

/** Throws Conflict when a block was replaced while the file was read. */
function requireUnchanged(blocks: readonly UploadBlock[], hashes: readonly string[]): readonly UploadBlock[] {
  const remaining = new Set(hashes)
  if (blocks.some(({ hash }) => !remaining.has(hash)))
    throw conflict('a block was sent again: complete the upload again')
  return blocks
}

function orderByList(blocks: readonly UploadBlock[], names: readonly string[]): UploadBlock[] {
  const byName = new Map(blocks.map((block) => [block.name, block]))
  return names.map((name) => {
    const block = byName.get(name)
    if (block === undefined) throw badRequest('the list names a block twice, or one that was not sent')
    byName.delete(name)
    return block
  })
}

/** The sum of the blocks. Blocks ordered by position must follow each other without a gap. */
function requireSize(blocks: readonly UploadBlock[], isByPosition: boolean, announced: number | undefined): number {
  let size = 0
  for (const block of blocks) {
    if (isByPosition && block.position !== size) throw badRequest(`the bytes from ${size} were not sent`)
    size += block.size
  }
  if (announced !== undefined && announced !== size)
    throw badRequest(`[size]: ${size} bytes were sent, ${announced} were announced`)
  return size
}

const unknownUpload = () => notFound('there is no such upload, or its task has ended')
