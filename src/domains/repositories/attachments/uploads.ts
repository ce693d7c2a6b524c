import { isHttpUrl } from '../../../core/platform/html.ts'
import type { Core, Services } from '../../../core/module.ts'
import { randomUUID } from 'node:crypto'
import type { Actor, Viewer } from '../../../core/access/viewer.ts'
import type { BlobStore } from '../../../core/blobs/index.ts'
import type { Tx } from '../../../core/db/database.ts'
import { DomainError, badRequest, invalid } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import {
  type Attachment,
  insertAttachment,
  isBlobAttached,
  listAttachmentsOf,
  type AttachmentOwner,
} from './attachment.store.ts'
import { type UploadRules, isAllowedUpload, isSafeFileName } from './upload-rules.policy.ts'
import { createPort, type Port } from '../../../core/platform/hook.ts'
import type { RepoInView } from '../repos/lookup.ts'
import { sniffMediaType } from '../../../core/platform/http/media-type.ts'

/** Checks of the releases, issues or comments that attachments belong to. */
export interface AttachmentOwnerAccess {
  /** Throws NotFound unless the viewer, who may see the repository, may see the owner. */
  requireVisible(viewer: Viewer, target: RepoInView, ownerId: number): Promise<void>
  /** Throws NotFound if the owner was deleted. Runs in the transaction that inserts a file. */
  requireExisting(tx: Tx, repoId: RepoId, ownerId: number): Promise<void>
}

/** Later modules register the checks of their kind of owner. */
export type AttachmentOwners = Readonly<Record<AttachmentOwner, Port<AttachmentOwnerAccess>>>

export const createAttachmentOwners = (): AttachmentOwners => ({
  release: createPort('attachments of releases'),
  issue: createPort('attachments of issues'),
  comment: createPort('attachments of comments'),
})

/** Owner ids of a file; 0 means "none". A file of a comment has the id of the issue too. */
type OwnerIds = Readonly<Record<`${AttachmentOwner}Id`, number>>

/** Returns undefined for a file without an owner. */
export function ownerOf(ids: OwnerIds): { readonly owner: AttachmentOwner; readonly id: number } | undefined {
  const owner = (['release', 'comment', 'issue'] as const).find((kind) => ids[`${kind}Id`] !== 0)
  return owner && { owner, id: ids[`${owner}Id`] }
}

/** Kind of error for a forbidden type: releases and issues differ. */
type TypeRefusal = 'bad-request' | 'invalid'

interface UploadChecks {
  readonly rules: UploadRules
  readonly refusal: TypeRefusal
}

/** Throws NotFound if uploads are disabled, BadRequest for a name that is not allowed. */
function requireUpload({ rules }: Pick<UploadChecks, 'rules'>, name: string): void {
  if (!rules.enabled) throw errors.attachmentsDisabled()
  if (!isSafeFileName(name))
    throw badRequest(
      name === '' ? 'Could not determine name of attachment.' : 'the name of the attachment is not allowed',
    )
}

/** Throws Invalid for a new name that is not allowed. */
export function requireNewName(rules: UploadRules, name: string): void {
  if (!isSafeFileName(name)) throw invalid('the name of the attachment is not allowed')
  if (!isAllowedUpload(rules, name, undefined)) throw errors.attachmentTypeForbidden()
}

/** Yields the bytes of an upload after checking the type detected from the first chunk. Throws `refusal`. */
async function* checkedBytes(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  name: string,
  { rules, refusal }: UploadChecks,
): AsyncGenerator<Uint8Array, void, undefined> {
  let isFirst = true
  for await (const chunk of source) {
    if (isFirst) requireType(Buffer.from(chunk))
    isFirst = false
    yield chunk
  }
  if (isFirst) requireType(Buffer.alloc(0))

  function requireType(head: Buffer): void {
    // COMPAT: for files of at most one byte only the name is checked (behaviour/issues#attachments;
    // test/code/releases/assets.test.ts).
    const forbidden = errors.attachmentTypeForbidden
    if (!isAllowedUpload(rules, name, head.length > 1 ? sniffMediaType(head) : undefined))
      throw new DomainError(refusal, forbidden.message, undefined, forbidden.code)
  }
}

/** The owner of a file; an id that is 0 or absent means "none". */
interface AttachmentTarget {
  readonly repoId: RepoId
  readonly releaseId?: number
  readonly issueId?: number
  readonly commentId?: number
}

interface Upload {
  readonly name: string
  readonly source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** Epoch milliseconds; the current time if absent. */
  readonly createdAt?: number | undefined
}

export interface UploadPolicy extends UploadChecks {
  /** Runs in the transaction that inserts the row; locks the row of the owner if the number of its files is limited. */
  readonly afterInsert?: (tx: Tx, attachment: Attachment) => Promise<void>
}

/** Stored bytes of files whose rows are inserted later; the sweep ignores them until `release`. */
export interface AttachmentHold {
  /** Stores bytes like `Uploads.upload`, without a row. */
  keep(
    upload: Pick<Upload, 'name' | 'source'>,
    checks: UploadChecks,
  ): Promise<{ readonly hash: string; readonly size: number }>
  /** Deletes the blobs that no row refers to. */
  release(): Promise<void>
}

interface UploadDeps extends Pick<Core, 'database' | 'clock'> {
  readonly blobs: BlobStore
  readonly quota: Services['quota']
  readonly owners: AttachmentOwners
}

export type Uploads = ReturnType<typeof createUploads>

/** Uploads of files and links to files of other servers. */
export function createUploads({ database, blobs, clock, quota, owners }: UploadDeps) {
  async function insert(
    actor: Actor,
    target: AttachmentTarget,
    values: { name: string; size?: number; hash?: string; external_url?: string; created_at: number },
    policy: UploadPolicy,
  ): Promise<Attachment> {
    const { repoId, releaseId = 0, issueId = 0, commentId = 0 } = target
    return database.transaction(async (tx) => {
      // The owner may have been deleted during the upload.
      const of = ownerOf({ releaseId, issueId, commentId })
      if (of !== undefined) await owners[of.owner].find()?.requireExisting(tx, repoId, of.id)
      const attachment = await insertAttachment(tx, {
        uuid: randomUUID(),
        uploader_id: actor.account.id,
        repo_id: repoId,
        release_id: releaseId,
        issue_id: issueId,
        comment_id: commentId,
        ...values,
      })
      await policy.afterInsert?.(tx, attachment)
      if (of !== undefined) await requireRoom(tx, of, policy.rules)
      return attachment
    })
  }

  return {
    /**
     * Streams to disk; a failed upload leaves no files. Throws NotFound if uploads are disabled, TooLarge, Invalid if
     * the owner has the maximum number of files, BadRequest for an invalid name.
     */
    async upload(
      actor: Actor,
      target: AttachmentTarget,
      { name, source, createdAt }: Upload,
      policy: UploadPolicy,
    ): Promise<Attachment> {
      requireUpload(policy, name)
      await quota.requireFor(
        target.repoId,
        target.releaseId ? 'size:assets:attachments:releases' : 'size:assets:attachments:issues',
      )
      let made: Attachment | undefined
      await blobs.put(checkedBytes(source, name, policy), { maxBytes: policy.rules.maxBytes }, async (stored) => {
        const { hash, size } = stored
        made = await insert(actor, target, { name, size, hash, created_at: createdAt ?? clock.now() }, policy)
      })
      return made!
    },
    /** Pins the bytes of files whose rows are inserted at the end of a longer task. */
    hold(): AttachmentHold {
      const hold = blobs.hold()
      return {
        async keep({ name, source }, checks) {
          requireUpload(checks, name)
          return hold.put(checkedBytes(source, name, checks), { maxBytes: checks.rules.maxBytes })
        },
        release: () => hold.release((hash) => isBlobAttached(database.read, hash)),
      }
    },
    /** Throws BadRequest for an invalid name or a URL that is not http(s). */
    async link(
      actor: Actor,
      target: AttachmentTarget,
      { name, url }: { readonly name: string; readonly url: string },
      policy: UploadPolicy,
    ): Promise<Attachment> {
      requireUpload(policy, name)
      if (!isHttpUrl(url)) throw badRequest('external_url is not a valid URL')
      return insert(actor, target, { name, external_url: url, created_at: clock.now() }, policy)
    },
  }
}

/** Call after the insert, while the row of the owner is locked. */
async function requireRoom(
  tx: Tx,
  { owner, id }: NonNullable<ReturnType<typeof ownerOf>>,
  { maxFiles }: UploadRules,
): Promise<void> {
  if (maxFiles === Infinity || (await listAttachmentsOf(tx, owner, [id])).length <= maxFiles) return
  throw invalid(`${owner === 'issue' ? 'an issue' : `a ${owner}`} has at most ${maxFiles} files (attachment.max_files)`)
}
