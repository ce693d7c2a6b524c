import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'
import {
  deleteUserBadges,
  insertBadge,
  insertUserBadges,
  listBadgesBySlug,
  listBadgesOf,
} from '../../operations/admin/admin.store.ts'
import {
  copyDefaultWebhooks,
  findWebhook,
  type HookOwner,
  insertWebhook,
  listWebhooks,
  updateWebhook,
} from './webhook.store.ts'
import { insertRepo, insertUser } from '../../../../test/harness/rows.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../../../test/harness/databases.ts'

describeOnBoth('webhooks and badges in the database', (kind) => {
  let db: TestDatabase
  let ann: UserId
  let repo: RepoId
  const paging = { page: 1, limit: 10, offset: 0 }
  const site: HookOwner = { scope: 'site', scopes: ['system', 'default'] }

  beforeAll(async () => {
    db = await freshDatabase(kind)
    await db.database.transaction(async (tx) => {
      ann = await insertUser(tx, { kind: 'individual', name: 'ann', lower_name: 'ann', created_at: 1, updated_at: 1 })
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

  it('separates hooks by owner and copies default hooks', async () => {
    const { database } = db
    const row = {
      type: 'gitea',
      url: 'http://x/y',
      content_type: 'json' as const,
      events: '["push"]',
      created_at: 1,
      updated_at: 1,
    }
    await database.transaction(async (tx) => {
      const own = await insertWebhook(tx, { ...row, scope: 'user', owner_id: ann, repo_id: null })
      await insertWebhook(tx, { ...row, scope: 'system', owner_id: null, repo_id: null })
      await insertWebhook(tx, {
        ...row,
        scope: 'default',
        owner_id: null,
        repo_id: null,
        secret: 'sealed',
        is_active: 1,
      })
      await updateWebhook(tx, own, { name: 'mine' })
      await copyDefaultWebhooks(tx, repo, 9)
    })
    const { read } = database
    const [mine] = (await listWebhooks(read, { scope: 'user', ownerId: ann }, paging)).items
    const [copy] = (await listWebhooks(read, { scope: 'repository', repoId: repo }, paging)).items
    expect(mine).toMatchObject({ name: 'mine', scope: 'user', events: ['push'], isActive: false })
    expect(copy).toMatchObject({ scope: 'repository', sealedSecret: 'sealed', isActive: true, createdAt: 9 })
    expect((await listWebhooks(read, site, paging)).total).toBe(2)
    expect(await findWebhook(read, site, mine!.id)).toBeUndefined()
    await database.transaction(async (tx) => {
      await tx.deleteFrom('repo').where('id', '=', repo).execute()
    })
    expect((await listWebhooks(read, { scope: 'repository', repoId: repo }, paging)).total).toBe(0)
  })

  it('inserts and deletes badges', async () => {
    await db.database.transaction(async (tx) => {
      await insertBadge(tx, { slug: 'kind', description: 'd', imageUrl: 'u' })
      const badges = await listBadgesBySlug(tx, ['kind', 'none'])
      for (let twice = 0; twice < 2; twice++) await insertUserBadges(tx, ann, badges)
      expect(await listBadgesOf(tx, ann)).toMatchObject([{ slug: 'kind', description: 'd', imageUrl: 'u' }])
      await deleteUserBadges(tx, ann, badges)
      expect(await listBadgesOf(tx, ann)).toEqual([])
    })
  })
})
