import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { parseInteger } from '../../../../core/platform/paging.ts'
import { listMilestoneIdsNamed, listMilestonesByIds } from '../../milestones/milestone.store.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { Named } from './issue-filter.ts'

/**
 * The labels available to issues of the repository, by name: one set for each known name. Names are exact and not
 * unique.
 */
export async function findLabelsNamed(
  db: Db,
  { id: repoId, ownerId }: Pick<Repo, 'id' | 'ownerId'>,
  names: readonly string[],
): Promise<Named[]> {
  if (names.length === 0) return []
  const rows = await labelsNamed(db, { repoId, ownerId, names })
  return [...Map.groupBy(rows, (row) => row.name).values()].map((same) => ({
    ids: same.map(({ id }) => id),
    count: sum(same.map((row) => row.issues_count)),
  }))
}

interface Wanted {
  readonly repoId: number
  readonly ownerId: number
  readonly names: readonly string[]
}

const labelsNamed = defineQuery((db, { repoId, ownerId, names }: Wanted) => {
  const ofOwner = (column: 'repo_id' | 'org_id', owner: number) =>
    db.selectFrom('label').select(['id', 'name', 'issues_count']).where(column, '=', owner).where('name', 'in', names)
  return ofOwner('repo_id', repoId).unionAll(ofOwner('org_id', ownerId))
})

/** The milestones of the repository with these titles or ids; undefined if there are none. */
export async function findMilestonesNamed(
  db: Db,
  { id: repoId }: Pick<Repo, 'id'>,
  words: readonly string[],
): Promise<Named | undefined> {
  const ids = await listMilestoneIdsNamed(db, repoId, words)
  const found = [...(await listMilestonesByIds(db, ids)).values()]
  if (found.length === 0) return undefined
  return {
    ids: found.map(({ id }) => id),
    count: sum(found.map(({ openIssues, closedIssues }) => openIssues + closedIssues)),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** Joins a row to a repository that the viewer may see, by its repository column. */
export type SeesRepo = (repoId: RawBuilder<number>) => {
  readonly tables: RawBuilder<unknown>
  readonly condition: RawBuilder<SqlBool>
}

/** The names among these that a label of a visible repository has. */
export async function findKnownLabels(db: Db, names: readonly string[], sees: SeesRepo): Promise<string[]> {
  const ofRepo = sees(sql<number>`label.repo_id`)
  const own = (name: string) => sql`select * from (select label.name from label cross join ${ofRepo.tables}
    where label.name = ${name} and ${ofRepo.condition} limit 1) as own`
  const ofOrg = sees(sql<number>`theirs.id`)
  const shared = (name: string) => sql`select * from (select label.name from label cross join repo as theirs
    cross join ${ofOrg.tables} where label.name = ${name} and theirs.owner_id = label.org_id and ${ofOrg.condition}
    limit 1) as shared`
  return knownOf<string>(
    db,
    names.flatMap((name) => [own(name), shared(name)]),
    'name',
  )
}

export interface KnownMilestones {
  readonly titles: readonly string[]
  readonly ids: readonly number[]
}

/** The titles, in lower case, and the ids among these words that milestones of visible repositories have. */
export async function findKnownMilestones(db: Db, words: readonly string[], sees: SeesRepo): Promise<KnownMilestones> {
  const { tables, condition } = sees(sql<number>`milestone.repo_id`)
  const first = (column: string, value: string | number) =>
    sql`select * from (select milestone.${sql.ref(column)} as known from milestone cross join ${tables}
      where milestone.${sql.ref(column)} = ${value} and ${condition} limit 1) as found`
  const wanted = words.map((word) => word.toLowerCase())
  const titles = await knownOf<string>(
    db,
    wanted.map((title) => first('lower_title', title)),
    'known',
  )
  const numbers = wanted.filter((word) => !titles.includes(word)).map((word) => parseInteger(word))
  const ids = await knownOf<number>(
    db,
    numbers.filter((id) => id > 0).map((id) => first('id', id)),
    'known',
  )
  return { titles, ids }
}

async function knownOf<T>(db: Db, queries: readonly RawBuilder<unknown>[], column: string): Promise<T[]> {
  if (queries.length === 0) return []
  const { rows } = await sql<Record<string, T>>`${sql.join(queries, sql` union all `)}`.execute(db)
  return [...new Set(rows.map((row) => row[column]!))]
}
