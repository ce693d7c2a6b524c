import type { Repo } from '../../../src/domains/repositories/index.ts'
import { insertUser } from '../../harness/rows.ts'
import { sql, type SqlBool } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  AccessMode,
  canSeeRepo,
  decideRepoAccess,
  NO_GRANTS,
  type RepoGrants,
  type TeamGrant,
  unitMode,
  hasUnit,
  type Unit,
  UNITS,
  unitSet,
} from '../../../src/core/access/repo-access.ts'
import { loadRepoGrants } from '../../../src/core/access/repo-grants.store.ts'
import { readersOf } from '../../../src/core/access/repo-readers.store.ts'
import { ALL_SCOPES, ANONYMOUS, type Viewer } from '../../../src/core/access/viewer.ts'
import {
  joinViewer,
  readsUnit,
  type ViewerValues,
  splitViewer,
  type UnitOfRow,
  visibleRepos,
} from '../../../src/core/access/visible-repos.ts'
import type { Db, Tx } from '../../../src/core/db/database.ts'
import { defineQuery } from '../../../src/core/db/prepared-statement.ts'
import type { Schema } from '../../../src/core/db/schema.ts'
import { asId, type RepoId, type UserId } from '../../../src/core/platform/crypto/ids.ts'
import { listRepos, type RepoFilter } from '../../../src/domains/repositories/repos/lists/repo-list.store.ts'
import { BY_ID } from '../../../src/domains/repositories/repos/lists/repo-order.ts'
import { listReposByIds } from '../../../src/domains/repositories/repos/repo.store.ts'
import { findUserById, listUsersByIds } from '../../../src/domains/accounts/users/user.store.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../harness/databases.ts'
import { viewerOf } from '../../harness/world.ts'

const SEEDS = { sqlite: [1, 2], postgres: [3] }
const ALL = { page: 1, limit: 10_000, offset: 0 }

interface Dice {
  /** Below `sides`. */
  roll(sides: number): number
  pick<T>(from: readonly T[]): T
  chance(percent: number): 0 | 1
}

/** Numerical Recipes' generator: the same world for the same seed. */
function dice(seed: number): Dice {
  let state = seed
  const roll = (sides: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
  return { roll, pick: (from) => from[roll(from.length)]!, chance: (percent) => (roll(100) < percent ? 1 : 0) }
}

interface Range extends ViewerValues {
  readonly from: RepoId
  readonly until: RepoId
}

/** The unit depends on the row: pull requests of private repositories, issues of others. */
const EITHER = 'either'
const either: UnitOfRow = { when: sql<SqlBool>`repo.is_private = 1`, unit: 'repo.pulls', other: 'repo.issues' }
const unitIn = (repo: Repo, unit: Unit | typeof EITHER): Unit => {
  if (unit !== EITHER) return unit
  return repo.isPrivate ? 'repo.pulls' : 'repo.issues'
}

/** One statement for all viewers of a shape. */
const withUnit = defineQuery((db, { from, until, ...values }: Range, sight: string, unit: Unit | typeof EITHER) => {
  const viewer = joinViewer(values, sight)
  return db
    .selectFrom('repo')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .select('repo.id')
    .where((eb) => visibleRepos(viewer)(eb))
    .where(readsUnit(viewer, unit === EITHER ? either : unit))
    .where('repo.id', '>=', from)
    .where('repo.id', '<=', until)
    .orderBy('repo.id')
})

describeOnBoth('visibility in lists', (kind) => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await freshDatabase(kind)
  })
  afterAll(() => db.close())

  it.each(SEEDS[kind])('is what the policy decides for one repository, in world %i', async (seed) => {
    const { people, repos, random } = await randomWorld(db, seed)
    for (const viewer of await viewers(db.database.read, people, repos, random)) {
      const expected = (await visibleByPolicy(db.database.read, viewer, repos)).map((repo) => repo.id)
      const page = await listRepos(db.database.read, viewer, { filter: {}, order: BY_ID }, ALL)
      const ids = new Set(repos.map((repo) => repo.id))
      // One row is never all there is, so that the others are counted and not only seen.
      const { total } = await listRepos(
        db.database.read,
        viewer,
        { filter: {}, order: BY_ID },
        { page: 1, limit: 1, offset: 0 },
      )
      expect([page.total, total], describeViewer(viewer)).toEqual([page.items.length, page.items.length])
      expect(
        page.items.map((repo) => repo.id).filter((id) => ids.has(id)),
        describeViewer(viewer),
      ).toEqual(expected)
    }
  })

  it.each(SEEDS[kind])('reads the units that the policy decides, in world %i', async (seed) => {
    const { people, repos, random } = await randomWorld(db, seed + 200)
    const { read } = db.database
    for (const viewer of await viewers(read, people, repos, random)) {
      const visible = await visibleByPolicy(read, viewer, repos)
      const grants = viewer.kind === 'anonymous' ? new Map() : await loadRepoGrants(read, viewer.account.id, visible)
      for (const unit of [...UNITS, EITHER] as const) {
        const { values, shape } = splitViewer(viewer)
        const [from, until] = [repos[0]!.id, repos.at(-1)!.id]
        const rows = await withUnit(read, { ...values, from, until }, shape, unit)
        const expected = visible.filter((repo) => {
          const access = decideRepoAccess(viewer, repo, grants.get(repo.id) ?? NO_GRANTS)
          return unitMode(access, unitIn(repo, unit)) >= AccessMode.read
        })
        expect(
          rows.map((row) => row.id),
          `${unit} ${describeViewer(viewer)}`,
        ).toEqual(expected.map((repo) => repo.id))
      }
    }
  })

  it.each(SEEDS[kind])('selects the readers of a unit that the policy decides, in world %i', async (seed) => {
    const { people, repos } = await randomWorld(db, seed + 300)
    const { read } = db.database
    const users = await listUsersByIds(read, people)
    const grants = new Map<UserId, ReadonlyMap<RepoId, RepoGrants>>()
    for (const user of users) grants.set(user.id, await loadRepoGrants(read, user.id, repos))
    for (const repo of repos) {
      for (const unit of ['repo.issues', 'repo.pulls'] as const) {
        const rows = await read
          .selectFrom('user')
          .select('user.id')
          .where('user.id', 'in', people)
          .where(readersOf(repo, unit))
          .orderBy('user.id')
          .execute()
        const expected = users.filter((user) => {
          const access = decideRepoAccess(viewerOf(user), repo, grants.get(user.id)?.get(repo.id) ?? NO_GRANTS)
          return unitMode(access, unit) >= AccessMode.read
        })
        expect(
          rows.map((row) => row.id),
          `${unit} of ${repo.name}`,
        ).toEqual(expected.map((user) => user.id).toSorted((a, b) => a - b))
      }
    }
  })

  it.each(SEEDS[kind])(
    'selects the repositories that a user owns, is granted or shares an organization with, in world %i',
    async (seed) => {
      const { people, repos, random } = await randomWorld(db, seed + 100)
      const { read } = db.database
      const owners = repos.map((repo) => repo.ownerId)
      for (const viewer of [ANONYMOUS, viewerOf((await findUserById(read, random.pick(people)))!)]) {
        const visible = await visibleByPolicy(read, viewer, repos)
        for (const id of people) {
          const grants = await loadRepoGrants(read, id, repos)
          const idsOf = async (filter: RepoFilter): Promise<number[]> => {
            const { items, total } = await listRepos(read, viewer, { filter, order: BY_ID }, ALL)
            expect(
              (await listRepos(read, viewer, { filter, order: BY_ID }, { page: 1, limit: 1, offset: 0 })).total,
            ).toBe(total)
            return items.map((repo) => repo.id)
          }
          const takesPart = (repo: Repo): boolean =>
            repo.ownerId === id || (grants.get(repo.id) ?? NO_GRANTS).collaboration > 0
          expect(await idsOf({ contributorId: id })).toEqual(
            visible
              .filter(
                (repo) =>
                  takesPart(repo) || (grants.get(repo.id) ?? NO_GRANTS).teams.some((team) => isGrantedBy(team, repo)),
              )
              .map((repo) => repo.id),
          )
          expect(await idsOf({ relatedTo: id })).toEqual(
            visible
              .filter((repo) => takesPart(repo) || (grants.get(repo.id) ?? NO_GRANTS).isOrgMember)
              .map((repo) => repo.id),
          )
          expect(await idsOf({ ownerId: id })).toEqual(
            visible.filter((repo) => repo.ownerId === id).map((repo) => repo.id),
          )
        }
        for (const team of await read.selectFrom('team').selectAll().where('org_id', 'in', owners).execute()) {
          const named = new Set(
            (await read.selectFrom('team_repo').select('repo_id').where('team_id', '=', team.id).execute()).map(
              (row) => row.repo_id,
            ),
          )
          const page = await listRepos(read, viewer, { filter: { teamId: team.id }, order: BY_ID }, ALL)
          const known = new Set<number>(repos.map((repo) => repo.id))
          const expected = visible.filter(
            (repo) => named.has(repo.id) || (team.includes_all_repositories === 1 && repo.ownerId === team.org_id),
          )
          expect(page.items.map((repo) => repo.id).filter((id) => known.has(id))).toEqual(
            expected.map((repo) => repo.id),
          )
        }
      }
    },
  )
})

const isGrantedBy = (team: TeamGrant, repo: Repo): boolean =>
  team.mode >= AccessMode.admin || [...team.units].some(([unit, mode]) => mode > 0 && hasUnit(repo.units, unit))

const describeViewer = (viewer: Viewer): string =>
  viewer.kind === 'anonymous' ? 'anonymous' : JSON.stringify(viewer.account)

async function visibleByPolicy(db: Db, viewer: Viewer, repos: readonly Repo[]): Promise<Repo[]> {
  const grants = viewer.kind === 'anonymous' ? new Map() : await loadRepoGrants(db, viewer.account.id, repos)
  const tokenSees = (repo: Repo): boolean =>
    viewer.kind === 'anonymous' || !viewer.scopes.publicOnly || (!repo.isPrivate && repo.owner.visibility === 'public')
  return repos.filter(
    (repo) => tokenSees(repo) && canSeeRepo(decideRepoAccess(viewer, repo, grants.get(repo.id) ?? NO_GRANTS)),
  )
}

async function viewers(db: Db, people: readonly UserId[], repos: readonly Repo[], random: Dice): Promise<Viewer[]> {
  const all: Viewer[] = [ANONYMOUS]
  for (const id of people) {
    const viewer = viewerOf((await findUserById(db, id))!)
    const onlyRepos = new Set(repos.filter(() => random.chance(30)).map((repo) => repo.id))
    all.push(viewer, { ...viewer, scopes: { ...ALL_SCOPES, publicOnly: true } }, { ...viewer, onlyRepos })
  }
  return all
}

interface RandomWorld {
  readonly people: readonly UserId[]
  readonly repos: readonly Repo[]
  readonly random: Dice
}

async function randomWorld(db: TestDatabase, seed: number): Promise<RandomWorld> {
  const random = dice(seed)
  return db.database.transaction(async (tx) => {
    const people = await insertEach(12, (i) =>
      insertAccount(tx, random, `w${seed}p${i}`, { is_admin: random.chance(8), is_restricted: random.chance(30) }),
    )
    const orgs = await insertEach(5, (i) => insertAccount(tx, random, `w${seed}o${i}`, { kind: 'organization' }))
    const repos = await insertEach(60, async (i) => {
      const owner = random.chance(70) ? random.pick(orgs) : random.pick(people)
      const id = await insertRandomRepo(tx, random, { owner, name: `r${i}`, storage: `${seed}/${i}` })
      await insertCollaborations(tx, random, id, people)
      return { id, owner }
    })
    for (const orgId of orgs) {
      const ownRepos = repos.filter(({ owner }) => owner === orgId).map(({ id }) => id)
      await insertTeams(tx, random, { orgId, people, ownRepos })
    }
    const made = await listReposByIds(
      tx,
      repos.map(({ id }) => asId(id)),
    )
    return { people, repos: made.toSorted((a, b) => a.id - b.id), random }
  })
}

async function insertEach<T>(count: number, insertOne: (index: number) => Promise<T>): Promise<T[]> {
  const inserted: T[] = []
  for (let index = 0; index < count; index++) inserted.push(await insertOne(index))
  return inserted
}

async function insertRow<T extends keyof Schema>(tx: Tx, table: T, row: object): Promise<void> {
  await tx
    .insertInto(table)
    .values(row as never)
    .execute()
}

const insertAccount = (tx: Tx, random: Dice, name: string, more: object): Promise<UserId> =>
  insertUser(tx, {
    kind: 'individual',
    name,
    lower_name: name,
    email: `${name}@example.test`,
    visibility: random.pick(['public', 'limited', 'private'] as const),
    created_at: 1,
    updated_at: 1,
    ...more,
  })

async function insertRandomRepo(
  tx: Tx,
  random: Dice,
  { owner, name, storage }: { readonly owner: UserId; readonly name: string; readonly storage: string },
): Promise<number> {
  const { id } = await tx
    .insertInto('repo')
    .values({
      owner_id: owner,
      name,
      lower_name: name,
      default_branch: 'main',
      wiki_branch: 'main',
      object_format: 'sha1',
      storage,
      is_private: random.chance(60),
      units: unitSet(UNITS.filter(() => random.chance(40))),
      created_at: 1,
      updated_at: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function insertCollaborations(tx: Tx, random: Dice, repoId: number, people: readonly UserId[]): Promise<void> {
  for (const user_id of people)
    if (random.chance(6))
      await insertRow(tx, 'collaboration', { repo_id: repoId, user_id, mode: random.roll(4), created_at: 1 })
}

interface TeamsOf {
  readonly orgId: UserId
  readonly people: readonly UserId[]
  /** Ids of the repositories of the organization. */
  readonly ownRepos: readonly number[]
}

async function insertTeams(tx: Tx, random: Dice, { orgId: org_id, people, ownRepos }: TeamsOf): Promise<void> {
  const members = people.filter(() => random.chance(50))
  for (const user_id of members) await insertRow(tx, 'org_member', { org_id, user_id })
  for (let i = 0; i < 4; i++) {
    const team_id = await insertRandomTeam(tx, random, org_id, `t${i}`)
    for (const user_id of members)
      if (random.chance(35)) await insertRow(tx, 'team_member', { team_id, org_id, user_id })
    for (const repo_id of ownRepos)
      if (random.chance(30)) await insertRow(tx, 'team_repo', { team_id, org_id, repo_id })
  }
}

async function insertRandomTeam(tx: Tx, random: Dice, orgId: UserId, name: string): Promise<number> {
  const { id } = await tx
    .insertInto('team')
    .values({
      org_id: orgId,
      name,
      lower_name: name,
      mode: random.pick([0, 0, 1, 2, 3, 4]),
      includes_all_repositories: random.chance(25),
      created_at: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const unit of UNITS)
    if (random.chance(25)) await insertRow(tx, 'team_unit', { team_id: id, unit, mode: random.roll(3) })
  return id
}
