import { afterAll, beforeAll, expect, it } from 'vitest'
import { AccessMode } from '../../../src/core/access/repo-access.ts'
import { actorOf, systemActor, viewerOfAccount } from '../../../src/core/access/viewer.ts'
import { findRepoById } from '../../../src/domains/repositories/repos/repo.store.ts'
import type { Repo } from '../../../src/domains/repositories/index.ts'
import type { User } from '../../../src/domains/accounts/index.ts'
import { findWrongCounters, insertRepo } from '../../harness/rows.ts'
import { freshCore, type TestCore } from '../../harness/core.ts'
import { describeOnBoth } from '../../harness/databases.ts'

const ROUNDS = 25

describeOnBoth('a block that races with what it forbids', (kind) => {
  let db: TestCore
  let [ann, bob] = [] as unknown as [User, User]
  let repo: Repo

  beforeAll(async () => {
    db = await freshCore(kind)
    const add = (name: string, more = {}): Promise<User> =>
      db.core.users.create(systemActor, { name, email: `${name}@example.test`, password: 'Corr3ct-horse!', ...more })
    ;[ann, bob] = [await add('ann'), await add('bob')]
    repo = await db.database.transaction(async (tx) => {
      const id = await insertRepo(tx, {
        owner_id: ann.id,
        name: 'r',
        lower_name: 'r',
        default_branch: 'main',
        wiki_branch: 'main',
        object_format: 'sha1',
        storage: 'ab/abcd',
        units: 1,
        created_at: 1,
        updated_at: 1,
      })
      return (await findRepoById(tx, id))!
    })
  }, 60_000)
  afterAll(() => db.close())

  /** Races `act` with a block of bob by ann, or by `blocker`; afterwards no row may refer to both. */
  async function race(
    act: () => Promise<unknown>,
    isConnected: () => Promise<boolean>,
    blocker: Pick<User, 'id' | 'kind'> = ann,
  ): Promise<void> {
    const { blocks } = db.core
    const actor = viewerOfAccount(ann)
    for (let round = 0; round < ROUNDS; round++) {
      const [acted, blocked] = await Promise.allSettled([act(), blocks.block(actor, blocker, 'bob', { strict: false })])
      if (acted.status === 'rejected') expect(String(acted.reason)).toContain('user is blocked')
      // An organization does not block its members.
      if (blocked.status === 'rejected') expect(String(blocked.reason)).toContain('cannot block the user')
      else expect(await isConnected(), `round ${round}`).toBe(false)
      if (blocked.status === 'rejected') return
      await blocks.unblock(actor, blocker, 'bob', { strict: false })
    }
    expect(await findWrongCounters(db.database.read)).toEqual([])
  }

  const rows = async (table: 'follow' | 'star' | 'watch' | 'collaboration'): Promise<boolean> =>
    (await db.database.read.selectFrom(table).selectAll().execute()).length > 0

  it('leaves no follow in either direction', async () => {
    const { follows } = db.core
    await race(
      () => follows.follow(viewerOfAccount(bob), ann),
      () => rows('follow'),
    )
    await race(
      () => follows.follow(viewerOfAccount(ann), bob),
      () => rows('follow'),
    )
  })

  it('leaves no star and no watch', async () => {
    const { social } = db.core
    await race(
      () => social.star(viewerOfAccount(bob), repo),
      () => rows('star'),
    )
    await race(
      () => social.watch(viewerOfAccount(bob), repo),
      () => rows('watch'),
    )
  })

  it('leaves no collaboration', async () => {
    const { collaboration } = db.core
    await race(
      () => collaboration.put(viewerOfAccount(ann), repo, 'bob', AccessMode.write),
      () => rows('collaboration'),
    )
  })

  it('leaves no blocked user in a team of the organization', async () => {
    const { orgs, teamMembers: members, teams } = db.core
    const org = await orgs.create(actorOf(ann.id), ann, { name: 'guild' })
    const team = await teams.create(actorOf(ann.id), org, { name: 'crew', permission: 'read', units: ['repo.code'] })
    await race(
      () => members.add(viewerOfAccount(ann), { org, team }, 'bob'),
      async () => (await members.list({ org, team }, { page: 1, limit: 9, offset: 0 })).total > 0,
      org,
    )
  })
})

describeOnBoth('two users that follow and unfollow each other at the same time', (kind) => {
  it('does not deadlock and keeps the counters right', async () => {
    const db = await freshCore(kind)
    const { follows, users } = db.core
    const [ann, bob] = [
      await users.create(systemActor, { name: 'ann', email: 'a@x.test', password: 'Corr3ct-horse!' }),
      await users.create(systemActor, { name: 'bob', email: 'b@x.test', password: 'Corr3ct-horse!' }),
    ]
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all([
        follows.follow(viewerOfAccount(ann), bob),
        follows.follow(viewerOfAccount(bob), ann),
        follows.unfollow(viewerOfAccount(ann), bob),
        follows.unfollow(viewerOfAccount(bob), ann),
      ])
    }
    expect(await findWrongCounters(db.database.read)).toEqual([])
    await db.close()
  })
})
