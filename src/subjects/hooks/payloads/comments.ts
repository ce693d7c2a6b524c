import { ANONYMOUS } from '../../../access/viewer.ts'
import type { Db } from '../../../db/database.ts'
import type { DomainEvent, EventPayload } from '../../../events/index.ts'
import { asId } from '../../../platform/crypto/ids.ts'
import {
  type Comment,
  type CommentView,
  findIssueById,
  loadCommentsByIds,
  loadIssueViews,
  presentComment,
  presentIssue,
} from '../../issues/index.ts'
import type { Repo } from '../../repos/index.ts'
import { findUserById } from '../../users/index.ts'
import { findDeletion } from './find-deletion.ts'
import { type IssueBuilderDeps, textChanges } from './issues.ts'
import type { HookMessage, MessageBuilders } from './payload.ts'
import { messageOf } from './payload.present.ts'
import { loadPayloadPull } from './pulls.ts'
import type { Changes } from './payload-types.ts'

type CommentEvent = DomainEvent<'comment.created' | 'comment.deleted' | 'comment.edited' | 'review_comment.created'>

/**
 * Comments on issues and on pull requests, whose payloads have the pull request too
 * (behaviour/orgs-webhooks-actions#payloads).
 */
export const commentBuilders = (deps: IssueBuilderDeps): MessageBuilders => ({
  'comment.created': (event) => buildMessage(deps, event, { action: 'created' }),
  'comment.edited': (event) => buildMessage(deps, event, { action: 'edited', changes: textChanges(event.payload) }),
  'comment.deleted': (event) => buildMessage(deps, event, { action: 'deleted' }),
  // NOTE: a further comment of a review that is no reply is not sent (behaviour/pull-requests#review-comments).
  'review_comment.created': async (event) =>
    event.payload.is_reply ? buildMessage(deps, event, { action: 'created' }) : [],
})

async function buildMessage(
  deps: IssueBuilderDeps,
  event: CommentEvent,
  { action, changes }: { readonly action: string; readonly changes?: Changes | undefined },
): Promise<HookMessage[]> {
  const {
    database: { read },
    facts,
    site,
  } = deps
  const found = await facts.load(event, 'sender')
  const view = found && (await findView(read, event, found.repo))
  if (view === undefined) return []
  const { repo, repository, sender } = found!
  const [issue] = await loadIssueViews(read, [view.issue], new Map([[repo.id, repo]]))
  if (issue === undefined) return []
  const isPull = view.issue.isPull
  const pull = isPull ? await loadPayloadPull(deps, repo, view.issue) : undefined
  if (isPull && pull === undefined) return []
  const payload = {
    action,
    issue: presentIssue(issue, ANONYMOUS, site),
    ...(pull && { pull_request: pull }),
    comment: presentComment(view, site),
    ...(changes && { changes }),
    repository,
    sender,
    is_pull: isPull,
  }
  return [messageOf(isPull ? 'pull_request_comment' : 'issue_comment', payload)]
}

/** Of a comment that was deleted since, what its deletion says of it; undefined when the issue was deleted. */
async function findView(db: Db, event: CommentEvent, repo: Repo): Promise<CommentView | undefined> {
  const deletion = event.kind === 'comment.deleted' ? event.payload : undefined
  if (deletion !== undefined) return loadDeletedView(db, deletion as EventPayload<'comment.deleted'>, repo)
  const id = event.payload.comment_id
  const [view] = await loadCommentsByIds(db, [id])
  if (view !== undefined) return view
  const later = await findDeletion(db, event, 'comment.deleted', (deleted) => deleted.comment_id === id)
  return later && loadDeletedView(db, later, repo)
}

async function loadDeletedView(
  db: Db,
  deletion: EventPayload<'comment.deleted'>,
  repo: Repo,
): Promise<CommentView | undefined> {
  const issue = await findIssueById(db, asId(deletion.issue_id))
  if (issue === undefined) return undefined
  const comment = deletedComment(deletion)
  return { comment, issue, repo, poster: await findUserById(db, comment.actorId), assets: [] }
}

const deletedComment = (payload: EventPayload<'comment.deleted'>): Comment => ({
  id: payload.comment_id,
  issueId: asId(payload.issue_id),
  repoId: asId(payload.repo_id),
  kind: 'comment',
  actorId: asId(payload.poster_id),
  targetId: 0,
  createdAt: payload.created_at,
  updatedAt: payload.updated_at ?? payload.created_at,
  payload: {},
  body: payload.body,
})
