import type { Core } from '../../../core/module.ts'
import { randomUUID } from 'node:crypto'
import type { Actor } from '../../../core/access/viewer.ts'
import type { BlobStore } from '../../../core/blobs/index.ts'
import type { Tx } from '../../../core/db/database.ts'
import { badRequest, invalid } from '../../../core/platform/errors.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { type DiskQuota, isHttpUrl } from '../../accounts/index.ts'
import { type AttachmentOwners, ownerOf } from './attachment-owners.ts'
import { type Attachment, insertAttachment, isBlobAttached, listAttachmentsOf } from './attachment.store.ts'
import { checkedBytes, requireUpload, type UploadChecks } from './check-upload.ts'
import type { UploadRules } from './upload-rules.policy.ts'

/** Owner of a file; an id that is 0 or absent means none. */
interface AttachmentPlace {
  readonly repoId: RepoId
  readonly releaseId?: number
  readonly issueId?: number
  readonly commentId?: number
}

interface Upload {
  readonly name: string
  readonly source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** Epoch milliseconds; now when absent. */
  readonly createdAt?: number | undefined
}

export interface UploadPolicy extends UploadChecks {
  /** Runs in the transaction that inserts the row; locks the row of the owner where its files are limited. */
  readonly afterInsert?: (tx: Tx, attachment: Attachment) => Promise<void>
}

/** Stored bytes of files whose rows are inserted later; they are not swept until `release`. */
export interface AttachmentHold {
  /** Stores bytes as `Uploads.upload`, without a row. */
  keep(
    upload: Pick<Upload, 'name' | 'source'>,
    checks: UploadChecks,
  ): Promise<{ readonly hash: string; readonly size: number }>
  /** Deletes the blobs that no row refers to. */
  release(): Promise<void>
}

interface UploadDeps extends Pick<Core, 'database' | 'clock'> {
  readonly blobs: BlobStore
  readonly quota: DiskQuota
  readonly owners: AttachmentOwners
}

export type Uploads = ReturnType<typeof createUploads>

/** Uploads of files and links to files of other servers. */
export function createUploads({ database, blobs, clock, quota, owners }: UploadDeps) {
  async function insert(
    actor: Actor,
    place: AttachmentPlace,
    values: { name: string; size?: number; hash?: string; external_url?: string; created_at: number },
    policy: UploadPolicy,
  ): Promise<Attachment> {
    const { repoId, releaseId = 0, issueId = 0, commentId = 0 } = place
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
     * Streams to disk; a failed upload leaves no files. Throws NotFound if uploads are disabled, TooLarge, Invalid when
     * the owner has as many files as it may have, BadRequest for a bad name.
     */
    async upload(
      actor: Actor,
      place: AttachmentPlace,
      { name, source, createdAt }: Upload,
      policy: UploadPolicy,
    ): Promise<Attachment> {
      requireUpload(policy, name)
      await quota.requireFor(
        place.repoId,
        place.releaseId ? 'size:assets:attachments:releases' : 'size:assets:attachments:issues',
      )
      let made: Attachment | undefined
      await blobs.put(checkedBytes(source, name, policy), { maxBytes: policy.rules.maxBytes }, async (stored) => {
        const { hash, size } = stored
        made = await insert(actor, place, { name, size, hash, created_at: createdAt ?? clock.now() }, policy)
      })
      return made!
    },
    /** For files whose rows are inserted at the end of a longer task. */
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
    /** Throws BadRequest for a bad name or an address that is not http(s). */
    async link(
      actor: Actor,
      place: AttachmentPlace,
      { name, url }: { readonly name: string; readonly url: string },
      policy: UploadPolicy,
    ): Promise<Attachment> {
      requireUpload(policy, name)
      if (!isHttpUrl(url)) throw badRequest('external_url is not a valid URL')
      return insert(actor, place, { name, external_url: url, created_at: clock.now() }, policy)
    },
  }
}

/** Called after the insert, when the row of the owner is locked. */
async function requireRoom(
  tx: Tx,
  { owner, id }: NonNullable<ReturnType<typeof ownerOf>>,
  { maxFiles }: UploadRules,
): Promise<void> {
  if (maxFiles === Infinity || (await listAttachmentsOf(tx, owner, [id])).length <= maxFiles) return
  throw invalid(`${owner === 'issue' ? 'an issue' : `a ${owner}`} has at most ${maxFiles} files (attachment.max_files)`)
}
