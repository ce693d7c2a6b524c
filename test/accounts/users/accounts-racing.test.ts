import { actorOf, systemActor, viewerOfAccount } from '../../../src/core/access/viewer.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isDomainError } from '../../../src/core/platform/errors.ts'
import type { User } from '../../../src/domains/accounts/index.ts'
import { freshCore, type TestCore } from '../../harness/core.ts'
import { describeOnBoth } from '../../harness/databases.ts'

const ROUNDS = 15

describeOnBoth('concurrent changes of accounts', (kind) => {
  let db: TestCore
  let [ann, bob] = [] as unknown as [User, User]

  beforeEach(async () => {
    db = await freshCore(kind)
    const add = (name: string): Promise<User> =>
      db.core.users.create(systemActor, { name, email: `${name}@example.test`, password: 'Corr3ct-horse!' })
    ;[ann, bob] = [await add('ann'), await add('bob')]
  }, 60_000)
  afterEach(() => db.close())

  /** What was refused was refused with a reason. */
  const settle = async (...acts: Promise<unknown>[]): Promise<number> => {
    const refused = (await Promise.allSettled(acts)).flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
    )
    expect(refused.filter((error) => !isDomainError(error))).toEqual([])
    return refused.length
  }

  it('keep members of teams in the organization', async () => {
    const { orgMembers: members, orgs, teamMembers, teams } = db.core
    const org = await orgs.create(actorOf(ann.id), ann, { name: 'guild' })
    const [one, two] = [
      await teams.create(actorOf(ann.id), org, { name: 'one', permission: 'read', units: ['repo.code'] }),
      await teams.create(actorOf(ann.id), org, { name: 'two', permission: 'read', units: ['repo.code'] }),
    ]
    const add = (team: typeof one): Promise<void> => teamMembers.add(viewerOfAccount(ann), { org, team }, 'bob')
    for (let round = 0; round < ROUNDS; round++) {
      await settle(
        add(one),
        members.delete(viewerOfAccount(ann), { org, isMember: true, isOwner: true }, 'bob'),
        add(two),
        teamMembers.delete(viewerOfAccount(ann), { org, team: one }, 'bob'),
      )
      const strays = await db.database.read
        .selectFrom('team_member')
        .leftJoin('org_member', (join) =>
          join
            .onRef('org_member.org_id', '=', 'team_member.org_id')
            .onRef('org_member.user_id', '=', 'team_member.user_id'),
        )
        .select('team_member.team_id')
        .where('org_member.user_id', 'is', null)
        .execute()
      expect(strays, `round ${round}`).toEqual([])
      const teamless = await db.database.read
        .selectFrom('org_member')
        .select('user_id')
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('team_member')
                .select('team_id')
                .whereRef('team_member.user_id', '=', 'org_member.user_id')
                .whereRef('team_member.org_id', '=', 'org_member.org_id'),
            ),
          ),
        )
        .execute()
      expect(teamless, `round ${round}`).toEqual([])
    }
  })

  it('keep one primary address per account', async () => {
    const { emails, users } = db.core
    for (let round = 0; round < ROUNDS; round++) {
      const email = `r${round}@example.test`
      expect(await settle(users.edit(systemActor, ann, { email }), users.edit(systemActor, bob, { email }))).toBe(1)
      const second = `s${round}@example.test`
      await emails.add(viewerOfAccount(ann), [second])
      await settle(
        users.edit(systemActor, ann, { email: second }),
        emails.delete(viewerOfAccount(ann), ann.id, [second]),
      )
      for (const user of [ann, bob]) {
        const primary = (await emails.list(user.id))
          .filter((address) => address.isPrimary)
          .map((address) => address.email)
        expect(primary, `round ${round}`).toEqual([(await users.findByName(user.name))!.email])
      }
    }
  })
})
