import { afterEach, beforeEach, expect, it } from 'vitest'
import { AccessMode } from '../../src/access/access-mode.ts'
import { systemClock as clock } from '../../src/platform/clock.ts'
import { createAccountRemoval } from '../../src/subjects/admin/remove-account.ts'
import { createOrgMembers } from '../../src/subjects/orgs/org-members.service.ts'
import { createOrgs } from '../../src/subjects/orgs/orgs.service.ts'
import { createTeamMembers } from '../../src/subjects/orgs/team-members.service.ts'
import type { Team } from '../../src/subjects/orgs/team.store.ts'
import { createTeams } from '../../src/subjects/orgs/teams.service.ts'
import type { User } from '../../src/subjects/users/user.store.ts'
import { createUsers } from '../../src/subjects/users/users.service.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../harness/databases.ts'

const ROUNDS = 8

describeOnBoth('of two owners who go at once, one stays', (kind) => {
  let db: TestDatabase
  let [root, ann, bob] = [] as unknown as [User, User, User]
  let removal: ReturnType<typeof createAccountRemoval>

  beforeEach(async () => {
    db = await freshDatabase(kind)
    const users = createUsers({
      database: db.database,
      clock,
      passwordRules: { minLength: 8, complexity: 'off' },
      defaultVisibility: 'public',
      loginSources: [],
    } as never)
    const add = (name: string, more = {}): Promise<User> =>
      users.create(0, { name, email: `${name}@example.test`, password: 'Corr3ct-horse!', ...more })
    ;[root, ann, bob] = [await add('root', { isAdmin: true }), await add('ann'), await add('bob')]
    removal = createAccountRemoval({ database: db.database, clock })
  }, 60_000)
  afterEach(() => db.close())

  const deps = () => ({
    database: db.database,
    clock,
    rules: { membersArePublic: false, onlyAdminsCreate: false, autoWatch: false },
  })

  async function newOrg(name: string): Promise<{ org: User; team: Team }> {
    const org = await createOrgs(deps()).create(ann.id, ann, { name })
    const [team] = (await createTeams(deps()).list(org, { page: 1, limit: 1, offset: 0 })).items
    await createTeamMembers(deps()).add(ann.id, { org, team: team! }, 'bob')
    return { org, team: team! }
  }

  const ownersOf = async (org: User): Promise<number> =>
    (
      await db.database.read
        .selectFrom('team_member')
        .innerJoin('team', 'team.id', 'team_member.team_id')
        .select('team_member.user_id')
        .where('team.org_id', '=', org.id)
        .where('team.mode', '=', AccessMode.owner)
        .execute()
    ).length

  it('when both leave the team, or are taken out of the organization', async () => {
    const [members, teamMembers] = [createOrgMembers(deps()), createTeamMembers(deps())]
    for (let round = 0; round < ROUNDS; round++) {
      const { org, team } = await newOrg(`org${round}`)
      const outcomes = await Promise.allSettled([
        members.remove(ann.id, org, 'ann'),
        teamMembers.remove(bob.id, { org, team }, 'bob'),
      ])
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await ownersOf(org)).toBe(1)
    }
  })

  it('when one is purged while the other leaves: an owner stays, or the organization goes with its last one', async () => {
    const made = await Promise.all(Array.from({ length: ROUNDS }, (_, round) => newOrg(`org${round}`)))
    const leave = made.map(({ org }) => createOrgMembers(deps()).remove(bob.id, org, 'bob'))
    const [purged] = await Promise.allSettled([removal.delete(root.id, ann, { purge: true }), ...leave])
    expect(purged.status).toBe('fulfilled')
    for (const { org } of made) {
      const isThere = (await db.database.read.selectFrom('user').select('id').where('id', '=', org.id).execute()).length
      expect(await ownersOf(org)).toBe(isThere)
    }
  })
})
