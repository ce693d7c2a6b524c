import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { BlobRange, BlobStore } from '../../blobs/index.ts'
import type { Database, Tx } from '../../db/database.ts'
import { enqueue } from '../../jobs/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { badRequest, DomainError, invalid, notFound } from '../../platform/errors.ts'
import type { RepoId, UserId } from '../../platform/ids.ts'
import { sniffMediaType } from '../../platform/media-type.ts'
import type { DiskQuota } from '../quota/disk-quota.ts'
import { findRelease } from '../releases/release.store.ts'
import { isHttpUrl } from '../users/names.policy.ts'
import {
  type Attachment,
  type AttachmentOwner,
  countDownload,
  deleteAttachments,
  findAttachment,
  findAttachmentByUuid,
  findReleaseAttachment,
  insertAttachment,
  isBlobAttached,
  listAttachmentsOf,
  updateAttachment,
} from './attachment.store.ts'
import { isAllowedUpload, isSafeFileName, type UploadRules } from './upload-rules.policy.ts'

/** Where a file hangs; 0 or absent is not there. */
export interface AttachmentPlace {
  readonly repoId: RepoId
  readonly releaseId?: number
  readonly issueId?: number
  readonly commentId?: number
}

export interface Upload {
  readonly name: string
  readonly source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** Epoch milliseconds; now when absent. */
  readonly createdAt?: number | undefined
}

export interface AttachmentEdit {
  readonly name?: string | undefined
  /** For links to other servers only. */
  readonly externalUrl?: string | undefined
}

/** What kind of error a type that is not allowed is: releases and issues differ. */
export type TypeRefusal = 'bad-request' | 'invalid'

export interface UploadPolicy {
  readonly rules: UploadRules
  readonly refusal: TypeRefusal
  /** Runs in the transaction of the new row, for what changes with it. */
  readonly also?: (tx: Tx, attachment: Attachment) => Promise<void>
}

/** Bytes of files whose rows are written later. */
export interface AttachmentHold {
  /** As Attachments.upload, without a row. */
  keep(
    upload: Pick<Upload, 'name' | 'source'>,
    policy: Pick<UploadPolicy, 'rules' | 'refusal'>,
  ): Promise<{ readonly hash: string; readonly size: number }>
  /** Ends the keeping; what no row names is deleted. */
  release(): Promise<void>
}

/**
 * Files of releases, issues and comments (reference repositories §19, issues §12). Who may do it has been asked before.
 */
export interface Attachments {
  listOf(owner: AttachmentOwner, ids: readonly number[]): Promise<Attachment[]>
  /** Throws NotFound unless the file hangs there. */
  get(owner: AttachmentOwner, ownerId: number, id: number): Promise<Attachment>
  findByUuid(uuid: string): Promise<Attachment | undefined>
  findInRelease(releaseId: number, name: string): Promise<Attachment | undefined>
  /**
   * Streams to disk; nothing stays of an upload that fails. NotFound when uploads are off, TooLarge, BadRequest for a
   * bad name.
   */
  upload(uploaderId: UserId, place: AttachmentPlace, upload: Upload, policy: UploadPolicy): Promise<Attachment>
  /** A place for files that get their rows in the end of longer work. */
  hold(): AttachmentHold
  /** A link to a file on another server. */
  link(
    uploaderId: UserId,
    place: AttachmentPlace,
    link: { readonly name: string; readonly url: string },
    policy: UploadPolicy,
  ): Promise<Attachment>
  /** Throws invalid for a name that is not allowed, BadRequest for the address of a file that is not a link. */
  edit(attachment: Attachment, edit: AttachmentEdit, rules: UploadRules): Promise<Attachment>
  remove(attachment: Attachment): Promise<void>
  /** Undefined when the bytes are not there. */
  open(attachment: Attachment, range?: BlobRange): Promise<Readable | undefined>
  countDownload(attachment: Attachment): Promise<void>
  /** Deletes a blob that no row names any more. */
  release(hash: string): Promise<void>
  /** Deletes every blob that no row names: what deleted repositories leave. */
  sweep(signal: AbortSignal): Promise<void>
}

const FORBIDDEN_TYPE = 'This file cannot be uploaded or modified due to a forbidden file extension or type.'

export function createAttachments({
  database,
  blobs,
  clock,
  quota,
}: {
  database: Database
  blobs: BlobStore
  clock: Clock
  quota: DiskQuota
}): Attachments {
  const { read } = database

  async function insert(
    uploaderId: UserId,
    place: AttachmentPlace,
    values: { name: string; size?: number; hash?: string; external_url?: string; created_at: number },
    policy: UploadPolicy,
  ): Promise<Attachment> {
    const owner = {
      repo_id: place.repoId,
      release_id: place.releaseId ?? 0,
      issue_id: place.issueId ?? 0,
      comment_id: place.commentId ?? 0,
    }
    return database.transaction(async (tx) => {
      // It may have been deleted while the bytes were coming.
      if (place.releaseId && (await findRelease(tx, place.repoId, place.releaseId)) === undefined)
        throw notFound('release does not exist')
      const attachment = await insertAttachment(tx, {
        uuid: randomUUID(),
        uploader_id: uploaderId,
        ...owner,
        ...values,
      })
      await policy.also?.(tx, attachment)
      return attachment
    })
  }

  return {
    listOf: (owner, ids) => listAttachmentsOf(read, owner, ids),
    async get(owner, ownerId, id) {
      const found = await findAttachment(read, id)
      const column = ({ release_id: 'releaseId', issue_id: 'issueId', comment_id: 'commentId' } as const)[owner]
      if (found === undefined || found[column] !== ownerId) throw notFound('attachment does not exist')
      return found
    },
    findByUuid: (uuid) => findAttachmentByUuid(read, uuid),
    findInRelease: (releaseId, name) => findReleaseAttachment(read, releaseId, name),
    async upload(uploaderId, place, { name, source, createdAt }, policy) {
      requireUpload(policy, name)
      await quota.requireFor(
        place.repoId,
        place.releaseId ? 'size:assets:attachments:releases' : 'size:assets:attachments:issues',
      )
      let made: Attachment | undefined
      await blobs.put(checked(source, name, policy), { maxBytes: policy.rules.maxBytes }, async ({ hash, size }) => {
        made = await insert(uploaderId, place, { name, size, hash, created_at: createdAt ?? clock.now() }, policy)
      })
      return made!
    },
    hold() {
      const hold = blobs.hold()
      return {
        async keep({ name, source }, policy) {
          requireUpload(policy, name)
          return hold.put(checked(source, name, policy), { maxBytes: policy.rules.maxBytes })
        },
        release: () => hold.release((hash) => isBlobAttached(read, hash)),
      }
    },
    async link(uploaderId, place, { name, url }, policy) {
      requireUpload(policy, name)
      if (!isHttpUrl(url)) throw badRequest('external_url is not a valid URL')
      return insert(uploaderId, place, { name, external_url: url, created_at: clock.now() }, policy)
    },
    async edit(attachment, { name, externalUrl }, rules) {
      if (name !== undefined && name !== attachment.name) {
        if (!isSafeFileName(name)) throw invalid('the name of the attachment is not allowed')
        if (!isAllowedUpload(rules, name, undefined)) throw invalid(FORBIDDEN_TYPE)
      }
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
    async remove(attachment) {
      await database.transaction((tx) => removeAttachments(tx, 'id', attachment.id, clock.now()))
    },
    open: (attachment, range) => blobs.open(attachment.hash, range),
    countDownload: (attachment) => database.transaction((tx) => countDownload(tx, attachment.id)),
    release: (hash) => blobs.delete(hash, () => isBlobAttached(read, hash)),
    async sweep(signal) {
      for await (const { hash } of blobs.list()) {
        signal.throwIfAborted()
        if (!(await isBlobAttached(read, hash))) await blobs.delete(hash, () => isBlobAttached(read, hash))
      }
    },
  }
}

/** Removes rows of files with what they hang on; their bytes go by jobs that are kept with the removal. */
export async function removeAttachments(tx: Tx, owner: AttachmentOwner | 'id', id: number, now: number): Promise<void> {
  for (const hash of await deleteAttachments(tx, owner, id))
    await enqueue(tx, 'attachment.release', { hash }, { now, key: hash })
}

function requireUpload({ rules }: Pick<UploadPolicy, 'rules'>, name: string): void {
  if (!rules.enabled) throw notFound('attachments are not enabled')
  if (!isSafeFileName(name))
    throw badRequest(
      name === '' ? 'Could not determine name of attachment.' : 'the name of the attachment is not allowed',
    )
}

/** Passes the bytes on once the first ones have shown that they are allowed. */
async function* checked(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  name: string,
  { rules, refusal }: Pick<UploadPolicy, 'rules' | 'refusal'>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let isFirst = true
  for await (const chunk of source) {
    if (isFirst) requireType(Buffer.from(chunk))
    isFirst = false
    yield chunk
  }
  if (isFirst) requireType(Buffer.alloc(0))

  function requireType(head: Buffer): void {
    // COMPAT: files of one byte or none are judged by their name alone (reference issues §12).
    if (!isAllowedUpload(rules, name, head.length > 1 ? sniffMediaType(head) : undefined))
      throw new DomainError(refusal, FORBIDDEN_TYPE)
  }
}
