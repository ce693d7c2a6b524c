import { ANONYMOUS } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { DomainEvent, EventPayload } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import {
  type Comment,
  type CommentView,
  type Issue,
  type IssueView,
  presentComment,
  issueQueries,
  issuePresenters,
} from '../../../issues/index.ts'
import { userQueries } from '../../../accounts/index.ts'
import { findDeletion } from './event-facts.ts'
import { findIssueView, type IssueBuilderDeps, textChanges } from './issues.ts'
import type { HookMessage, MessageBuilders } from './payload.ts'
import { messageOf } from '../hook.present.ts'
import { loadPullOf } from './pulls.ts'
import type { Changes } from './payload-types.ts'

type CommentEvent = DomainEvent<'comment.created' | 'comment.deleted' | 'comment.edited' | 'review_comment.created'>

/**
 * Comments on issues and on pull requests; payloads of the latter contain the pull request
 * (behaviour/orgs-webhooks-actions#payloads).
 */
export const commentBuilders = (deps: IssueBuilderDeps): MessageBuilders => ({
  'comment.created': (event) => buildMessage(deps, event, { action: 'created' }),
  'comment.edited': (event) => buildMessage(deps, event, { action: 'edited', changes: textChanges(event.payload) }),
  'comment.deleted': (event) => buildMessage(deps, event, { action: 'deleted' }),
  // NOTE: an additional comment of a review that is not a reply is not sent (behaviour/pull-requests#review-comments).
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
  const issue = found && (await findIssueView(read, event, found.repo))
  const view = issue && (await findView(read, event, issue))
  if (view === undefined) return []
  const { repo, repository, sender } = found!
  const isPull = view.issue.isPull
  const pull = isPull ? await loadPullOf(deps, event, repo) : undefined
  if (isPull && pull === undefined) return []
  const payload = {
    action,
    issue: issuePresenters.present(issue!, ANONYMOUS, site),
    ...(pull && { pull_request: pull }),
    comment: presentComment(view, site),
    ...(changes && { changes }),
    repository,
    sender,
    is_pull: isPull,
  }
  return [messageOf(isPull ? 'pull_request_comment' : 'issue_comment', payload)]
}

/** For a deleted comment, returns the data of its deletion event; otherwise the data of the event itself. */
async function findView(
  db: Db,
  event: CommentEvent,
  { issue, repo }: Pick<IssueView, 'issue' | 'repo'>,
): Promise<CommentView | undefined> {
  const id = event.payload.comment_id
  const isDeletion = event.kind === 'comment.deleted'
  const there = isDeletion ? undefined : await issueQueries.findCommentOf(db, { issue, repo }, id)
  if (there !== undefined) return there
  const later = isDeletion ? undefined : await findDeletion(db, event, 'comment.deleted', (it) => it.comment_id === id)
  const text = later ?? (event.payload as Partial<EventPayload<'comment.deleted'>>)
  if (text.body === undefined) return undefined
  const author = await userQueries.findById(db, asId(text.poster_id ?? 0))
  return { comment: commentOf(id, issue, text as CommentText), issue, repo, author, assets: [] }
}

type CommentText = Pick<EventPayload<'comment.deleted'>, 'body' | 'created_at' | 'poster_id' | 'updated_at'>

const commentOf = (id: number, { id: issueId, repoId }: Issue, text: CommentText): Comment => ({
  id,
  issueId,
  repoId,
  kind: 'comment',
  actorId: asId(text.poster_id),
  targetId: 0,
  createdAt: text.created_at,
  updatedAt: text.updated_at ?? text.created_at,
  payload: {},
  body: text.body,
})
