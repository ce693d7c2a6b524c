export { replaceLabels } from './issues/changes/change-labels.ts'
export { changeLocked, type IssueEdit, applyEdit, prepareEdit } from './issues/changes/edit-issue.ts'
export {
  changeState,
  type IssueNotice,
  type IssueNotices,
  type StateRules,
  type TimeBookings,
  type AccountChange,
  type IssueChange,
  appendIssueEvent,
} from './issues/changes/issue-change.ts'
export { insertNewIssue } from './issues/changes/create-issue.ts'
export { type NewIssueChange, type NewPlan, preparePlan, recordPlan } from './issues/changes/plan-new-issue.ts'
export { type CommentView, loadCommentsByIds } from './issues/comments/comment-views.ts'
export {
  type Comment,
  isComment,
  isHiddenFrom,
  canEditIssue,
  canReadIssue,
  canWriteIssue,
  normalizeTitle,
  unitOf,
} from './issues/issue.policy.ts'
export { presentComment } from './issues/issues.present.ts'
export { requireOpenToComments } from './issues/comments/comments.service.ts'
export { hasOpenBlocker } from './issues/dependencies/dependency.store.ts'
export { getReadableIssue } from './issues/issue.guards.ts'
export type { Issue as IssueModel } from './issues/issue.model.ts'
export { issueUrls, presentIssue, presentIssueLabel, presentIssues } from './issues/issue.present.ts'
export { ISSUE_SORTS } from './issues/lists/issue-filter.ts'
export { listRepoIssueIds } from './issues/lists/repo-issues.store.ts'
export { listPinnedIds } from './issues/pins/pin.store.ts'
export { listAssigneeIds } from './issues/records/issue-assignee.store.ts'
export { issueCounters, recountIssues, listLabelsOfIssues, listPullMetas } from './issues/records/records.store.ts'
export {
  type Issue,
  countNewComments,
  findIssueById,
  findIssueByNumber,
  listIssuesByIds,
  lockIssue,
  lockIssueNumbers,
  takeIssueNumber,
  toIssue,
  touchIssues,
} from './issues/records/issue.store.ts'
export { deleteText, indexText } from './issues/texts/issue-text.store.ts'
export { recordEntries } from './issues/timeline/record-entries.ts'
export {
  type TimelineEntry,
  deleteEntry,
  findEntry,
  insertEntries,
  listEntriesByIds,
  listEntriesOfKind,
  publishEntries,
  updateEntry,
} from './issues/timeline/timeline-entry.store.ts'
export type { Timeline } from './issues/timeline/timeline.service.ts'
export {
  type DeletedIssue,
  type IssueInView,
  type IssueView,
  loadDeletedIssueView,
  loadIssueViews,
} from './issues/views.ts'
export { labelCounters, recountLabels } from './labels/label-counters.store.ts'
export { Label as LabelModel } from './labels/label.model.ts'
export { presentLabel } from './labels/label.present.ts'
export { insertLabels, listLabelsByIds, listUsableLabels } from './labels/label.store.ts'
export { readColor } from './labels/labels.policy.ts'
export { milestoneCounters, recountMilestones } from './milestones/milestone-counters.store.ts'
export { Milestone as MilestoneModel } from './milestones/milestone.model.ts'
export { findMilestone } from './milestones/milestone.store.ts'
export type { Milestones } from './milestones/milestones.service.ts'
export { applyMergeKeywords, listClosedByMerge } from './references/closing-references.ts'
export type { EntryText, TextReferences } from './references/texts/write-references.ts'
