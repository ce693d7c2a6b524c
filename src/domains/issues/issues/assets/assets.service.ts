import type { Services } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { Attachment, UploadRules } from '../../../repositories/index.ts'
import { requireIn, requireLocked } from '../changes/edit-issue.ts'
import { appendIssueEvent } from '../changes/issue-change.ts'
import type { IssueDeps } from '../changes/create-issue.ts'
import { appendCommentEvent, recordOf } from '../comments/comments.events.ts'
import { type CommentInView, lockComment, requireIssueIn, requireNotBlocked } from '../comments/comments.service.ts'
import { decideUpdateTime, type Text } from '../issue.policy.ts'
import { updateIssue } from '../records/issue.store.ts'
import { updateEntry } from '../timeline/timeline-entry.store.ts'
import type { IssueInView } from '../views.ts'

export interface AssetUpload {
  readonly name: string
  readonly source: AsyncIterable<Uint8Array>
  /** Epoch milliseconds; administrators only. */
  readonly updatedAt: number | undefined
}

interface AssetDeps extends IssueDeps {
  readonly attachments: Pick<Services['attachments'], 'upload'>
  readonly rules: UploadRules
}

export type IssueAssets = ReturnType<typeof createIssueAssets>

/** Uploads of files to issues and comments (behaviour/issues#attachments). Callers check permissions. */
export function createIssueAssets(deps: AssetDeps) {
  const { attachments, rules } = deps

  /** `record` writes the changes of the upload, in the transaction that inserts the row of the file. */
  function upload(
    actor: SignedIn,
    { access, issue, ...target }: IssueInView & { readonly commentId?: number },
    { name, source, updatedAt }: AssetUpload,
    record: (tx: Tx, at: number) => Promise<void>,
  ): Promise<Attachment> {
    const now = deps.clock.now()
    const createdAt =
      updatedAt === undefined ? undefined : decideUpdateTime(actor, { access, issue, given: updatedAt, now })
    const place = { repoId: target.repo.id, issueId: issue.id, commentId: target.commentId ?? 0 }
    const afterInsert = (tx: Tx, attachment: Attachment) => record(tx, attachment.createdAt)
    return attachments.upload(actor, place, { name, source, createdAt }, { rules, refusal: 'invalid', afterInsert })
  }

  return {
    /**
     * Throws Forbidden for a blocked account and for a time that may not be set, Invalid for a forbidden type,
     * TooLarge, NotFound.
     */
    addToIssue: async (actor: SignedIn, target: IssueInView, input: AssetUpload): Promise<Attachment> =>
      upload(actor, target, input, (tx, at) => recordOnIssue(deps, { tx, actor, at }, target)),
    /** Throws as `addToIssue`. */
    addToComment: async (actor: SignedIn, target: CommentInView, input: AssetUpload): Promise<Attachment> =>
      upload(actor, { ...target, commentId: target.comment.id }, input, (tx, at) =>
        recordOnComment(deps, { tx, actor, at }, target),
      ),
  }
}

interface Recording {
  readonly tx: Tx
  readonly actor: SignedIn
  /** Epoch milliseconds. */
  readonly at: number
}

async function recordOnIssue({ events }: IssueDeps, { tx, actor, at }: Recording, target: IssueInView): Promise<void> {
  const locked = requireIn(target.repo, await requireLocked(tx, target.issue.id))
  await requireNotBlocked(tx, actor, target, locked)
  const issue = await updateIssue(tx, locked.id, { content_version: locked.contentVersion + 1, updated_at: at })
  await appendIssueEvent({ tx, events, actor, repo: target.repo, issue, at }, 'issue.edited', {})
}

async function recordOnComment(
  { events }: IssueDeps,
  { tx, actor, at }: Recording,
  target: CommentInView,
): Promise<void> {
  const { repo } = target
  const { id } = await lockComment(tx, target.comment.id)
  const issue = await requireIssueIn(tx, repo, target.issue.id)
  await requireNotBlocked(tx, actor, target, issue)
  const comment = (await updateEntry(tx, id, { updated_at: at })) as Text
  await appendCommentEvent({ tx, events, actor, repo, issue, at }, 'comment.edited', comment, recordOf(comment))
}
