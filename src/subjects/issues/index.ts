export { presentComment } from './comments/comment.present.ts'
export { type CommentView, loadCommentsByIds } from './comments/comment-views.ts'
export { hasOpenBlocker } from './dependencies/dependency.store.ts'
export { replaceLabels } from './changes/change-labels.ts'
export { changeState } from './changes/change-state.ts'
export { applyEdit, type IssueEdit, prepareEdit } from './changes/edit-issue.ts'
export { insertNewIssue } from './changes/create-issue.ts'
export { type AccountChange, appendIssueEvent, type IssueChange } from './changes/issue-change.ts'
export type { IssueNotice, IssueNotices } from './changes/issue-notices.ts'
export { type NewIssueChange, type NewPlan, preparePlan, recordPlan } from './changes/plan-new-issue.ts'
export type { StateRules } from './changes/state-rules.ts'
export type { TimeBookings } from './changes/time-bookings.ts'
export { type Comment, isComment, isHiddenFrom } from './comments/comment.policy.ts'
export { requireOpenToComments } from './comments/comments.service.ts'
export { changeLocked, requireLocked } from './changes/change-locked.ts'
export { getReadableIssue, type IssueGuard } from './issue.guards.ts'
export { canEditIssue, canReadIssue, canWriteIssue, normalizeTitle, unitOf } from './issue.policy.ts'
export type { Issue as IssueModel } from './issue.model.ts'
export { issueUrls, presentIssue, presentIssueLabel, presentIssues } from './issue.present.ts'
export { issuePayload } from './issues.events.ts'
export { readableIssues } from './readable-issues.store.ts'
export { listAssigneeIds } from './records/issue-assignee.store.ts'
export { insertMentions } from './records/issue-mention.store.ts'
export {
  countNewComments,
  findIssueById,
  findIssueByNumber,
  type Issue,
  listIssuesByIds,
  listIssuesByNumbers,
  lockIssue,
  lockIssueNumbers,
  takeIssueNumber,
  toIssue,
  touchIssues,
} from './records/issue.store.ts'
export { recordEntries } from './timeline/record-entries.ts'
export {
  deleteReferencesOfIssue,
  deleteReferencesOfRepos,
  updateReferenceActions,
} from './timeline/references.store.ts'
export {
  deleteEntry,
  findEntry,
  insertEntries,
  listEntriesByIds,
  listEntriesOfKind,
  publishEntries,
  type TimelineEntry,
  updateEntry,
} from './timeline/timeline-entry.store.ts'
export { deleteText, indexText } from './texts/issue-text.store.ts'
export { TrackedTime as TrackedTimeModel } from './timeline/timeline.model.ts'
export type { Timeline } from './timeline/timeline.service.ts'
export { type DeletedIssue, type IssueInView, type IssueView, loadDeletedIssueView, loadIssueViews } from './views.ts'
export { issueCounters, recountIssues } from './records/issue-counters.store.ts'
export { ISSUE_SORTS } from './lists/issue-filter.ts'
export { listRepoIssueIds } from './lists/repo-issues.store.ts'
export { listPinnedIds } from './pins/pin.store.ts'
export { listPullMetas } from './records/pull-meta.store.ts'
export { listLabelsOfIssues } from './records/issue-label.store.ts'
