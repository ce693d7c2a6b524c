import { isHttpUrl } from '../../../core/platform/html.ts'
import type { Core, Services } from '../../../core/module.ts'
import type { Readable } from 'node:stream'
import { type Viewer, viewerId } from '../../../core/access/viewer.ts'
import { type BlobLink, type BlobRange, type BlobStore, sweepBlobs } from '../../../core/blobs/index.ts'
import type { Tx } from '../../../core/db/database.ts'
import { badRequest, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { RepoInView } from '../repos/lookup.ts'
import {
  type AttachmentOwners,
  createAttachmentOwners,
  ownerOf,
  requireNewName,
  createUploads,
  type Uploads,
} from './uploads.ts'
import {
  type Attachment,
  type AttachmentOwner,
  countDownload,
  deleteAttachment,
  deleteAttachmentsOf,
  findAttachment,
  findAttachmentByName,
  findAttachmentByUuid,
  isBlobAttached,
  listAttachmentsOf,
  updateAttachment,
} from './attachment.store.ts'
import type { UploadRules } from './upload-rules.policy.ts'

export type { AttachmentHold } from './uploads.ts'

interface AttachmentEdit {
  readonly name?: string | undefined
  /** Only for links to other servers. */
  readonly externalUrl?: string | undefined
}

/**
 * Files of releases, issues and comments (behaviour/repositories#releases, behaviour/issues#attachments). Callers check
 * permissions.
 */
export interface Attachments extends Uploads {
  readonly owners: AttachmentOwners
  listOf(owner: AttachmentOwner, ids: readonly number[]): Promise<Attachment[]>
  /** Throws NotFound unless the file belongs to this owner. */
  get(owner: AttachmentOwner, ownerId: number, id: number): Promise<Attachment>
  findByUuid(uuid: string): Promise<Attachment | undefined>
  findByName(owner: AttachmentOwner, ownerId: number, name: string): Promise<Attachment | undefined>
  /**
   * Throws NotFound unless the viewer, who may see the repository, may see the owner of the file. A file without an
   * owner is visible to its uploader.
   */
  requireVisible(viewer: Viewer, target: RepoInView, attachment: Attachment): Promise<void>
  /** Throws Invalid for a name that is not allowed, BadRequest for an invalid URL or if the file is not a link. */
  edit(attachment: Attachment, edit: AttachmentEdit, rules: UploadRules): Promise<Attachment>
  /** Throws NotFound if the file was already deleted. */
  delete(attachment: Attachment): Promise<void>
  /** Deletes all files of an owner that the transaction deletes; jobs delete their bytes after commit. */
  deleteOf(tx: Tx, owner: AttachmentOwner, ownerId: number): Promise<void>
  /** Returns undefined if the bytes are missing. */
  open(attachment: Attachment, range?: BlobRange): Promise<Readable | undefined>
  /** A URL of the object store for the bytes; undefined if this server sends them. */
  directLink(attachment: Attachment, as: BlobLink): Promise<string | undefined>
  countDownload(attachment: Attachment): Promise<void>
  /** Deletes a blob unless a row refers to it. */
  deleteUnusedBlob(hash: string): Promise<void>
  /** Deletes every blob that no row refers to, such as those of deleted repositories. */
  sweep(signal: AbortSignal): Promise<void>
}

interface AttachmentDeps extends Pick<Core, 'database' | 'clock' | 'jobs'> {
  readonly blobs: BlobStore
  readonly quota: Services['quota']
}

export function createAttachments({ database, blobs, clock, jobs, quota }: AttachmentDeps): Attachments {
  const { read } = database
  const owners = createAttachmentOwners()
  const isUsed = (hash: string): Promise<boolean> => isBlobAttached(read, hash)

  async function enqueueBlobDeletion(tx: Tx, hashes: readonly string[]): Promise<void> {
    for (const hash of hashes) await jobs.enqueue(tx, 'attachment.release', { hash }, { key: hash })
  }

  return {
    ...createUploads({ database, blobs, clock, quota, owners }),
    owners,
    listOf: (owner, ids) => listAttachmentsOf(read, owner, ids),
    async get(owner, ownerId, id) {
      const found = await findAttachment(read, id)
      if (found === undefined || found[`${owner}Id`] !== ownerId) throw errors.attachmentNotFound()
      return found
    },
    findByUuid: (uuid) => findAttachmentByUuid(read, uuid),
    findByName: (owner, ownerId, name) => findAttachmentByName(read, owner, ownerId, name),
    async requireVisible(viewer, target, attachment) {
      const of = ownerOf(attachment)
      if (of === undefined) {
        if (viewerId(viewer) !== attachment.uploaderId) throw notFound('not linked yet')
        return
      }
      const access = owners[of.owner].find()
      if (access === undefined) throw notFound(`there are no attachments of the kind ${of.owner}`)
      await access.requireVisible(viewer, target, of.id)
    },
    async edit(attachment, { name, externalUrl }, rules) {
      if (name !== undefined && name !== attachment.name) requireNewName(rules, name)
      if (externalUrl !== undefined) {
        if (attachment.externalUrl === '') throw badRequest('existing attachment is not external')
        if (!isHttpUrl(externalUrl)) throw badRequest('browser_download_url is not a valid URL')
      }
      const values = {
        ...(name !== undefined && { name }),
        ...(externalUrl !== undefined && { external_url: externalUrl }),
      }
      if (Object.keys(values).length > 0)
        await database.transaction((tx) => updateAttachment(tx, attachment.id, values))
      return { ...attachment, ...(name !== undefined && { name }), ...(externalUrl !== undefined && { externalUrl }) }
    },
    async delete({ id }) {
      await database.transaction(async (tx) => {
        const hashes = await deleteAttachment(tx, id)
        if (hashes === undefined) throw notFound(`attachment does not exist [id: ${id}]`)
        await enqueueBlobDeletion(tx, hashes)
      })
    },
    deleteOf: async (tx, owner, ownerId) => enqueueBlobDeletion(tx, await deleteAttachmentsOf(tx, owner, ownerId)),
    open: (attachment, range) => blobs.open(attachment.hash, range),
    directLink: (attachment, as) => blobs.link(attachment.hash, as),
    countDownload: (attachment) => database.transaction((tx) => countDownload(tx, attachment.id)),
    deleteUnusedBlob: (hash) => blobs.delete(hash, () => isUsed(hash)),
    sweep: (signal) => sweepBlobs(blobs, isUsed, signal),
  }
}
