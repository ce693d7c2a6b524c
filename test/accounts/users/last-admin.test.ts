import type { Services } from '../../../src/core/module.ts'
import { actorOf, systemActor } from '../../../src/core/access/viewer.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { User } from '../../../src/domains/accounts/index.ts'
import { freshCore, type TestCore } from '../../harness/core.ts'
import { describeOnBoth } from '../../harness/databases.ts'

describeOnBoth('the last administrator', (kind) => {
  let db: TestCore
  let users: Services['users']
  let [ann, bob, cyd] = [] as unknown as [User, User, User]

  beforeEach(async () => {
    db = await freshCore(kind)
    users = db.core.users
    const add = (name: string, isAdmin: boolean): Promise<User> =>
      users.create(systemActor, { name, email: `${name}@example.test`, password: 'Corr3ct-horse!', isAdmin })
    ;[ann, bob, cyd] = [await add('ann', true), await add('bob', true), await add('cyd', false)]
  }, 60_000)
  afterEach(() => db.close())

  const admins = async (): Promise<number> =>
    (
      await db.database.read
        .selectFrom('user')
        .select('id')
        .where('is_admin', '=', 1)
        .where('is_active', '=', 1)
        .where('is_login_prohibited', '=', 0)
        .execute()
    ).length
  const remove = (user: User, by = cyd): Promise<void> =>
    db.core.accountRemoval.delete(actorOf(by.id), user, { purge: true })

  it.each([
    ['demoted', 'demote', (user: User) => users.edit(systemActor, user, { isAdmin: false })],
    ['deactivated', 'deactivate', (user: User) => users.edit(systemActor, user, { isActive: false })],
    [
      'kept from signing in',
      'prohibit the sign-in of',
      (user: User) => users.edit(systemActor, user, { isLoginProhibited: true }),
    ],
    ['purged', 'delete', (user: User) => remove(user)],
  ] as const)('of two that are %s at once, one stays', async (_, verb, act) => {
    const outcomes = await Promise.allSettled([act(ann), act(bob)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : '')).join('')).toContain(
      `can not ${verb} the last admin user`,
    )
    expect(await admins()).toBe(1)
  })

  it('counts the administrators in the transaction, not when the account was read', async () => {
    await users.edit(systemActor, cyd, { isAdmin: true })
    await users.edit(systemActor, ann, { isAdmin: false })
    await users.edit(systemActor, bob, { isActive: false })
    // `cyd` was read before it became the only one.
    await expect(users.edit(systemActor, cyd, { isAdmin: false })).rejects.toThrow('last admin')
    await expect(remove(cyd)).rejects.toThrow('last admin')
    expect(await admins()).toBe(1)
  })

  it('may be restricted or asked to change the password', async () => {
    await users.edit(systemActor, ann, { isAdmin: false })
    expect((await users.edit(systemActor, bob, { isRestricted: true, mustChangePassword: true })).isAdmin).toBe(true)
    await users.edit(systemActor, cyd, { isActive: false })
    await remove(cyd, bob)
    expect(await admins()).toBe(1)
  })
})
