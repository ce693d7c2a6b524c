import { actorOf, systemActor, viewerOfAccount } from '../../../src/core/access/viewer.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AccessMode } from '../../../src/core/access/repo-access.ts'
import type { Team, User } from '../../../src/domains/accounts/index.ts'
import { freshCore, type TestCore } from '../../harness/core.ts'
import { describeOnBoth } from '../../harness/databases.ts'

const ROUNDS = 8

describeOnBoth('of two owners who leave concurrently one stays', (kind) => {
  let db: TestCore
  let [root, ann, bob] = [] as unknown as [User, User, User]

  beforeEach(async () => {
    db = await freshCore(kind)
    const { users } = db.core
    const add = (name: string, more = {}): Promise<User> =>
      users.create(systemActor, { name, email: `${name}@example.test`, password: 'Corr3ct-horse!', ...more })
    ;[root, ann, bob] = [await add('root', { isAdmin: true }), await add('ann'), await add('bob')]
  }, 60_000)
  afterEach(() => db.close())

  async function newOrg(name: string): Promise<{ org: User; team: Team }> {
    const org = await db.core.orgs.create(actorOf(ann.id), ann, { name })
    const [team] = (
      await db.core.teams.list(
        viewerOfAccount(ann),
        { org, isMember: true, isOwner: true },
        { page: 1, limit: 1, offset: 0 },
      )
    ).items
    await db.core.teamMembers.add(viewerOfAccount(ann), { org, team: team! }, 'bob')
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

  it('when both leave the team or the organization', async () => {
    const { orgMembers: members, teamMembers } = db.core
    for (let round = 0; round < ROUNDS; round++) {
      const { org, team } = await newOrg(`org${round}`)
      const outcomes = await Promise.allSettled([
        members.delete(viewerOfAccount(ann), { org, isMember: true, isOwner: true }, 'ann'),
        teamMembers.delete(viewerOfAccount(bob), { org, team }, 'bob'),
      ])
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await ownersOf(org)).toBe(1)
    }
  })

  it('when one is purged while the other leaves: an owner remains, or the organization is deleted', async () => {
    const made = await Promise.all(Array.from({ length: ROUNDS }, (_, round) => newOrg(`org${round}`)))
    const leave = made.map(({ org }) =>
      db.core.orgMembers.delete(viewerOfAccount(bob), { org, isMember: true, isOwner: true }, 'bob'),
    )
    const [purged] = await Promise.allSettled([
      db.core.accountRemoval.delete(actorOf(root.id), ann, { purge: true }),
      ...leave,
    ])
    expect(purged.status).toBe('fulfilled')
    for (const { org } of made) {
      const isThere = (await db.database.read.selectFrom('user').select('id').where('id', '=', org.id).execute()).length
      expect(await ownersOf(org)).toBe(isThere)
    }
  })
})
