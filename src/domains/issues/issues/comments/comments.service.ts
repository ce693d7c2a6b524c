import type { Services } from '../../../../core/module.ts'
import { isRepoAdmin } from '../../../../core/access/repo-access.ts'
import type { Actor, SignedIn } from '../../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { IssueId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { errors } from '../../../errors.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type Repo, type RepoInView, attachmentQueries, repoQueries } from '../../../repositories/index.ts'
import { userRows, blockQueries } from '../../../accounts/index.ts'
import type { IssueDeps } from '../changes/create-issue.ts'
import { requireIn } from '../changes/edit-issue.ts'
import {
  canWriteIssue,
  decideUpdateTime,
  type Comment,
  isComment,
  isPublished,
  isText,
  type Text,
} from '../issue.policy.ts'
import {
  countNewComments,
  findIssueById,
  type Issue,
  listIssuesByIds,
  lockIssue,
  subtractComment,
} from '../records/issue.store.ts'
import { deleteEntry, insertEntries, lockEntry, updateEntry } from '../timeline/timeline-entry.store.ts'
import type { UpdateSpan } from '../timeline/update-span.ts'
import type { IssueInView } from '../views.ts'
import { listCommentsOfIssue, listCommentsOfRepo, listSomeCommentsBy, type RepoCommentFilter } from './comment.store.ts'
import { type CommentView, loadCommentViews } from './comment-views.ts'
import { appendCommentEvent, recordOf } from './comments.events.ts'
import { deleteText, indexNewText, indexText } from '../texts/issue-text.store.ts'

/** A comment of an issue that the viewer may read. */
export interface CommentInView extends IssueInView {
  readonly comment: Comment
}

/** Like `CommentInView`, for any editable text. */
export interface TextInView extends IssueInView {
  readonly comment: Text
}

export interface CommentInput {
  readonly body: string
  /** Epoch milliseconds; administrators only. */
  readonly updatedAt: number | undefined
}

export interface CommentDeps extends IssueDeps {
  readonly attachments: Pick<Services['attachments'], 'deleteOf'>
}

export type Comments = ReturnType<typeof createComments>

/** Comments on issues and pull requests (behaviour/issues#comments). Callers check permissions to edit and delete. */
export function createComments(deps: CommentDeps) {
  const { read } = deps.database
  return {
    async listOfIssue({ repo, issue }: IssueInView, span: UpdateSpan): Promise<CommentView[]> {
      const { comments, haveFiles } = await listCommentsOfIssue(read, issue.id, span)
      const assets = haveFiles ? await attachmentQueries.listOfComments(read, issue.id) : []
      return loadCommentViews(read, comments, { issues: new Map([[issue.id, { issue, repo }]]), assets })
    },
    async listOfRepo(repo: Repo, filter: RepoCommentFilter, paging: Paging): Promise<Page<CommentView>> {
      const { items, total } = await listCommentsOfRepo(read, repo.id, filter, paging)
      const issues = await listIssuesByIds(read, [...new Set(items.map((comment) => comment.issueId))])
      const places = new Map(issues.map((issue) => [issue.id, { issue, repo }]))
      const assets = await assetsOf(read, items)
      return { items: await loadCommentViews(read, items, { issues: places, assets }), total }
    },
    view: (target: CommentInView): Promise<CommentView> => viewOf(read, target, target.comment),
    /** Throws Forbidden on a locked issue, for a blocked account, and for a time that may not be set. */
    async create(actor: SignedIn, { repo, issue, ...of }: IssueInView, input: CommentInput): Promise<CommentView> {
      const comment = await createComment(deps, actor, { repo, issue, ...of }, input)
      // NOTE: a new comment has no files.
      const issues = new Map([[issue.id, { issue, repo }]])
      return (
        await loadCommentViews(read, [comment], { issues, assets: [], known: userRows.knownUser(actor.account) })
      )[0]!
    },
    /** Throws Forbidden for a blocked account, and for a time that may not be set. */
    edit: async (actor: SignedIn, target: TextInView, input: CommentInput): Promise<CommentView> =>
      viewOf(read, target, await editComment(deps, actor, target, input)),
    /** Deletes the comment with its files. */
    async delete(actor: SignedIn, { comment }: TextInView): Promise<void> {
      if (!(await deleteComment(deps, actor, comment))) throw errors.commentNotFound()
    },
    /** Deletes the comments of an account in all repositories, one transaction for each. */
    async deleteAllBy(actor: Actor, authorId: UserId, signal: AbortSignal): Promise<void> {
      for (;;) {
        const comments = await listSomeCommentsBy(read, authorId, BATCH)
        if (comments.length === 0) return
        for (const comment of comments) {
          signal.throwIfAborted()
          await deleteComment(deps, actor, comment)
        }
      }
    },
  }
}

/** The number of comments of an account that are read at once for deletion. */
const BATCH = 50

const assetsOf = (db: Db, comments: readonly Text[]) =>
  attachmentQueries.listOf(
    db,
    'comment',
    comments.map((comment) => comment.id),
  )

async function viewOf(db: Db, { repo, issue }: IssueInView, comment: Text): Promise<CommentView> {
  const issues = new Map([[issue.id, { issue, repo }]])
  return (await loadCommentViews(db, [comment], { issues, assets: await assetsOf(db, [comment]) }))[0]!
}

/** Like `requireNotBlocked`, and throws Forbidden when the issue is locked for the account: for new texts. */
export async function requireOpenToComments(tx: Tx, actor: SignedIn, target: RepoInView, issue: Issue): Promise<void> {
  if (issue.isLocked && !canWriteIssue(target.access, issue)) throw errors.issueLocked()
  await requireNotBlocked(tx, actor, target, issue)
}

/** Throws Forbidden for an account that the owner of the repository or the author of the issue blocks. */
export async function requireNotBlocked(
  tx: Tx,
  actor: SignedIn,
  { repo, access }: RepoInView,
  issue: Issue,
): Promise<void> {
  if (!isRepoAdmin(access)) await blockQueries.requireUnblocked(tx, actor.account.id, [repo.ownerId, issue.authorId])
}

/** NOTE: the issue is counted up first, which locks its row; a later refusal rolls this back. */
const createComment = (
  { database, clock, events }: IssueDeps,
  actor: SignedIn,
  target: IssueInView,
  { body, updatedAt }: CommentInput,
): Promise<Comment> =>
  database.transaction(async (tx) => {
    const { access, issue: seen } = target
    const at = decideUpdateTime(actor, { access, issue: seen, given: updatedAt, now: clock.now() })
    const issue = requireFound(target.repo, await countNewComments(tx, seen.id, 1, at))
    await requireOpenToComments(tx, actor, target, issue)
    const [entry] = await insertEntries(tx, { issue, actorId: actor.account.id, at }, [{ kind: 'comment', body }])
    const comment = entry as Comment
    await indexNewText(tx, issue, comment.id, body)
    const change = { tx, events, actor, repo: target.repo, issue, at }
    await appendCommentEvent(change, 'comment.created', comment, recordOf(comment))
    return comment
  })

/** Throws NotFound for an issue that another request has deleted or transferred. */
function requireFound(repo: Repo, issue: Issue | undefined): Issue {
  if (issue === undefined) throw errors.issueDeleted()
  return requireIn(repo, issue)
}

/** The present state of the issue. Throws NotFound when another request has deleted or transferred it. */
export const requireIssueIn = async (tx: Tx, repo: Repo, id: IssueId): Promise<Issue> =>
  requireFound(repo, await findIssueById(tx, id))

/** Locks the row until the transaction ends. Throws NotFound. */
export async function lockComment(tx: Tx, id: number): Promise<Comment> {
  const entry = await lockEntry(tx, id)
  if (entry === undefined || !isComment(entry)) throw errors.commentNotFound()
  return entry
}

const editComment = (
  { database, clock, events }: IssueDeps,
  actor: SignedIn,
  target: TextInView,
  { body, updatedAt }: CommentInput,
): Promise<Text> =>
  database.transaction(async (tx) => {
    const { repo, access } = target
    const comment = await lockEntry(tx, target.comment.id)
    if (comment === undefined || !isText(comment)) throw errors.commentNotFound()
    const issue = await requireIssueIn(tx, repo, comment.issueId)
    const at = decideUpdateTime(actor, { access, issue, given: updatedAt, now: clock.now() })
    await requireNotBlocked(tx, actor, target, issue)
    if (comment.body === body)
      return updatedAt === undefined ? comment : ((await updateEntry(tx, comment.id, { updated_at: at })) as Text)
    const edited = (await updateEntry(tx, comment.id, { body, updated_at: at })) as Text
    if (isPublished(comment)) {
      await indexText(tx, issue, comment.id, body)
      const payload = { ...recordOf(edited), old_body: comment.body }
      await appendCommentEvent({ tx, events, actor, repo, issue, at }, 'comment.edited', edited, payload)
    }
    return edited
  })

/** Returns false when another request deleted it. */
const deleteComment = (
  { database, clock, events, attachments }: CommentDeps,
  actor: Actor,
  { id, issueId }: Text,
): Promise<boolean> =>
  database.transaction(async (tx) => {
    const issue = await lockIssue(tx, issueId)
    const comment = await lockEntry(tx, id)
    if (issue === undefined || comment === undefined || !isText(comment)) return false
    const repo = await repoQueries.findById(tx, issue.repoId)
    if (repo === undefined) return false
    await attachments.deleteOf(tx, 'comment', id)
    await deleteEntry(tx, id)
    if (!isPublished(comment)) return true
    await deleteText(tx, issueId, id)
    if (comment.kind === 'comment') await subtractComment(tx, issue.id)
    await appendCommentEvent({ tx, events, actor, repo, issue, at: clock.now() }, 'comment.deleted', comment, {
      poster_id: comment.actorId,
      body: comment.body,
      created_at: comment.createdAt,
      updated_at: comment.updatedAt,
    })
    return true
  })
