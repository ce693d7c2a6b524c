import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import {
  asId,
  type IssueId,
  type LabelId,
  type MilestoneId,
  type UserId,
} from '../../../../core/platform/crypto/ids.ts'
import { type Attachment, attachmentQueries, repoQueries } from '../../../repositories/index.ts'
import { type Label, listLabelsByIds } from '../../labels/label.store.ts'
import { type Milestone, listMilestonesByIds } from '../../milestones/milestone.store.ts'
import { type User, userQueries } from '../../../accounts/index.ts'
import { isText, type Text } from '../issue.policy.ts'
import { type CommentView, loadCommentViews } from '../comments/comment-views.ts'
import { type IssueView, loadIssueViewsByIds } from '../views.ts'
import { ISSUE_REFERENCES, listReadableIssueIds } from './timeline.store.ts'
import { type EntryKind, isKind, listEntriesByIds, type TimelineEntry } from './timeline-entry.store.ts'
import type { TimelineComment } from './timeline.model.ts'

/** Members of the wire model that other modules fill. */
type EntryDetails = Partial<
  Pick<
    TimelineComment,
    'assignee_team' | 'old_project_id' | 'project_id' | 'resolve_doer' | 'review_id' | 'tracked_time'
  >
>

type DetailsById = ReadonlyMap<number, EntryDetails>

/** The details of entries by the id of the entry, loaded for a page with a fixed number of queries. */
export type DetailsLoader = (viewer: Viewer, entries: readonly TimelineEntry[]) => Promise<DetailsById>

/** Entries for which several loaders return details get all of them. */
export function mergeDetails(loaded: readonly DetailsById[]): DetailsById {
  const merged = new Map<number, EntryDetails>()
  for (const details of loaded) for (const [id, more] of details) merged.set(id, { ...merged.get(id), ...more })
  return merged
}

/** The rows that the entries of a page refer to. Deleted rows, and issues that the viewer may not read, are absent. */
export interface EntryFacts {
  readonly users: ReadonlyMap<UserId, User>
  readonly labels: ReadonlyMap<LabelId, Label>
  readonly milestones: ReadonlyMap<MilestoneId, Milestone>
  readonly issues: ReadonlyMap<IssueId, IssueView>
  /** The comments that contain references, by id. */
  readonly comments: ReadonlyMap<number, CommentView>
  /** Details from other modules, by the id of the entry. */
  readonly details: ReadonlyMap<number, EntryDetails>
}

const USER_KINDS: ReadonlySet<EntryKind> = new Set(['assignees', 'review_request'])
const DEPENDENCIES: ReadonlySet<EntryKind> = new Set(['add_dependency', 'remove_dependency'])

/**
 * Loads the rows that the entries refer to, with a fixed number of queries. The viewer may read the issues from which
 * the entries are references, as in the entries of `listEntries`.
 */
export async function loadEntryFacts(
  db: Db,
  viewer: Viewer,
  entries: readonly TimelineEntry[],
): Promise<Omit<EntryFacts, 'details'>> {
  const targetsOf = (kinds: ReadonlySet<EntryKind>): number[] =>
    entries.filter((entry) => kinds.has(entry.kind)).map((entry) => entry.targetId)
  const milestoneIds = entries
    .filter((entry) => isKind(entry, 'milestone'))
    .flatMap(({ payload }) => [payload.oldId, payload.newId])
  const [users, labels, milestones, issues, sources] = await Promise.all([
    userQueries.listByIds(db, [...entries.map((entry) => entry.actorId), ...targetsOf(USER_KINDS).map(asId<UserId>)]),
    listLabelsByIds(db, targetsOf(new Set(['label'])).map(asId<LabelId>)),
    listMilestonesByIds(db, milestoneIds.filter((id) => id !== 0).map(asId<MilestoneId>)),
    loadIssues(db, viewer, {
      readable: targetsOf(new Set(ISSUE_REFERENCES)).map(asId<IssueId>),
      others: targetsOf(DEPENDENCIES).map(asId<IssueId>),
    }),
    loadSourceComments(db, entries),
  ])
  const comments = await loadCommentViews(db, sources.comments, { issues, assets: sources.assets })
  return {
    users: new Map(users.map((user) => [user.id, user])),
    labels,
    milestones,
    issues,
    comments: new Map(comments.map((view) => [view.comment.id, view])),
  }
}

/** Loads the issues in `readable`, and those in `others` that the viewer may read. */
async function loadIssues(
  db: Db,
  viewer: Viewer,
  { readable, others }: { readonly readable: readonly IssueId[]; readonly others: readonly IssueId[] },
): Promise<ReadonlyMap<IssueId, IssueView>> {
  const ids = [...readable, ...(await listReadableIssueIds(db, viewer, [...new Set(others)]))]
  const views = await loadIssueViewsByIds(db, viewer, [...new Set(ids)], (repoIds) =>
    repoQueries.listByIds(db, repoIds),
  )
  return new Map(views.map((view) => [view.issue.id, view]))
}

/** The comments that contain references, and their files. */
async function loadSourceComments(
  db: Db,
  entries: readonly TimelineEntry[],
): Promise<{ readonly comments: readonly Text[]; readonly assets: readonly Attachment[] }> {
  const ids = entries.filter((entry) => isKind(entry, 'comment_ref')).map(({ payload }) => payload.commentId)
  const [comments, assets] = await Promise.all([
    listEntriesByIds(db, ids),
    attachmentQueries.listOf(db, 'comment', ids),
  ])
  return { comments: comments.filter(isText), assets }
}
