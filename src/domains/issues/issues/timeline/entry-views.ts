import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import {
  asId,
  type IssueId,
  type LabelId,
  type MilestoneId,
  type UserId,
} from '../../../../core/platform/crypto/ids.ts'
import { attachmentQueries, repoQueries } from '../../../repositories/index.ts'
import { type Label, listLabelsByIds } from '../../labels/label.store.ts'
import { type Milestone, listMilestonesByIds } from '../../milestones/milestone.store.ts'
import { type User, userQueries } from '../../../accounts/index.ts'
import { isText } from '../issue.policy.ts'
import { type CommentView, loadCommentViews } from '../comments/comment-views.ts'
import { listIssuesByIds } from '../records/issue.store.ts'
import { type IssueView, loadIssueViews } from '../views.ts'
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
  const [users, labels, milestones, issues] = await Promise.all([
    userQueries.listByIds(db, [...entries.map((entry) => entry.actorId), ...targetsOf(USER_KINDS).map(asId<UserId>)]),
    listLabelsByIds(db, targetsOf(new Set(['label'])).map(asId<LabelId>)),
    listMilestonesByIds(db, milestoneIds.filter((id) => id !== 0).map(asId<MilestoneId>)),
    loadIssues(db, viewer, {
      readable: targetsOf(new Set(ISSUE_REFERENCES)).map(asId<IssueId>),
      others: targetsOf(DEPENDENCIES).map(asId<IssueId>),
    }),
  ])
  return {
    users: new Map(users.map((user) => [user.id, user])),
    labels,
    milestones,
    issues,
    comments: await loadSourceComments(db, entries, issues),
  }
}

/** Loads the issues in `readable`, and those in `others` that the viewer may read. */
async function loadIssues(
  db: Db,
  viewer: Viewer,
  { readable, others }: { readonly readable: readonly IssueId[]; readonly others: readonly IssueId[] },
): Promise<ReadonlyMap<IssueId, IssueView>> {
  const ids = [...readable, ...(await listReadableIssueIds(db, viewer, [...new Set(others)]))]
  const issues = await listIssuesByIds(db, [...new Set(ids)])
  const repos = await repoQueries.listByIds(db, [...new Set(issues.map((issue) => issue.repoId))])
  const views = await loadIssueViews(db, issues, new Map(repos.map((repo) => [repo.id, repo])), { viewer })
  return new Map(views.map((view) => [view.issue.id, view]))
}

async function loadSourceComments(
  db: Db,
  entries: readonly TimelineEntry[],
  issues: ReadonlyMap<IssueId, IssueView>,
): Promise<ReadonlyMap<number, CommentView>> {
  const ids = entries.filter((entry) => isKind(entry, 'comment_ref')).map(({ payload }) => payload.commentId)
  const comments = (await listEntriesByIds(db, ids)).filter(isText)
  const assets = await attachmentQueries.listOf(
    db,
    'comment',
    comments.map((comment) => comment.id),
  )
  const views = await loadCommentViews(db, comments, { issues, assets })
  return new Map(views.map((view) => [view.comment.id, view]))
}
