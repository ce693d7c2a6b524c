import { afterAll, beforeAll, expect, it } from 'vitest'
import { actorOf, ANONYMOUS, systemActor } from '../../../../core/access/viewer.ts'
import { asId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { insertRepo, insertUser } from '../../../../../test/harness/rows.ts'
import {
  countActiveUsers,
  countActivitiesOfKind,
  findUserByPublicEmail,
} from '../../../operations/instance/usage.store.ts'
import { type ActivityFilter, countActivities, listActivities, updateActivityContent } from './activity.store.ts'
import { freshCore, type TestCore } from '../../../../../test/harness/core.ts'
import { describeOnBoth } from '../../../../../test/harness/databases.ts'

describeOnBoth('activities in the database', (kind) => {
  let db: TestCore
  let ann: UserId
  let [open, secret] = [] as unknown as [RepoId, RepoId]
  const paging = { page: 1, limit: 10, offset: 0 }

  beforeAll(async () => {
    db = await freshCore(kind)
    await db.database.transaction(async (tx) => {
      ann = await insertUser(tx, { kind: 'individual', name: 'ann', lower_name: 'ann', created_at: 1, updated_at: 1 })
      const add = (name: string, more: object): Promise<RepoId> =>
        insertRepo(tx, {
          owner_id: ann,
          name,
          lower_name: name,
          default_branch: 'main',
          wiki_branch: 'main',
          object_format: 'sha1',
          storage: `ab/${name}`,
          units: 1,
          created_at: 1,
          updated_at: 1,
          ...more,
        })
      ;[open, secret] = [await add('open', {}), await add('secret', { is_private: 1 })]
      await db.events.append(
        tx,
        'repo.created',
        { actor: actorOf(asId(ann)), repoId: open, at: 900_001 },
        { repo_id: open, name: 'open' },
      )
      await db.events.append(
        tx,
        'repo.created',
        { actor: actorOf(asId(ann)), repoId: secret, at: 900_002 },
        { repo_id: secret, name: 'secret' },
      )
      await db.events.append(
        tx,
        'repo.created',
        { actor: systemActor, repoId: open, at: 900_003 },
        { repo_id: open, name: 'open' },
      )
      const updates = ['a', 'b'].map((name) => ({
        ref: `refs/heads/${name}`,
        old_oid: '2'.repeat(40),
        new_oid: '1'.repeat(40),
      }))
      await db.events.append(
        tx,
        'repo.pushed',
        { actor: actorOf(asId(ann)), repoId: open, at: 1_900_000 },
        { repo_id: open, updates },
      )
    })
  })
  afterAll(() => db.close())

  const list = async (filter: ActivityFilter): Promise<string[]> =>
    (await listActivities(db.database.read, ANONYMOUS, filter, paging)).items.map(
      ({ opType, refName }) => `${opType}${refName}`,
    )

  it('lists the activities visible to the viewer, filtered', async () => {
    const all = ['commit_reporefs/heads/b', 'commit_reporefs/heads/a', 'create_repo']
    expect(await list({ actorId: ann })).toEqual(all)
    expect(await list({ feedOf: ann, ownerId: ann, repoId: open, publicOnly: true })).toEqual(all)
    expect(await list({ between: [0, 900_002] })).toEqual(['create_repo'])
    expect(await list({ teamId: 7 })).toEqual([])
    expect(await countActivities(db.database.read, ANONYMOUS, { actorId: ann }, 900_000)).toEqual([
      { start: 900_000, count: 1 },
      { start: 1_800_000, count: 2 },
    ])
  })

  it('stores transfers, releases and mirrors in the terms of clients', async () => {
    const facts = {
      repo_id: open,
      release_id: 1,
      publisher_id: ann,
      tag_name: 'v1',
      target: 'main',
      title: 'One',
      body: '',
      is_prerelease: false,
      created_at: 9_000_000,
    }
    const [zero, one] = ['0'.repeat(40), '1'.repeat(40)]
    const ref = 'refs/heads/a'
    await db.database.transaction(async (tx) => {
      const origin = { actor: actorOf(asId(ann)), repoId: secret, at: 9_000_000 }
      await db.events.append(tx, 'repo.transferred', origin, {
        repo_id: secret,
        name: 'secret',
        old_owner_id: ann,
        owner_id: ann,
      })
      await db.events.append(tx, 'release.published', origin, facts)
      const updates = [
        { ref, old_oid: zero, new_oid: one },
        { ref, old_oid: one, new_oid: one },
        { ref, old_oid: one, new_oid: zero },
      ]
      await db.events.append(tx, 'repo.pushed', origin, { repo_id: secret, is_mirror_sync: true, updates })
    })
    const rows = await db.database.read
      .selectFrom('activity')
      .select(['op_type', 'ref_name', 'content'])
      .where('repo_id', '=', secret)
      .where('created_at', '=', 9_000_000)
      .orderBy('id')
      .execute()
    expect(rows.map(({ op_type, ref_name }) => [op_type, ref_name])).toEqual([
      ['transfer_repo', ''],
      ['publish_release', 'v1'],
      ['mirror_sync_create', ref],
      ['mirror_sync_push', ref],
      ['mirror_sync_delete', ref],
    ])
    expect(rows.slice(0, 3).map(({ content }) => content)).toEqual(['ann/secret', 'One', ''])
  })

  it('counts active users and finds public email addresses', async () => {
    const { read } = db.database
    expect([await countActiveUsers(read, 1_900_000), await countActiveUsers(read, 99_000_000)]).toEqual([1, 0])
    expect(await countActivitiesOfKind(read, ['create_repo', 'create_issue'])).toBe(2)
    await db.database.transaction(async (tx) => {
      await tx
        .insertInto('email_address')
        .values({ user_id: ann, email: 'Ann@x.test', lower_email: 'ann@x.test', is_activated: 1, is_primary: 1 })
        .execute()
    })
    expect((await findUserByPublicEmail(read, 'ANN@x.test'))?.id).toBe(ann)
    expect(await findUserByPublicEmail(read, 'bob@x.test')).toBeUndefined()
  })

  it('adds the commits of a push later', async () => {
    const [first] = await db.database.read.selectFrom('activity').selectAll().where('position', '=', 1).execute()
    await db.database.transaction((tx) => updateActivityContent(tx, first!.event_id, 1, 'commits'))
    expect((await listActivities(db.database.read, ANONYMOUS, { repoId: open }, paging)).items[0]!.content).toBe(
      'commits',
    )
  })
})
