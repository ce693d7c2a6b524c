export {
  issueQueries,
  timelineQueries,
  issueChanges,
  issueImports,
  labelQueries,
  milestoneQueries,
} from './issues.queries.ts'
export type { IssueEdit } from './issues/changes/edit-issue.ts'
export type { IssueNotice, AccountChange, IssueChange } from './issues/changes/issue-change.ts'
export type { NewIssueChange, TriageFields } from './issues/changes/triage-new-issue.ts'
export type { CommentView } from './issues/comments/comment-views.ts'
export type { IssueEntities } from './issues/issues.events.ts'
export { requireOpenToComments } from './issues/comments/comments.service.ts'
export type { Issue as IssueModel } from './issues/issue.model.ts'
export { type Comment, issueRules } from './issues/issue.policy.ts'
export { issuePresenters } from './issues/issue.present.ts'
export type { ImportedItem } from './issues/imports/imported-items.store.ts'
export type { ImportedTime } from './times/imported-times.store.ts'
export type { ImportedChange, ImportedEntry } from './issues/imports/imported-entries.store.ts'
export type { ImportedIssue } from './issues/imports/imported-issues.store.ts'
export { presentComment } from './issues/issues.present.ts'
export { entryPresenter } from './issues/timeline/entry.present.ts'
export { ISSUE_SORTS } from './issues/lists/issue-filter.ts'
export type { Issue } from './issues/records/issue.store.ts'
export type { TimelineEntry } from './issues/timeline/timeline-entry.store.ts'
export type { DeletedIssue, IssueInView, IssueView } from './issues/views.ts'
export { Label as LabelModel } from './labels/label.model.ts'
export { presentLabel } from './labels/label.present.ts'
export { readColor } from './labels/labels.policy.ts'
export { Milestone as MilestoneModel } from './milestones/milestone.model.ts'
export type { EntryText } from './references/texts/write-references.ts'
