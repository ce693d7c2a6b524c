import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { deleteInSteps } from '../../../core/db/delete-in-steps.ts'
import { defineQuery } from '../../../core/db/prepared-statement.ts'
import { selectPage } from '../../../core/db/page.ts'
import { cachedByIds, cachedUntilCommit } from '../../../core/db/read-cache.ts'
import { asId, type LabelId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { LabelTable } from './label.table.ts'

/** Labels belong to a repository or to an organization. */
export type LabelOwner = { readonly repoId: RepoId } | { readonly orgId: UserId }

/** Times are epoch milliseconds. */
export interface Label {
  readonly id: LabelId
  readonly name: string
  /** Six lower-case hexadecimal digits. */
  readonly color: string
  readonly description: string
  readonly isExclusive: boolean
  /** Undefined if not archived. */
  readonly archivedAt: number | undefined
  readonly owner: LabelOwner
}

export type LabelSort = 'name' | 'name-descending' | 'least-issues' | 'most-issues'

export const toLabel = (row: Selectable<LabelTable>): Label => ({
  id: asId(row.id),
  name: row.name,
  color: row.color,
  description: row.description,
  isExclusive: row.is_exclusive === 1,
  archivedAt: row.archived_at || undefined,
  owner: row.repo_id === null ? { orgId: asId(row.org_id!) } : { repoId: asId(row.repo_id) },
})

function labelsOf(db: Db, owner: LabelOwner) {
  const labels = db.selectFrom('label')
  return 'repoId' in owner ? labels.where('repo_id', '=', owner.repoId) : labels.where('org_id', '=', owner.orgId)
}

const ownerColumns = (owner: LabelOwner): { repo_id: number | null; org_id: number | null } =>
  'repoId' in owner ? { repo_id: owner.repoId, org_id: null } : { repo_id: null, org_id: owner.orgId }

/** Sorts labels with equal sort keys by id. */
export function listLabels(
  db: Db,
  owner: LabelOwner,
  { sort, paging }: { readonly sort: LabelSort; readonly paging: Paging },
): Promise<Page<Label>> {
  const all = labelsOf(db, owner).selectAll()
  const sorted = {
    name: () => all.orderBy('name'),
    'name-descending': () => all.orderBy('name', 'desc'),
    'least-issues': () => all.orderBy('issues_count'),
    'most-issues': () => all.orderBy('issues_count', 'desc'),
  }[sort]()
  return selectPage(sorted.orderBy('id'), paging, toLabel)
}

/** Also undefined if the label has another owner. */
export async function findLabel(db: Db, owner: LabelOwner, id: LabelId): Promise<Label | undefined> {
  const row = await labelsOf(db, owner).selectAll().where('id', '=', id).executeTakeFirst()
  return row && toLabel(row)
}

/** The match is exact. Names are not unique: returns the label with the lowest id. */
export async function findLabelByName(db: Db, owner: LabelOwner, name: string): Promise<Label | undefined> {
  const row = await labelsOf(db, owner).selectAll().where('name', '=', name).orderBy('id').executeTakeFirst()
  return row && toLabel(row)
}

/** The ids of the repository's own labels with these exact names; the lowest id of several. */
export async function listLabelIdsByName(
  db: Db,
  repoId: RepoId,
  names: readonly string[],
): Promise<ReadonlyMap<string, LabelId>> {
  if (names.length === 0) return new Map()
  const rows = await db
    .selectFrom('label')
    .select(['id', 'name'])
    .where('repo_id', '=', repoId)
    .where('name', 'in', names)
    .orderBy('id', 'desc')
    .execute()
  return new Map(rows.map(({ id, name }) => [name, asId<LabelId>(id)]))
}

/** Labels of any owner; omits unknown ids. */
export const listLabelsByIds = (db: Db, ids: readonly LabelId[]): Promise<ReadonlyMap<LabelId, Label>> =>
  cachedByIds(db, 'label', ids, async (missing) => (await labelsWithIds(db, { ids: missing })).map(toLabel))

const labelsWithIds = defineQuery((db, { ids }: { ids: readonly LabelId[] }) =>
  db.selectFrom('label').selectAll().where('id', 'in', ids),
)

/** The labels available to the issues of a repository: its own, and those of the organization that owns it. */
export interface UsableLabels {
  readonly repoId: RepoId
  /** The account that owns the repository. */
  readonly ownerId: UserId
}

/** The labels with these ids or exact names that are available to the repository, sorted by name. */
export async function listUsableLabels(
  db: Db,
  { repoId, ownerId }: UsableLabels,
  by: { readonly ids: readonly number[] } | { readonly names: readonly string[] },
): Promise<readonly Label[]> {
  const wanted = 'ids' in by ? by.ids : by.names
  if (wanted.length === 0) return []
  return cachedUntilCommit(db, `label.usable ${repoId} ${ownerId} ${JSON.stringify(by)}`, async () =>
    (await usable(db, { ...by, repoId, ownerId })).map(toLabel),
  )
}

interface SoughtLabels extends UsableLabels {
  readonly ids?: readonly number[]
  readonly names?: readonly string[]
}

const usable = defineQuery((db, { ids, names = [], repoId, ownerId }: SoughtLabels) =>
  db
    .selectFrom('label')
    .selectAll()
    .where((eb) => (ids === undefined ? eb('name', 'in', names) : eb('id', 'in', ids)))
    .where((eb) => eb.or([eb('repo_id', '=', repoId), eb('org_id', '=', ownerId)]))
    .orderBy('name')
    .orderBy('id'),
)

/**
 * Changes `issues_count` in SQL, so that concurrent changes add up. Returns the ids of existing labels, whose rows are
 * locked until the transaction ends.
 */
export async function addToLabelCounters(tx: Tx, ids: readonly LabelId[], change: number): Promise<LabelId[]> {
  if (ids.length === 0) return []
  return (await addition(tx, { ids, change })).map((row) => asId(row.id))
}

const addition = defineQuery((db, { ids, change }: { ids: readonly LabelId[]; change: number }) =>
  db
    .updateTable('label')
    .set({ issues_count: sql<number>`issues_count + ${change}` })
    .where('id', 'in', ids)
    .returning('id'),
)

type LabelValues = Pick<Insertable<LabelTable>, 'name' | 'color' | 'description' | 'is_exclusive' | 'archived_at'>

export async function insertLabel(tx: Tx, owner: LabelOwner, values: LabelValues, at: number): Promise<Label> {
  const row = { ...values, ...ownerColumns(owner), created_at: at, updated_at: at }
  const [inserted] = await insertion(tx, row)
  return toLabel(inserted!)
}

const insertion = defineQuery((db, row: Insertable<LabelTable>) => db.insertInto('label').values(row).returningAll())

/** Inserts all labels in one statement; callers pass at most a few hundred. */
export async function insertLabels(
  tx: Tx,
  owner: LabelOwner,
  labels: readonly LabelValues[],
  at: number,
): Promise<void> {
  if (labels.length === 0) return
  await tx
    .insertInto('label')
    .values(labels.map((values) => ({ ...values, ...ownerColumns(owner), created_at: at, updated_at: at })))
    .execute()
}

export async function updateLabel(tx: Tx, id: LabelId, values: Updateable<LabelTable>): Promise<void> {
  await tx.updateTable('label').set(values).where('id', '=', id).execute()
}

export async function deleteLabel(tx: Tx, id: LabelId): Promise<void> {
  await deleteInSteps(tx, 'label', [id])
}

/** Copies the labels of one repository to another, without their issues. */
export async function copyLabels(tx: Tx, from: RepoId, to: RepoId, at: number): Promise<void> {
  await tx
    .insertInto('label')
    .columns(['repo_id', 'name', 'color', 'description', 'is_exclusive', 'archived_at', 'created_at', 'updated_at'])
    .expression((eb) =>
      eb
        .selectFrom('label')
        .select((label) => [
          label.cast<number>(label.val(to), 'bigint').as('repo_id'),
          'name',
          'color',
          'description',
          'is_exclusive',
          'archived_at',
          label.cast<number>(label.val(at), 'bigint').as('created_at'),
          label.cast<number>(label.val(at), 'bigint').as('updated_at'),
        ])
        .where('repo_id', '=', from)
        .orderBy('id'),
    )
    .execute()
}

/** The labels of one or of every organization on the issues of a repository. */
interface OrgLabelsOn {
  readonly repoId: RepoId
  readonly orgId?: UserId
}

/**
 * Subtracts the issues of a repository from the counters of the organization's labels; call before they are detached.
 */
export async function subtractOrgLabels(tx: Tx, { repoId, orgId }: OrgLabelsOn): Promise<void> {
  const ofOrg = orgId === undefined ? sql`label.org_id is not null` : sql`label.org_id = ${orgId}`
  const used = sql`issue_label join issue on issue.id = issue_label.issue_id where issue.repo_id = ${repoId}`
  await sql`update label set issues_count = issues_count - (select count(*) from ${used} and issue_label.label_id = label.id)
    where ${ofOrg} and id in (select issue_label.label_id from ${used})`.execute(tx)
}
