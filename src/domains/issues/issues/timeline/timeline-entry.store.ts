import {
  type Expression,
  type ExpressionBuilder,
  type Insertable,
  type Selectable,
  type SqlBool,
  type Updateable,
} from 'kysely'
import { type Db, dialectOf, type Tx } from '../../../../core/db/database.ts'
import type { Schema } from '../../../../core/db/schema.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { asId, type IssueId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Issue } from '../records/issue.store.ts'
import type { TimelineEntryTable } from '../issues.table.ts'
import { type OriginalAuthor, toOriginalAuthor } from '../../../../core/db/original-author.ts'
import type { UpdateSpan } from './update-span.ts'

export type RefAction = 'none' | 'closes' | 'reopens' | 'neutered'

/** The effect of a commit, another issue or its comment on the issue that it refers to. */
interface Reference {
  readonly action: RefAction
}

/**
 * The additional data of each kind of entry. `pending_review` and `pending_code` belong to a review that is not
 * submitted. `target_id` of an entry is, by kind: of `label` the label, of `project` and `project_board` the project,
 * of `assignees` and `review_request` the user, of `issue_ref`, `pull_ref` and `comment_ref` the issue that contains
 * the reference, of `add_dependency` and `remove_dependency` the other issue, of `commit_ref` the repository of the
 * commit, of `stop_tracking` and `add_time_manual` the tracked time. `body` of `pull_push` is the JSON text that the
 * API shows.
 */
interface EntryPayloads {
  comment: { readonly commitOid?: string }
  close: { readonly commitOid?: string }
  reopen: { readonly commitOid?: string }
  issue_ref: Reference
  pull_ref: Reference
  comment_ref: Reference & { readonly commentId: number }
  commit_ref: Reference & { readonly oid: string }
  label: { readonly isAdded: boolean }
  milestone: { readonly oldId: number; readonly newId: number }
  assignees: { readonly isRemoved: boolean }
  change_title: { readonly oldTitle: string; readonly newTitle: string }
  delete_branch: { readonly oldRef: string }
  start_tracking: {}
  stop_tracking: {}
  add_time_manual: {}
  cancel_tracking: {}
  delete_time_manual: {}
  added_deadline: {}
  modified_deadline: {}
  removed_deadline: {}
  add_dependency: {}
  remove_dependency: {}
  lock: {}
  unlock: {}
  change_issue_ref: { readonly oldRef: string; readonly newRef: string }
  pin: {}
  unpin: {}
  change_time_estimate: {}
  pull_push: {}
  merge_pull: { readonly commitOid: string }
  change_target_branch: { readonly oldRef: string; readonly newRef: string }
  pull_scheduled_merge: {}
  pull_cancel_scheduled_merge: {}
  review: { readonly reviewId: number }
  code: { readonly reviewId: number }
  pending_review: { readonly reviewId: number }
  pending_code: { readonly reviewId: number }
  review_request: { readonly reviewId: number; readonly isTeam: boolean; readonly isRemoved: boolean }
  dismiss_review: { readonly reviewId: number }
  project: { readonly isAdded: boolean }
  project_board: {}
}

export type EntryKind = keyof EntryPayloads

/** Times are epoch milliseconds. */
export interface TimelineEntry<Kind extends EntryKind = EntryKind> {
  readonly id: number
  readonly issueId: IssueId
  readonly repoId: RepoId
  readonly kind: Kind
  readonly actorId: UserId
  /** Undefined unless imported. */
  readonly originalAuthor?: OriginalAuthor | undefined
  readonly targetId: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly payload: EntryPayloads[Kind]
  readonly body: string
}

export const isKind = <Kind extends EntryKind>(entry: TimelineEntry, kind: Kind): entry is TimelineEntry<Kind> =>
  entry.kind === kind

export const toEntry = (row: Selectable<TimelineEntryTable>): TimelineEntry => ({
  id: row.id,
  issueId: asId(row.issue_id),
  repoId: asId(row.repo_id),
  kind: row.kind as EntryKind,
  actorId: asId(row.actor_id),
  originalAuthor: toOriginalAuthor(row),
  targetId: row.target_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  payload: (row.payload === '' ? {} : JSON.parse(row.payload)) as never,
  body: row.body,
})

type NewEntryOf<Kind extends EntryKind> = {
  readonly kind: Kind
  readonly targetId?: number
  readonly body?: string
} & ({} extends EntryPayloads[Kind]
  ? { readonly payload?: EntryPayloads[Kind] }
  : { readonly payload: EntryPayloads[Kind] })

export type NewEntry = { [Kind in EntryKind]: NewEntryOf<Kind> }[EntryKind]

/** Times of entries are whole seconds, as in the API. */
export const secondOf = (time: number): number => Math.floor(time / 1000) * 1000

/** The issue, the account that changes it, and the time. */
export interface EntryOrigin {
  readonly issue: Pick<Issue, 'id' | 'repoId'>
  readonly actorId: UserId | 0
  /** Epoch milliseconds. */
  readonly at: number
}

/**
 * Inserts entries in this order; returns them with their ids. Their times are whole seconds, as in the API; entries of
 * the same second, including one with a time from the client, are ordered by id.
 */
export async function insertEntries(
  tx: Tx,
  { issue, actorId, at }: EntryOrigin,
  entries: readonly NewEntry[],
): Promise<TimelineEntry[]> {
  if (entries.length === 0) return []
  const second = secondOf(at)
  const rows = entries.map(({ kind, targetId = 0, body = '', payload = {} }) => ({
    issue_id: issue.id,
    repo_id: issue.repoId,
    kind,
    actor_id: actorId,
    target_id: targetId,
    created_at: second,
    updated_at: second,
    payload: Object.keys(payload).length === 0 ? '' : JSON.stringify(payload),
    body,
  }))
  return (await insertion(tx, { rows })).map(toEntry).toSorted((a, b) => a.id - b.id)
}

const insertion = defineQuery((db, { rows }: { rows: readonly Insertable<TimelineEntryTable>[] }) =>
  db.insertInto('timeline_entry').values(rows).returningAll(),
)

/** Bounds of the time of the last update, the first inclusive. */
export interface UpdateBounds {
  readonly from: number | undefined
  readonly until: number | undefined
}

export const boundsOf = ({ since, before }: UpdateSpan): UpdateBounds => ({
  from: since === undefined ? undefined : secondOf(since),
  until: before === undefined ? undefined : secondOf(before) + 1000,
})

/** A condition on the time of the last update. */
export const updatedIn =
  ({ from, until }: UpdateBounds) =>
  (eb: ExpressionBuilder<Schema, 'timeline_entry'>): Expression<SqlBool> =>
    eb.and([
      ...(from === undefined ? [] : [eb('timeline_entry.updated_at', '>=', from)]),
      ...(until === undefined ? [] : [eb('timeline_entry.updated_at', '<', until)]),
    ])

export async function findEntry(db: Db, id: number): Promise<TimelineEntry | undefined> {
  const [row] = await byId(db, { id })
  return row && toEntry(row)
}

const byId = defineQuery((db, { id }: { id: number }) =>
  db.selectFrom('timeline_entry').selectAll().where('id', '=', id),
)

/** Entries with these ids, in no particular order; omits unknown ids. */
export async function listEntriesByIds(db: Db, ids: readonly number[]): Promise<TimelineEntry[]> {
  if (ids.length === 0) return []
  return (await byIds(db, { ids: [...new Set(ids)] })).map(toEntry)
}

const byIds = defineQuery((db, { ids }: { ids: readonly number[] }) =>
  db.selectFrom('timeline_entry').selectAll().where('id', 'in', ids),
)

/** Locks the row until the transaction ends. Returns undefined if the entry was deleted. */
export async function lockEntry(tx: Tx, id: number): Promise<TimelineEntry | undefined> {
  const [row] = await lock(tx, { id })
  return row && toEntry(row)
}

const lock = defineQuery((db, { id }: { id: number }) =>
  dialectOf(db as Tx).lockRows(db.selectFrom('timeline_entry').selectAll().where('id', '=', id)),
)

export async function updateEntry(
  tx: Tx,
  id: number,
  values: Pick<Updateable<TimelineEntryTable>, 'body' | 'updated_at'>,
): Promise<TimelineEntry> {
  const update = tx.updateTable('timeline_entry').set(values).where('id', '=', id).returningAll()
  return toEntry(await update.executeTakeFirstOrThrow())
}

/** Also deletes rows that refer to it by foreign keys. */
export async function deleteEntry(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('timeline_entry').where('id', '=', id).execute()
}

/** Publishes the pending entries among these ids when their review is submitted. */
export async function publishEntries(tx: Tx, ids: readonly number[], at: number): Promise<void> {
  if (ids.length === 0) return
  for (const [from, kind] of PUBLISHED) {
    const update = tx.updateTable('timeline_entry').set({ kind, updated_at: secondOf(at) })
    await update.where('id', 'in', ids).where('kind', '=', from).execute()
  }
}

const PUBLISHED: readonly (readonly [from: EntryKind, kind: EntryKind])[] = [
  ['pending_code', 'code'],
  ['pending_review', 'review'],
]

/** The entries of one kind of an issue, oldest first. */
export async function listEntriesOfKind(db: Db, issueId: IssueId, kind: EntryKind): Promise<TimelineEntry[]> {
  const rows = await db
    .selectFrom('timeline_entry')
    .selectAll()
    .where('issue_id', '=', issueId)
    .where('kind', '=', kind)
    .orderBy('id')
    .execute()
  return rows.map(toEntry)
}

/** Deletes the entries about a deleted label. */
export async function deleteEntriesOfLabel(tx: Tx, labelId: number): Promise<void> {
  await tx.deleteFrom('timeline_entry').where('target_id', '=', labelId).where('kind', '=', 'label').execute()
}
