import { isRepoAdmin, type RepoAccess } from '../../../../core/access/repo-access.ts'
import { viewerId, type Viewer } from '../../../../core/access/viewer.ts'
import { canWriteIssue } from '../issue.policy.ts'
import type { Issue } from '../records/issue.store.ts'
import type { EntryKind, TimelineEntry } from '../timeline/timeline-entry.store.ts'

/** An entry of the timeline that has a text of its poster: also the comments of reviews. */
export type Comment = TimelineEntry<'code' | 'comment' | 'pending_code'>

export const COMMENT_KINDS = ['code', 'comment', 'pending_code'] as const satisfies readonly EntryKind[]

export const isComment = (entry: TimelineEntry): entry is Comment => COMMENT_KINDS.some((kind) => entry.kind === kind)

/** What its poster and writers may change and delete: a comment, the text of a review, or why one was dismissed. */
export type Text = Comment | TimelineEntry<'dismiss_review' | 'review'>

export const isText = (entry: TimelineEntry): entry is Text =>
  isComment(entry) || entry.kind === 'review' || entry.kind === 'dismiss_review'

/** Whether the text is searched, refers to issues, and is in webhooks. */
export const isPublished = ({ kind }: TimelineEntry): boolean =>
  kind === 'code' || kind === 'comment' || kind === 'review'

/**
 * What a review that was not submitted has is known to its reviewer alone (behaviour/pull-requests#review-comments).
 */
export const isHiddenFrom = (viewer: Viewer, { kind, actorId }: TimelineEntry): boolean =>
  (kind === 'pending_code' || kind === 'pending_review') && viewerId(viewer) !== actorId

/** Who may change and delete the text: its poster and writers (behaviour/issues#comments). */
export const canEditEntry = (viewer: Viewer, access: RepoAccess, issue: Issue, entry: TimelineEntry): boolean =>
  viewerId(viewer) === entry.actorId || canWriteIssue(access, issue)

/** Who may change the files: writers who are its poster or an administrator (behaviour/issues#attachments). */
export const canEditFiles = (viewer: Viewer, access: RepoAccess, issue: Issue, entry: TimelineEntry): boolean =>
  canWriteIssue(access, issue) && (viewerId(viewer) === entry.actorId || isRepoAdmin(access))
