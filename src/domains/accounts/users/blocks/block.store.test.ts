import { afterAll, beforeAll, expect, it } from 'vitest'
import { viewerOfAccount } from '../../../../core/access/viewer.ts'
import type { RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { insertRepo, insertUser } from '../../../../../test/harness/rows.ts'
import { insertStar } from '../../../repositories/social/social.store.ts'
import { putWatch } from '../../../repositories/social/watches/watches.store.ts'
import { deleteBlock, hasBlock, insertBlock, listBlockers, listBlocks } from './block.store.ts'
import { findUserById } from '../user.store.ts'
import { freshCore, type TestCore } from '../../../../../test/harness/core.ts'
import { describeOnBoth } from '../../../../../test/harness/databases.ts'

describeOnBoth('blocks in the database', (kind) => {
  let db: TestCore
  let [ann, bob, root] = [] as unknown as [UserId, UserId, UserId]
  let repo: RepoId

  beforeAll(async () => {
    db = await freshCore(kind)
    await db.database.transaction(async (tx) => {
      const add = (name: string, more: object = {}): Promise<UserId> =>
        insertUser(tx, { kind: 'individual', name, lower_name: name, created_at: 1, updated_at: 1, ...more })
      ;[ann, bob, root] = [await add('ann'), await add('bob'), await add('root', { is_admin: 1 })]
      repo = await insertRepo(tx, {
        owner_id: ann,
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
    })
  })
  afterAll(() => db.close())

  it('stores one row per pair, in order, and does not affect administrators', async () => {
    const { database } = db
    const block = (blockedId: UserId, at: number): Promise<boolean> =>
      database.transaction((tx) => insertBlock(tx, { blockerId: ann, blockedId, note: '', at }))
    expect([await block(root, 5), await block(bob, 3), await block(bob, 4)]).toEqual([true, true, false])
    expect(
      (await listBlocks(database.read, ann, { page: 1, limit: 1, offset: 1 })).items.map(({ user, createdAt }) => [
        user.name,
        createdAt,
      ]),
    ).toEqual([['root', 5]])
    expect((await listBlocks(database.read, ann, { page: 1, limit: 9, offset: 0 })).total).toBe(2)
    expect([
      await listBlockers(database.read, bob, [ann, root]),
      await listBlockers(database.read, root, [ann]),
      await listBlockers(database.read, bob, []),
    ]).toEqual([[ann], [], []])
    expect(await database.transaction((tx) => deleteBlock(tx, ann, root))).toBe(true)
    expect(await database.transaction((tx) => deleteBlock(tx, ann, root))).toBe(false)
    expect(await hasBlock(database.read, ann, root)).toBe(false)
  })

  it('deletes the rows that refer to both and subtracts them from the counters', async () => {
    await db.database.transaction(async (tx) => {
      await insertStar(tx, bob, repo, 1)
      await putWatch(tx, bob, repo, { mode: 'normal', at: 1 })
      await tx.insertInto('collaboration').values({ repo_id: repo, user_id: bob, mode: 2, created_at: 1 }).execute()
      await tx
        .insertInto('repo_transfer')
        .values({ repo_id: repo, doer_id: ann, recipient_id: bob, created_at: 1 })
        .execute()
    })
    const account = (await findUserById(db.database.read, ann))!
    const actor = viewerOfAccount(account)
    await db.core.blocks.unblock(actor, account, 'bob', { strict: false })
    await db.core.blocks.block(actor, account, 'bob', { strict: true })
    const announced = await db.database.read.selectFrom('event').select(['kind', 'repo_id']).orderBy('id').execute()
    expect(announced.filter(({ kind }) => kind !== 'user.unblocked')).toEqual([
      { kind: 'user.blocked', repo_id: 0 },
      { kind: 'repo.collaborator_removed', repo_id: repo },
    ])
    const row = await db.database.read
      .selectFrom('repo')
      .select(['stars_count', 'watchers_count'])
      .where('id', '=', repo)
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ stars_count: 0, watchers_count: 0 })
    for (const table of ['star', 'watch', 'collaboration', 'repo_transfer'] as const)
      expect(await db.database.read.selectFrom(table).selectAll().execute()).toEqual([])
  })
})
