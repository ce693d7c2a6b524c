import { sql, type SqlBool } from 'kysely'
import { type ReadableRepo, readersOfUnit } from '../../../../core/access/repo-readers.store.ts'
import { hasUnit, type Unit } from '../../../../core/access/repo-access.ts'
import type { Db } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { asId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { Mention } from '../parsing/parse-references.ts'

/** The maximum number of users mentioned in one text, including the members of teams. */
const MAX_USERS = 1000

interface Audience {
  readonly repo: Repo
  readonly unit: Unit
  readonly authorId: UserId
}

/**
 * The active users whom the mentions name, directly or as members of a team that may use the unit, and who may read the
 * unit; excludes the author and users who block the author (behaviour/issues#references-keywords-mentions). Empty for
 * an author that is not an account.
 */
export async function listMentionedUsers(
  db: Db,
  mentions: readonly Mention[],
  { repo, unit, authorId }: Audience,
): Promise<UserId[]> {
  const names = mentions.flatMap(({ name, team }) => (team === undefined ? name.toLowerCase() : []))
  const { isPrivate, owner } = repo
  const ownerName = owner.name.toLowerCase()
  const teams = mentions.flatMap(({ name, team }) =>
    team !== undefined && name.toLowerCase() === ownerName ? team.toLowerCase() : [],
  )
  if (names.length + teams.length === 0 || !hasUnit(repo.units, unit)) return []
  const shape = { unit, isPrivate, kind: owner.kind, visibility: owner.visibility } satisfies MentionShape
  const values = {
    repoId: repo.id,
    ownerId: owner.id,
    authorId,
    ...(names.length > 0 && { names }),
    ...(teams.length > 0 && { teams }),
  }
  const rows = await mentioned(db, values, JSON.stringify(shape))
  return rows.map((row) => asId<UserId>(row.id))
}

/** The parameters that change the SQL text of the query. */
interface MentionShape extends Pick<ReadableRepo, 'isPrivate'>, Pick<ReadableRepo['owner'], 'kind' | 'visibility'> {
  readonly unit: Unit
}

interface MentionValues {
  readonly repoId: RepoId
  readonly ownerId: UserId
  readonly authorId: UserId
  /** Lower-case names of users. */
  readonly names?: readonly string[]
  /** Lower-case names of teams. */
  readonly teams?: readonly string[]
}

const mentioned = defineQuery((db, { repoId, ownerId, authorId, names, teams }: MentionValues, shape: string) => {
  const { unit, isPrivate, kind, visibility } = JSON.parse(shape) as MentionShape
  const repo = { id: repoId, isPrivate, owner: { id: ownerId, kind, visibility } }
  return db
    .selectFrom('user')
    .select('user.id')
    .where('user.kind', '=', 'individual')
    .where('user.is_active', '=', 1)
    .where('user.id', '!=', authorId)
    .where((eb) =>
      eb.or([
        ...(names === undefined ? [] : [eb('user.lower_name', 'in', names)]),
        ...(teams === undefined ? [] : [eb('user.id', 'in', membersOf(db, repo, { unit, teams }))]),
      ]),
    )
    .where(sql<SqlBool>`exists (select 1 from "user" as author where author.id = ${authorId})`)
    .where(readersOfUnit(repo, unit))
    .where('user.id', 'not in', blockersOf(db, authorId))
    .orderBy('user.id')
    .limit(MAX_USERS)
})

const blockersOf = (db: Db, authorId: UserId) =>
  db
    .selectFrom('user_block')
    .innerJoin('user as author', 'author.id', 'user_block.blocked_id')
    .select('user_block.blocker_id')
    .where('user_block.blocked_id', '=', authorId)
    .where('author.is_admin', '=', 0)

/** Members of teams with these lower-case names that may use the unit in the repository. */
const membersOf = (
  db: Db,
  { id, owner }: ReadableRepo,
  { unit, teams }: { readonly unit: Unit; readonly teams: readonly string[] },
) =>
  db
    .selectFrom('team_member')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .select('team_member.user_id')
    .where('team.org_id', '=', owner.id)
    .where('team.lower_name', 'in', teams)
    .where(
      sql<SqlBool>`(team.includes_all_repositories = 1
        or exists (select 1 from team_repo where team_repo.team_id = team.id and team_repo.repo_id = ${id}))`,
    )
    .where(
      sql<SqlBool>`(team.mode >= 3
        or exists (select 1 from team_unit where team_unit.team_id = team.id and team_unit.unit = ${unit} and team_unit.mode > 0))`,
    )
