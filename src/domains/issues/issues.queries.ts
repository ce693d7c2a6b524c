import { replaceLabels } from './issues/changes/change-labels.ts'
import { insertNewIssue } from './issues/changes/create-issue.ts'
import { applyEdit, changeLocked, prepareEdit } from './issues/changes/edit-issue.ts'
import { appendIssueEvent, changeState } from './issues/changes/issue-change.ts'
import { findTriageFields, recordTriage } from './issues/changes/triage-new-issue.ts'
import { findCommentOf } from './issues/comments/comment-views.ts'
import { hasOpenBlocker } from './issues/dependencies/dependency.store.ts'
import { claimEntries, claimIssues } from './issues/imports/claim-author.store.ts'
import { dropImportedAssignees } from './issues/imports/drop-assignees.ts'
import { insertImportedDependencies } from './issues/imports/imported-dependencies.store.ts'
import { insertImportedEntries } from './issues/imports/imported-entries.store.ts'
import { insertImportedIssues } from './issues/imports/imported-issues.store.ts'
import {
  completeImport,
  deleteImportedIssues,
  deleteSomeImported,
  listImportedIds,
  listImportedItems,
  recountImportedComments,
} from './issues/imports/imported-items.store.ts'
import { getReadableIssue } from './issues/issue.guards.ts'
import { listRepoIssueIds } from './issues/lists/repo-issues.store.ts'
import { listPinnedIds } from './issues/pins/pin.store.ts'
import { listAssigneeIds } from './issues/records/issue-assignee.store.ts'
import {
  countNewComments,
  findIssueById,
  findIssueByNumber,
  listIssuesByIds,
  lockIssue,
  lockIssueNumbers,
  allocateIssueNumber,
  toIssue,
  touchIssues,
} from './issues/records/issue.store.ts'
import {
  issueCounters,
  issueCountersOfRepos,
  listLabelsOfIssues,
  listPullMetas,
  recountIssues,
} from './issues/records/records.store.ts'
import { deleteText, indexText } from './issues/texts/issue-text.store.ts'
import { recordEntries } from './issues/timeline/record-entries.ts'
import {
  deleteEntry,
  findEntry,
  insertEntries,
  listEntriesByIds,
  listEntriesOfKind,
  publishEntries,
  updateEntry,
} from './issues/timeline/timeline-entry.store.ts'
import { loadDeletedIssueView, loadIssueViews } from './issues/views.ts'
import { labelCounters, recountLabels } from './labels/label-counters.store.ts'
import { insertLabels, listLabelIdsByName, listLabelsByIds, listUsableLabels } from './labels/label.store.ts'
import { insertImportedMilestone } from './milestones/imported-milestone.store.ts'
import { milestoneCounters, recountMilestones } from './milestones/milestone-counters.store.ts'
import { findMilestone, findMilestoneTitled } from './milestones/milestone.store.ts'
import { claimReactions } from './reactions/claim-reactions.store.ts'
import { insertImportedReactions } from './reactions/imported-reactions.store.ts'
import { commitLink } from './references/commits/commit-link.ts'
import {
  findText,
  insertImportedReferences,
  listImportedTexts,
  textKey,
} from './references/records/imported-references.store.ts'
import { listReferringTimes, retargetEntries } from './references/records/retargeted-references.ts'
import { applyMergeKeywords, listClosedByMerge } from './references/closing-references.ts'
import { claimTimes } from './times/claim-times.store.ts'
import { insertImportedTimes } from './times/imported-times.store.ts'

/** Reads and commands on issues and pull requests that run in the transaction of a caller in a later domain. */
export const issueQueries = {
  findById: findIssueById,
  findByNumber: findIssueByNumber,
  listByIds: listIssuesByIds,
  listIdsOfRepo: listRepoIssueIds,
  listPinnedIds,
  listAssigneeIds,
  listLabels: listLabelsOfIssues,
  listPullMetas,
  toIssue,
  hasOpenBlocker,
  countNewComments,
  lock: lockIssue,
  lockNumbers: lockIssueNumbers,
  allocateNumber: allocateIssueNumber,
  touch: touchIssues,
  indexText,
  deleteText,
  counters: issueCounters,
  repoCounters: issueCountersOfRepos,
  recount: recountIssues,
  loadViews: loadIssueViews,
  loadDeletedView: loadDeletedIssueView,
  findCommentOf,
  getReadable: getReadableIssue,
} as const

/** Reads and commands on the entries of timelines that run in the transaction of a caller in a later domain. */
export const timelineQueries = {
  find: findEntry,
  listByIds: listEntriesByIds,
  listOfKind: listEntriesOfKind,
  insert: insertEntries,
  record: recordEntries,
  publish: publishEntries,
  update: updateEntry,
  delete: deleteEntry,
} as const

/** The steps of which creating and editing an issue consist; pull requests are issues too. */
export const issueChanges = {
  findTriageFields,
  recordTriage,
  insertNew: insertNewIssue,
  prepareEdit,
  applyEdit,
  changeLocked,
  changeState,
  replaceLabels,
  appendEvent: appendIssueEvent,
  applyMergeKeywords,
  listClosedByMerge,
} as const

/** Rows of imports, which cause no events, notifications or counters. */
export const issueImports = {
  insertIssues: insertImportedIssues,
  insertEntries: insertImportedEntries,
  listReferringTimes,
  retarget: retargetEntries,
  insertReferences: insertImportedReferences,
  listTexts: listImportedTexts,
  textKey,
  findText,
  commitLink,
  insertMilestone: insertImportedMilestone,
  insertReactions: insertImportedReactions,
  insertTimes: insertImportedTimes,
  insertDependencies: insertImportedDependencies,
  listIds: listImportedIds,
  listItems: listImportedItems,
  recountComments: recountImportedComments,
  delete: deleteImportedIssues,
  deleteSome: deleteSomeImported,
  complete: completeImport,
  dropAssignees: dropImportedAssignees,
  claimIssues,
  claimEntries,
  claimReactions,
  claimTimes,
} as const

/** Reads and commands on labels that run in the transaction of a caller in a later domain. */
export const labelQueries = {
  listByIds: listLabelsByIds,
  listUsable: listUsableLabels,
  insert: insertLabels,
  listIdsByName: listLabelIdsByName,
  counters: labelCounters,
  recount: recountLabels,
} as const

/** Reads and commands on milestones that run in the transaction of a caller in a later domain. */
export const milestoneQueries = {
  find: findMilestone,
  findTitled: findMilestoneTitled,
  counters: milestoneCounters,
  recount: recountMilestones,
} as const
