import { afterAll, beforeAll, expect, it } from 'vitest'
import { AccessMode } from '../../src/access/access-mode.ts'
import { viewerOfAccount } from '../../src/access/viewer.ts'
import { systemClock as clock } from '../../src/platform/clock.ts'
import { createCollaboration } from '../../src/subjects/collaborators/collaboration.service.ts'
import { createOrgs } from '../../src/subjects/orgs/orgs.service.ts'
import { createTeamMembers } from '../../src/subjects/orgs/team-members.service.ts'
import { createTeams } from '../../src/subjects/orgs/teams.service.ts'
import { findRepoById, insertRepo, type Repo } from '../../src/subjects/repos/repo.store.ts'
import { createSocial } from '../../src/subjects/social/social.service.ts'
import { findWrongCounters } from '../../src/subjects/upkeep/counter.store.ts'
import { createBlocks } from '../../src/subjects/users/blocks.service.ts'
import { createFollows } from '../../src/subjects/users/follows.service.ts'
import type { User } from '../../src/subjects/users/user.store.ts'
import { createUsers, type Users } from '../../src/subjects/users/users.service.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../harness/databases.ts'

const ROUNDS = 25

describeOnBoth('a block at the moment of what it forbids', (kind) => {
  let db: TestDatabase
  let users: Users
  let [ann, bob] = [] as unknown as [User, User]
  let repo: Repo

  beforeAll(async () => {
    db = await freshDatabase(kind)
    const { database } = db
    users = createUsers({
      database,
      clock,
      passwordRules: { minLength: 8, complexity: 'off' },
      defaultVisibility: 'public',
      loginSources: [],
    })
    const add = (name: string, more = {}): Promise<User> =>
      users.create(0, { name, email: `${name}@example.test`, password: 'Corr3ct-horse!', ...more })
    ;[ann, bob] = [await add('ann'), await add('bob')]
    repo = await database.transaction(async (tx) => {
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

  /** Races `act` with a block of bob by ann, or by `blocker`; afterwards the tie must be gone. */
  async function race(
    act: () => Promise<unknown>,
    isTied: () => Promise<boolean>,
    blocker: Pick<User, 'id' | 'kind'> = ann,
  ): Promise<void> {
    const blocks = createBlocks({ database: db.database, clock })
    const by = { viewer: viewerOfAccount(ann), account: blocker }
    for (let round = 0; round < ROUNDS; round++) {
      const [acted, blocked] = await Promise.allSettled([act(), blocks.block(by, 'bob', { strict: false })])
      if (acted.status === 'rejected') expect(String(acted.reason)).toContain('user is blocked')
      // An organization does not block its members.
      if (blocked.status === 'rejected') expect(String(blocked.reason)).toContain('cannot block the user')
      else expect(await isTied(), `round ${round}`).toBe(false)
      if (blocked.status === 'rejected') return
      await blocks.unblock(by, 'bob', { strict: false })
    }
    expect(await findWrongCounters(db.database.read)).toEqual([])
  }

  const rows = async (table: 'follow' | 'star' | 'watch' | 'collaboration'): Promise<boolean> =>
    (await db.database.read.selectFrom(table).selectAll().execute()).length > 0

  it('leaves no follow, whichever way', async () => {
    const follows = createFollows({ database: db.database, clock })
    await race(
      () => follows.follow(bob.id, ann),
      () => rows('follow'),
    )
    await race(
      () => follows.follow(ann.id, bob),
      () => rows('follow'),
    )
  })

  it('leaves no star and no watch', async () => {
    const social = createSocial({ database: db.database, clock, watchOnPush: false })
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
    const collaboration = createCollaboration({ database: db.database, clock })
    await race(
      () => collaboration.put(viewerOfAccount(ann), repo, 'bob', AccessMode.write),
      () => rows('collaboration'),
    )
  })

  it('leaves nobody in a team of an organization that blocks them', async () => {
    const deps = {
      database: db.database,
      clock,
      rules: { membersArePublic: false, onlyAdminsCreate: false, autoWatch: false },
    }
    const org = await createOrgs(deps).create(ann.id, ann, { name: 'guild' })
    const team = await createTeams(deps).create(ann.id, org, { name: 'crew', permission: 'read', units: ['repo.code'] })
    const members = createTeamMembers(deps)
    await race(
      () => members.add(ann.id, { org, team }, 'bob'),
      async () => (await members.list({ org, team }, { page: 1, limit: 9, offset: 0 })).total > 0,
      org,
    )
  })
})

describeOnBoth('two that follow each other and stop again at once', (kind) => {
  it('does not fail, and counts right', async () => {
    const { database, close } = await freshDatabase(kind)
    const users = createUsers({
      database,
      clock,
      passwordRules: { minLength: 8, complexity: 'off' },
      defaultVisibility: 'public',
      loginSources: [],
    })
    const [ann, bob] = [
      await users.create(0, { name: 'ann', email: 'a@x.test', password: 'Corr3ct-horse!' }),
      await users.create(0, { name: 'bob', email: 'b@x.test', password: 'Corr3ct-horse!' }),
    ]
    const follows = createFollows({ database, clock })
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all([
        follows.follow(ann.id, bob),
        follows.follow(bob.id, ann),
        follows.unfollow(ann.id, bob),
        follows.unfollow(bob.id, ann),
      ])
    }
    expect(await findWrongCounters(database.read)).toEqual([])
    await close()
  })
})
