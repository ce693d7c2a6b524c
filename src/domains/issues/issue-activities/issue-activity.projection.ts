import type { Tx } from '../../../core/db/database.ts'
import type { AppendedEvent, Projections } from '../../../core/events/index.ts'
import { asId, type IssueId } from '../../../core/platform/crypto/ids.ts'
import { socialQueries } from '../../repositories/index.ts'

/** The API's names of activities on issues and on pull requests. */
const KINDS = {
  'issue.created': ['create_issue', 'create_pull_request'],
  'issue.closed': ['close_issue', 'close_pull_request'],
  'issue.reopened': ['reopen_issue', 'reopen_pull_request'],
  'comment.created': ['comment_issue', 'comment_pull'],
} as const

const MERGE_KINDS = { merged: 'merge_pull_request', 'auto-merged': 'auto_merge_pull_request' } as const

/** The maximum length of a comment's excerpt. */
const MAX_EXCERPT = 200

/** Number and text; clients split them at the first bar. */
const contentOf = (number: number, text: string): string => `${number}|${text}`

const excerptOf = (text: string): string =>
  Array.from(text.slice(0, 2 * MAX_EXCERPT))
    .slice(0, MAX_EXCERPT)
    .join('')

interface Recorded {
  readonly text: string
  readonly commentId: number
  readonly opType?: string | undefined
}

async function record(
  tx: Tx,
  { id, kind, actorId, repoId, at, payload }: AppendedEvent<keyof typeof KINDS>,
  { text, commentId, opType }: Recorded,
): Promise<void> {
  if (actorId <= 0) return
  await socialQueries.insertActivities(tx, [
    {
      event_id: id,
      op_type: opType ?? KINDS[kind][payload.is_pull ? 1 : 0],
      actor_id: actorId,
      repo_id: repoId,
      content: contentOf(payload.number, text),
      issue_id: payload.issue_id,
      comment_id: commentId,
      created_at: at,
    },
  ])
}

async function recordIssue(
  tx: Tx,
  event: AppendedEvent<'issue.closed' | 'issue.created' | 'issue.reopened'>,
): Promise<void> {
  const merge = 'merge' in event.payload ? event.payload.merge : undefined
  await record(tx, event, { text: event.entities.issue.title, commentId: 0, opType: merge && MERGE_KINDS[merge] })
}

const onComment = ({ issue_id, comment_id }: { readonly issue_id: number; readonly comment_id: number }) => ({
  issueId: asId<IssueId>(issue_id),
  commentId: comment_id,
})

/**
 * Feed entries: accounts that create, close, reopen and comment on issues
 * (behaviour/users-and-admin#activity-and-other-lists). A feed shows the present text of a comment.
 */
export const issueActivityProjections: Projections = {
  'issue.created': recordIssue,
  'issue.closed': recordIssue,
  'issue.reopened': recordIssue,
  'comment.created': (tx, event) => {
    const { id, body } = event.entities.comment
    return record(tx, event, { text: excerptOf(body), commentId: id })
  },
  'comment.edited': (tx, { payload, entities: { comment } }) =>
    socialQueries.updateActivityOfComment(tx, onComment(payload), contentOf(payload.number, excerptOf(comment.body))),
  'comment.deleted': (tx, { payload }) => socialQueries.deleteActivitiesOn(tx, onComment(payload)),
  // Entries about the issue contain its former number and are visible to readers of the former repository.
  'issue.transferred': (tx, { payload }) => socialQueries.deleteActivitiesOn(tx, { issueId: asId(payload.issue_id) }),
  'issue.deleting': (tx, { payload }) => socialQueries.deleteActivitiesOn(tx, { issueId: asId(payload.issue_id) }),
}
