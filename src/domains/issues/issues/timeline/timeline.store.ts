import type { Db, Tx } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { type IssueId, type RepoId, type UserId, asId } from '../../../../core/platform/crypto/ids.ts'
import {
  type RefAction,
  toEntry,
  type EntryKind,
  type TimelineEntry,
  boundsOf,
  type UpdateBounds,
  updatedIn,
} from './timeline-entry.store.ts'
import { sql, type SqlBool } from 'kysely'
import {
  joinViewer,
  readsUnit,
  type RepoViewer,
  type ViewerValues,
  splitViewer,
  visibleRepos,
} from '../../../../core/access/visible-repos.ts'
import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Paging } from '../../../../core/platform/paging.ts'
import { readableIssues } from '../readable-issues.store.ts'
import type { UpdateSpan } from './update-span.ts'

/** Kinds of entries whose target is the issue that contains the reference. */
const OF_ISSUES = ['issue_ref', 'pull_ref', 'comment_ref'] as const

/** Sets the effect of the references in these entries. */
export async function updateReferenceActions(
  tx: Tx,
  entryIds: readonly number[],
  action: RefAction,
  at: number,
): Promise<void> {
  if (entryIds.length === 0) return
  const rows = await tx.selectFrom('timeline_entry').selectAll().where('id', 'in', entryIds).execute()
  for (const { id, payload } of rows.map(toEntry))
    await tx
      .updateTable('timeline_entry')
      .set({ payload: JSON.stringify({ ...payload, action }), updated_at: at })
      .where('id', '=', id)
      .execute()
}

/** Deletes the entries for references from this issue or a comment on it. */
export async function deleteReferencesOfIssue(tx: Tx, issueId: IssueId): Promise<void> {
  await tx.deleteFrom('timeline_entry').where('target_id', '=', issueId).where('kind', 'in', OF_ISSUES).execute()
}

/** Deletes the entries for references from issues or commits of a repository, or of all repositories of an owner. */
export async function deleteReferencesOfRepos(
  tx: Tx,
  of: { readonly id: RepoId } | { readonly ownerId: UserId },
): Promise<void> {
  const repos = (db: Db) =>
    'id' in of
      ? db.selectFrom('repo').select('repo.id').where('repo.id', '=', of.id)
      : db.selectFrom('repo').select('repo.id').where('repo.owner_id', '=', of.ownerId)
  const issues = tx.selectFrom('issue').select('issue.id').where('issue.repo_id', 'in', repos(tx))
  await tx.deleteFrom('timeline_entry').where('target_id', 'in', issues).where('kind', 'in', OF_ISSUES).execute()
  await tx.deleteFrom('timeline_entry').where('target_id', 'in', repos(tx)).where('kind', '=', 'commit_ref').execute()
}

/** Entries whose target is the issue that contains a reference. */
export const ISSUE_REFERENCES = ['issue_ref', 'pull_ref', 'comment_ref'] as const satisfies readonly EntryKind[]

/** Only the author sees pending entries. */
const PENDING = ['pending_code', 'pending_review'] as const satisfies readonly EntryKind[]
/** Comments of reviews are listed with their review. */
const UNLISTED = ['code', ...PENDING] as const satisfies readonly EntryKind[]

/** Selects the entries of an issue that are listed. */
interface EntryScope {
  readonly issueId: IssueId
  readonly span: UpdateSpan
  /** Includes the comments of submitted reviews. */
  readonly hasReviewComments?: boolean
}

const issuesInView = (db: Db, viewer: RepoViewer) =>
  db
    .selectFrom('issue')
    .innerJoin('repo', 'repo.id', 'issue.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .select('issue.id')
    .where((eb) => readableIssues(viewer)(eb))

/** The issues among these that the viewer may read. */
export async function listReadableIssueIds(db: Db, viewer: Viewer, ids: readonly IssueId[]): Promise<IssueId[]> {
  if (ids.length === 0) return []
  const rows = await issuesInView(db, viewer).where('issue.id', 'in', ids).execute()
  return rows.map(({ id }) => asId<IssueId>(id))
}

/**
 * The entries of an issue, oldest first, without references from issues that the viewer may not read
 * (behaviour/issues#timeline).
 */
export async function listEntries(
  db: Db,
  viewer: Viewer,
  scope: EntryScope,
  { limit, offset }: Paging,
): Promise<TimelineEntry[]> {
  const { values, shape } = splitViewer(viewer)
  const listed = scope.hasReviewComments === true ? 'with review comments' : 'listed'
  const wanted = { ...values, ...boundsOf(scope.span), issueId: scope.issueId, offset }
  return (await entriesOf(db, wanted, shape, listed, String(limit))).map(toEntry)
}

interface Wanted extends ViewerValues, UpdateBounds {
  readonly issueId: IssueId
  readonly offset: number
}

type Shape = [sight: string, listed: 'listed' | 'with review comments', limit: string]

const entriesOf = defineQuery((db, { issueId, offset, ...values }: Wanted, ...[sight, listed, limit]: Shape) =>
  entriesInView(db, joinViewer(values, sight), {
    issueId,
    bounds: values,
    hasReviewComments: listed === 'with review comments',
  })
    .selectAll('timeline_entry')
    .limit(Number(limit))
    .offset(offset),
)

/** The ids of at most `limit` of these entries. */
export async function listEntryIds(db: Db, viewer: Viewer, scope: EntryScope, limit: number): Promise<number[]> {
  const rows = await entriesInView(db, viewer, { ...scope, bounds: boundsOf(scope.span) })
    .select('timeline_entry.id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

interface EntryRange extends Omit<EntryScope, 'span'> {
  readonly bounds: UpdateBounds
}

function entriesInView(db: Db, viewer: RepoViewer, { issueId, bounds, hasReviewComments = false }: EntryRange) {
  // NOTE: without an offset PostgreSQL would find all readable issues and repositories first, to compare with each entry.
  const source = issuesInView(db, viewer)
    .where(sql<SqlBool>`issue.id = timeline_entry.target_id`)
    .limit(1)
    .offset(0)
  const sourceOfCommit = db
    .selectFrom('repo')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .select('repo.id')
    .where((eb) => visibleRepos(viewer)(eb))
    .where(readsUnit(viewer, 'repo.code'))
    .where(sql<SqlBool>`repo.id = timeline_entry.target_id`)
    .limit(1)
    .offset(0)
  return db
    .selectFrom('timeline_entry')
    .where('timeline_entry.issue_id', '=', issueId)
    .where('timeline_entry.kind', 'not in', hasReviewComments ? PENDING : UNLISTED)
    .where((eb) => updatedIn(bounds)(eb))
    .where((eb) => eb.or([eb('timeline_entry.kind', 'not in', ISSUE_REFERENCES), eb.exists(source)]))
    .where((eb) => eb.or([eb('timeline_entry.kind', '!=', 'commit_ref'), eb.exists(sourceOfCommit)]))
    .orderBy('timeline_entry.created_at')
    .orderBy('timeline_entry.id')
}
