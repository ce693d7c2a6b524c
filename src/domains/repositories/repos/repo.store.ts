import { flatText } from '../../../core/platform/flat-text.ts'
import { type Insertable, type Selectable, type SelectQueryBuilder, sql, type Updateable } from 'kysely'
import type { RepoFacts } from '../../../core/access/repo-access.ts'
import { type Db, dialectOf, type Tx } from '../../../core/db/database.ts'
import { deleteInSteps } from '../../../core/db/delete-in-steps.ts'
import { defineQuery } from '../../../core/db/prepared-statement.ts'
import { cachedByIds, cachedUntilCommit } from '../../../core/db/read-cache.ts'
import type { Schema } from '../../../core/db/schema.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { type User, type UserTable, userRows } from '../../accounts/index.ts'
import type { RepoTable } from './repo.table.ts'

export type RepoRow = Selectable<RepoTable>

/** A repository with its owner. Times are epoch milliseconds, sizes bytes. */
export interface Repo extends RepoFacts {
  readonly ownerId: UserId
  readonly owner: User
  readonly name: string
  readonly fullName: string
  readonly description: string
  readonly website: string
  readonly defaultBranch: string
  readonly wikiBranch: string
  /** The recorded tip of the wiki; undefined before the first page. */
  readonly wikiOid: string | undefined
  readonly objectFormat: 'sha1' | 'sha256'
  readonly storage: string
  readonly isEmpty: boolean
  readonly isMirror: boolean
  readonly isFork: boolean
  readonly isTemplate: boolean
  /** The repository that this one was forked from. */
  readonly forkId: RepoId | undefined
  /** The repository that this one was generated from. */
  readonly templateId: RepoId | undefined
  /** The URL that it was imported from. */
  readonly originalUrl: string | undefined
  /** The hash of the uploaded picture. */
  readonly avatar: string | undefined
  /** JSON; read it with parseRepoSettings. */
  readonly settings: string
  readonly trustModel: string
  readonly topics: readonly string[]
  readonly licenses: readonly string[]
  readonly primaryLanguage: string | undefined
  readonly gitSize: number
  readonly lfsSize: number
  readonly starsCount: number
  readonly forksCount: number
  readonly watchersCount: number
  readonly branchesCount: number
  readonly releasesCount: number
  readonly openIssuesCount: number
  readonly closedIssuesCount: number
  readonly openPullsCount: number
  readonly closedPullsCount: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly archivedAt: number | undefined
}

export function toRepo(row: RepoRow, owner: User): Repo {
  return {
    id: asId(row.id),
    ownerId: asId(row.owner_id),
    owner,
    name: row.name,
    fullName: flatText(owner.name, '/', row.name),
    description: row.description,
    website: row.website,
    defaultBranch: row.default_branch,
    wikiBranch: row.wiki_branch,
    wikiOid: row.wiki_oid || undefined,
    objectFormat: row.object_format,
    storage: row.storage,
    isPrivate: row.is_private === 1,
    isArchived: row.is_archived === 1,
    isEmpty: row.is_empty === 1,
    isMirror: row.is_mirror === 1,
    isFork: row.is_fork === 1,
    isTemplate: row.is_template === 1,
    forkId: row.fork_id === 0 ? undefined : asId(row.fork_id),
    templateId: row.template_id === 0 ? undefined : asId(row.template_id),
    originalUrl: row.original_url || undefined,
    avatar: row.avatar || undefined,
    units: row.units,
    settings: row.settings,
    trustModel: row.trust_model,
    topics: JSON.parse(row.topics) as string[],
    licenses: JSON.parse(row.licenses) as string[],
    primaryLanguage: row.primary_language || undefined,
    gitSize: row.git_size,
    lfsSize: row.lfs_size,
    starsCount: row.stars_count,
    forksCount: row.forks_count,
    watchersCount: row.watchers_count,
    branchesCount: row.branches_count,
    releasesCount: row.releases_count,
    openIssuesCount: row.open_issues_count,
    closedIssuesCount: row.closed_issues_count,
    openPullsCount: row.open_pulls_count,
    closedPullsCount: row.closed_pulls_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    archivedAt: row.archived_at || undefined,
  }
}

/**
 * The repositories of an owner with ids that a query selects, by id; including those that the requester may not see.
 */
export async function listReposAmong<From extends keyof Schema>(
  db: Db,
  ownerId: UserId,
  ids: SelectQueryBuilder<Schema, From, { repo_id: number }>,
): Promise<Repo[]> {
  const rows = await db
    .selectFrom('repo')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  return withOwners(db, rows)
}

/** Loads repositories and their owners with two queries: one row for each repository, one for each distinct owner. */
async function withOwners(db: Db, rows: readonly RepoRow[]): Promise<Repo[]> {
  if (rows.length === 0) return []
  const ids = [...new Set(rows.map((row) => row.owner_id))]
  const owners = await ownersByIds(db, { ids })
  const byId = new Map(owners.map((row: Selectable<UserTable>) => [row.id, userRows.toUser(row)]))
  return rows.flatMap((row) => {
    const owner = byId.get(row.owner_id)
    return owner === undefined ? [] : [toRepo(row, owner)]
  })
}

const ownersByIds = defineQuery((db, { ids }: { ids: readonly number[] }) =>
  db.selectFrom('user').selectAll().where('id', 'in', ids),
)

export async function findRepoByName(db: Db, owner: User, name: string): Promise<Repo | undefined> {
  const row = await db
    .selectFrom('repo')
    .selectAll()
    .where('owner_id', '=', owner.id)
    .where('lower_name', '=', name.toLowerCase())
    .executeTakeFirst()
  return row && toRepo(row, owner)
}

interface Named {
  readonly owner: User | undefined
  readonly repo: Repo | undefined
}

/** Finds the owner and its repository with one query. */
export const findByOwnerAndName = (db: Db, names: { readonly owner: string; readonly name: string }): Promise<Named> =>
  cachedUntilCommit(db, `repo.name ${names.owner}/${names.name}`.toLowerCase(), async () => {
    const [row] = await byNames(db, {
      owner: names.owner.toLowerCase(),
      name: names.name.toLowerCase(),
    })
    const owner = row && userRows.toOwner(row)
    return { owner, repo: owner && row.id !== null ? toRepo(row as RepoRow, owner) : undefined }
  })

const byNames = defineQuery((db, { owner, name }: { owner: string; name: string }) =>
  db
    .selectFrom('user as owner')
    .leftJoin('repo', (join) =>
      join.onRef('repo.owner_id', '=', 'owner.id').on((eb) => eb('repo.lower_name', '=', name)),
    )
    .selectAll('repo')
    .select(userRows.ownerColumns)
    .where('owner.lower_name', '=', owner),
)

const byId = defineQuery((db, { id }: { id: RepoId }) =>
  db
    .selectFrom('repo')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .selectAll('repo')
    .select(userRows.ownerColumns)
    .where('repo.id', '=', id),
)

export const findRepoById = (db: Db, id: RepoId): Promise<Repo | undefined> =>
  cachedUntilCommit(db, `repo.id ${id}`, async () => {
    const [row] = await byId(db, { id })
    return row && toRepo(row, userRows.toOwner(row))
  })

/** In no particular order; ids without a row are omitted. */
export async function listReposByIds(db: Db, ids: readonly RepoId[]): Promise<readonly Repo[]> {
  const found = await cachedByIds(db, 'repo', ids, async (missing) =>
    withOwners(db, await db.selectFrom('repo').selectAll().where('id', 'in', missing).execute()),
  )
  return [...found.values()]
}

/** The repositories with these names, `owner/name` matched case-insensitively, in no particular order. */
export async function listReposByNames(db: Db, fullNames: readonly string[]): Promise<Repo[]> {
  if (fullNames.length === 0) return []
  const wanted = new Set(fullNames.map((name) => name.toLowerCase()))
  const parts = [...wanted].map((name) => name.split('/'))
  const rows = await db
    .selectFrom('repo')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .selectAll('repo')
    .where(
      'owner.lower_name',
      'in',
      parts.map(([owner]) => owner!),
    )
    .where(
      'repo.lower_name',
      'in',
      parts.map(([, name]) => name!),
    )
    .execute()
  return (await withOwners(db, rows)).filter((repo) => wanted.has(repo.fullName.toLowerCase()))
}

/** The repositories of these ids, in this order. */
export async function reposInOrder(db: Db, ids: readonly RepoId[]): Promise<Repo[]> {
  const byId = new Map((await listReposByIds(db, ids)).map((repo) => [repo.id, repo]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

export async function findRenamedRepoId(db: Db, ownerId: UserId, oldName: string): Promise<RepoId | undefined> {
  const row = await db
    .selectFrom('repo_redirect')
    .select('repo_id')
    .where('owner_id', '=', ownerId)
    .where('lower_name', '=', oldName.toLowerCase())
    .executeTakeFirst()
  return row && asId(row.repo_id)
}

export async function insertRepo(tx: Tx, values: Insertable<RepoTable>): Promise<RepoId> {
  const { id } = await tx.insertInto('repo').values(values).returning('id').executeTakeFirstOrThrow()
  await deleteRedirect(tx, values.owner_id, values.lower_name)
  return asId(id)
}

/** Deletes the redirect of a name that a repository takes. */
export async function deleteRedirect(tx: Tx, ownerId: number, lowerName: string): Promise<void> {
  await tx.deleteFrom('repo_redirect').where('owner_id', '=', ownerId).where('lower_name', '=', lowerName).execute()
}

export async function updateRepo(tx: Tx, id: RepoId, values: Updateable<RepoTable>): Promise<void> {
  await update(tx, { ...values, id })
}

const update = defineQuery((db, { id, ...values }: Updateable<RepoTable> & { id: RepoId }) =>
  db.updateTable('repo').set(values).where('id', '=', id),
)

export type RepoCounter =
  | 'branches_count'
  | 'closed_issues_count'
  | 'closed_pulls_count'
  | 'forks_count'
  | 'lfs_size'
  | 'open_issues_count'
  | 'open_pulls_count'
  | 'releases_count'
  | 'stars_count'
  | 'watchers_count'

/** Changes a counter of one or several repositories with arithmetic in SQL, so that no concurrent change is lost. */
export async function addToRepoCounter(
  tx: Tx,
  ids: RepoId | readonly RepoId[],
  counter: RepoCounter,
  change: number,
): Promise<void> {
  await addition(tx, { ids: [ids].flat(), change }, counter)
}

const addition = defineQuery((db, { ids, change }: { ids: readonly RepoId[]; change: number }, counter: RepoCounter) =>
  db
    .updateTable('repo')
    .set({ [counter]: sql`${sql.ref(counter)} + ${change}` })
    .where('id', 'in', ids),
)

/** Locks the row until the transaction ends. */
export async function lockRepo(tx: Tx, id: RepoId): Promise<void> {
  await lock(tx, { id })
}

const lock = defineQuery((db, { id }: { id: RepoId }) =>
  dialectOf(db as Tx).lockRows(db.selectFrom('repo').select('id').where('id', '=', id)),
)

export async function deleteRepo(tx: Tx, id: RepoId): Promise<void> {
  await deleteInSteps(tx, 'repo', [id])
}

export async function countReposOf(db: Db, ownerId: UserId): Promise<number> {
  const { count } = await db
    .selectFrom('repo')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow()
  return count
}
