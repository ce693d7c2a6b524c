import { sql, type Expression, type Insertable, type Selectable, type SqlBool, type Updateable } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { type OriginalAuthor, toOriginalAuthor } from '../../../core/db/original-author.ts'
import { selectPage } from '../../../core/db/page.ts'
import { containing, containingExactly } from '../../../core/db/text-match.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { UsedAttachment } from '../../accounts/index.ts'
import { repoQueries } from '../../repositories/index.ts'
import type { ReleaseTable } from './release.table.ts'

/** Times are epoch milliseconds. */
export interface Release {
  readonly id: number
  readonly repoId: RepoId
  readonly publisherId: UserId
  /** Undefined unless imported. */
  readonly originalAuthor?: OriginalAuthor | undefined
  readonly tagName: string
  readonly target: string
  readonly title: string
  readonly body: string
  readonly isDraft: boolean
  readonly isPrerelease: boolean
  readonly hideArchiveLinks: boolean
  readonly createdAt: number
  readonly updatedAt: number
}

const toRelease = (row: Selectable<ReleaseTable>): Release => ({
  id: row.id,
  repoId: asId(row.repo_id),
  publisherId: asId(row.publisher_id),
  originalAuthor: toOriginalAuthor(row),
  tagName: row.tag_name,
  target: row.target,
  title: row.title,
  body: row.body,
  isDraft: row.is_draft === 1,
  isPrerelease: row.is_prerelease === 1,
  hideArchiveLinks: row.hide_archive_links === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export interface ReleaseFilter {
  readonly includesDrafts: boolean
  readonly draft?: boolean | undefined
  readonly prerelease?: boolean | undefined
  /** Part of the tag, title or body, case-insensitive. */
  readonly keyword?: string | undefined
}

/** Newest first. */
export function listReleases(db: Db, repoId: RepoId, filter: ReleaseFilter, paging: Paging): Promise<Page<Release>> {
  let query = db.selectFrom('release').where('repo_id', '=', repoId)
  if (!filter.includesDrafts) query = query.where('is_draft', '=', 0)
  if (filter.draft !== undefined) query = query.where('is_draft', '=', filter.draft ? 1 : 0)
  if (filter.prerelease !== undefined) query = query.where('is_prerelease', '=', filter.prerelease ? 1 : 0)
  const { keyword } = filter
  if (keyword) {
    const within = (column: 'title' | 'body'): Expression<SqlBool> =>
      containing(sql<string>`lower(${sql.ref(column)})`, keyword)
    query = query.where((eb) =>
      eb.or([
        containing(eb.ref('lower_tag_name'), keyword),
        within('title'),
        within('body'),
        containingExactly(eb.ref('title'), keyword),
        containingExactly(eb.ref('body'), keyword),
      ]),
    )
  }
  return selectPage(query.selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc'), paging, toRelease)
}

/** The newest release that is neither draft nor prerelease. */
export async function findLatestRelease(db: Db, repoId: RepoId): Promise<Release | undefined> {
  const row = await db
    .selectFrom('release')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('is_draft', '=', 0)
    .where('is_prerelease', '=', 0)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && toRelease(row)
}

export async function findRelease(db: Db, repoId: RepoId, id: number): Promise<Release | undefined> {
  const row = await db
    .selectFrom('release')
    .selectAll()
    .where('id', '=', id)
    .where('repo_id', '=', repoId)
    .executeTakeFirst()
  return row && toRelease(row)
}

/** The match is case-insensitive. */
export async function findReleaseByTag(db: Db, repoId: RepoId, tag: string): Promise<Release | undefined> {
  const row = await db
    .selectFrom('release')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('lower_tag_name', '=', tag.toLowerCase())
    .executeTakeFirst()
  return row && toRelease(row)
}

/** The functions below update `repo.releases_count`, the number of published releases. */
export async function insertRelease(tx: Tx, values: Insertable<ReleaseTable>): Promise<Release> {
  const release = toRelease(await tx.insertInto('release').values(values).returningAll().executeTakeFirstOrThrow())
  if (!release.isDraft) await addReleases(tx, release.repoId, 1)
  return release
}

export async function updateRelease(tx: Tx, before: Release, values: Updateable<ReleaseTable>): Promise<Release> {
  const after = toRelease(
    await tx.updateTable('release').set(values).where('id', '=', before.id).returningAll().executeTakeFirstOrThrow(),
  )
  if (before.isDraft !== after.isDraft) await addReleases(tx, before.repoId, after.isDraft ? -1 : 1)
  return after
}

/** Returns false if the release was already deleted. */
export async function deleteRelease(tx: Tx, { id, repoId, isDraft }: Release): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('release').where('id', '=', id).executeTakeFirst()
  if (numDeletedRows && !isDraft) await addReleases(tx, repoId, -1)
  return numDeletedRows > 0n
}

const addReleases = (tx: Tx, repoId: RepoId, change: 1 | -1): Promise<void> =>
  repoQueries.addToCounter(tx, repoId, 'releases_count', change)

/** The counters of repositories, each with the query that counts it for the row `counted`. */
export const releaseCountersOfRepos = {
  releases_count: sql`select count(*) from release where repo_id = counted.id and is_draft = 0`,
}

/** Files of the releases of an owner, largest first. */
export function listUsedAttachments(db: Db, ownerId: UserId, paging: Paging): Promise<Page<UsedAttachment>> {
  const query = db
    .selectFrom('attachment')
    .innerJoin('repo', 'repo.id', 'attachment.repo_id')
    .where('repo.owner_id', '=', ownerId)
    .innerJoin('release', 'release.id', 'attachment.release_id')
    .select([
      'attachment.id',
      'attachment.name',
      'attachment.size',
      'repo.id as repo_id',
      'repo.name as repo_name',
      'release.id as release_id',
      'release.tag_name',
    ])
    .orderBy('attachment.size', 'desc')
    .orderBy('attachment.id')
  return selectPage(query, paging, (row): UsedAttachment => ({
    id: row.id,
    name: row.name,
    size: row.size,
    repoId: asId(row.repo_id),
    repoName: row.repo_name,
    releaseId: row.release_id,
    tagName: row.tag_name,
  }))
}
