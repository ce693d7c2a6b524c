import { isRepoAdmin, type RepoAccess } from '../../../access/repo-access.ts'
import { viewerId, type Viewer } from '../../../access/viewer.ts'
import { canWriteIssue } from '../issue.policy.ts'
import type { Issue } from '../records/issue.store.ts'
import type { TimelineEntry } from '../timeline/timeline-entry.store.ts'

/** An entry of the timeline that has a text of its poster. */
export type Comment = TimelineEntry<'comment'>

export const isComment = (entry: TimelineEntry): entry is Comment => entry.kind === 'comment'

/** Who may change and delete the text: its poster and writers (behaviour/issues#comments). */
export const canEditEntry = (viewer: Viewer, access: RepoAccess, issue: Issue, entry: TimelineEntry): boolean =>
  viewerId(viewer) === entry.actorId || canWriteIssue(access, issue)

/** Who may change the files: writers who are its poster or an administrator (behaviour/issues#attachments). */
export const canEditFiles = (viewer: Viewer, access: RepoAccess, issue: Issue, entry: TimelineEntry): boolean =>
  canWriteIssue(access, issue) && (viewerId(viewer) === entry.actorId || isRepoAdmin(access))

/** Whether a locked issue is closed to new comments of this caller (behaviour/issues#lock). */
export const isClosedToComments = (access: RepoAccess, issue: Issue): boolean =>
  issue.isLocked && !canWriteIssue(access, issue)
