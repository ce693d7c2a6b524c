import { afterAll, beforeAll, expect, it } from 'vitest'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import { listUsedArtifacts, sumArtifacts } from '../../automation/actions/artifacts/artifact.store.ts'
import { listUsedAttachments } from '../../code/releases/release.store.ts'
import { listUsedPackages, sumPackages } from '../../packages/packages/used-package.store.ts'
import { sumAttachments } from '../../repositories/attachments/attachment.store.ts'
import { loadRepoUsage } from '../../repositories/repos/records/records.store.ts'
import { createQuotaParts, loadQuotaUsage } from './quota-parts.ts'
import {
  deleteQuotaGroupRule,
  deleteQuotaGroupUser,
  deleteQuotaRule,
  findQuotaRule,
  insertQuotaGroup,
  insertQuotaGroupRule,
  insertQuotaGroupUser,
  insertQuotaRule,
  listQuotaGroups,
  listQuotaGroupUsers,
  updateQuotaRule,
} from './quota.store.ts'
import { insertRepo, insertUser } from '../../../../test/harness/rows.ts'
import { rows } from '../../../../test/harness/expect.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../../../test/harness/databases.ts'

describeOnBoth('quotas in the database', (kind) => {
  let db: TestDatabase
  let ann: UserId
  let bob: UserId
  const parts = createQuotaParts()
  parts.usage.register(loadRepoUsage)
  parts.usage.register(sumAttachments)
  parts.usage.register(async (tx, ownerId) => ({ artifacts: await sumArtifacts(tx, ownerId) }))
  parts.usage.register(async (tx, ownerId) => ({ packages: await sumPackages(tx, ownerId) }))
  const paging = { page: 1, limit: 1, offset: 0 }

  beforeAll(async () => {
    db = await freshDatabase(kind)
    await db.database.transaction(async (tx) => {
      const user = (name: string) =>
        insertUser(tx, { kind: 'individual', name, lower_name: name, created_at: 1, updated_at: 1 })
      ann = await user('ann')
      bob = await user('bob')
      const repo = (name: string, owner: UserId, sizes: object) =>
        insertRepo(tx, {
          owner_id: owner,
          name,
          lower_name: name,
          default_branch: 'main',
          wiki_branch: 'main',
          object_format: 'sha1',
          storage: `ab/${name}`,
          units: 1,
          created_at: 1,
          updated_at: 1,
          ...sizes,
        })
      const open = await repo('open', ann, { git_size: 5_000_000_000, lfs_size: 7 })
      await repo('more', ann, { git_size: 1, lfs_size: 3 })
      await repo('shut', ann, { git_size: 20, is_private: 1 })
      await repo('other', bob, { git_size: 999, lfs_size: 999 })
      const release = await tx
        .insertInto('release')
        .values({
          repo_id: open,
          publisher_id: ann,
          tag_name: 'v1',
          lower_tag_name: 'v1',
          created_at: 1,
          updated_at: 1,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      const file = { repo_id: open, uploader_id: ann, created_at: 1 }
      await tx
        .insertInto('attachment')
        .values([
          { ...file, uuid: 'a', name: 'little', size: 10, release_id: release.id, issue_id: 0 },
          { ...file, uuid: 'b', name: 'big', size: 300, release_id: release.id, issue_id: 0 },
          { ...file, uuid: 'c', name: 'picture', size: 4000, release_id: 0, issue_id: 9 },
        ])
        .execute()
      const times = { created_at: 1, updated_at: 1 }
      const { id: run_id } = await tx
        .insertInto('action_run')
        .values({
          repo_id: open,
          number: 1,
          workflow: 'ci.yml',
          workflow_path: 'x',
          title: 't',
          event: 'push',
          ref: 'refs/heads/main',
          oid: 'a',
          actor_id: ann,
          status: 'success',
          ...times,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      const artifact = { repo_id: open, run_id, task_id: 1, protocol: 'v4' as const, status: 'ready' as const }
      await tx
        .insertInto('action_artifact')
        .values([
          { ...artifact, name: 'log', size: 20, hash: 'a', expires_at: 9, ...times },
          { ...artifact, name: 'dist', size: 30, hash: 'b', expires_at: 9, ...times },
          { ...artifact, name: 'expired', size: 500, hash: '', expires_at: 9, ...times },
        ])
        .execute()
      const { id: package_id } = await tx
        .insertInto('package')
        .values({ owner_id: ann, type: 'npm', name: 'tool', lower_name: 'tool' })
        .returning('id')
        .executeTakeFirstOrThrow()
      const sums = { md5: '', sha1: '', sha512: '' }
      for (const [version, sizes] of [
        ['1', [1, 2]],
        ['2', [300, 400, 2]],
        ['3', []],
      ] as const) {
        const made = { package_id, creator_id: ann, version, lower_version: version, created_at: 1 }
        const { id } = await tx.insertInto('package_version').values(made).returning('id').executeTakeFirstOrThrow()
        for (const size of sizes)
          await tx
            .insertInto('package_file')
            .values({ version_id: id, name: `${size}`, size, sha256: `sum of ${size}`, ...sums })
            .execute()
      }
    })
  })
  afterAll(() => db.close())

  it('adds up the usage of the repositories of an owner', async () => {
    const { read } = db.database
    expect(await loadQuotaUsage(parts, read, ann)).toEqual({
      reposPublic: 5_000_000_001,
      reposPrivate: 20,
      lfs: 10,
      issueAttachments: 4000,
      releaseAttachments: 310,
      artifacts: 50,
      packages: 703,
    })
    expect(await loadQuotaUsage(parts, read, bob)).toEqual({
      reposPublic: 999,
      reposPrivate: 0,
      lfs: 999,
      issueAttachments: 0,
      releaseAttachments: 0,
      artifacts: 0,
      packages: 0,
    })
    expect(await listUsedAttachments(read, ann, paging)).toMatchObject({
      total: 2,
      items: [{ name: 'big', size: 300, repoName: 'open', tagName: 'v1' }],
    })
    const [run] = await rows(db, 'action_run')
    expect(await listUsedArtifacts(read, ann, paging)).toEqual({
      total: 2,
      items: [{ name: 'dist', size: 30, runId: run!.id, repoName: 'open' }],
    })
    expect(await listUsedPackages(read, ann, { page: 1, limit: 2, offset: 0 })).toEqual({
      total: 3,
      items: [
        { name: 'tool', type: 'npm', version: '2', size: 702 },
        { name: 'tool', type: 'npm', version: '1', size: 3 },
      ],
    })
    expect(await listUsedPackages(read, bob, paging)).toEqual({ total: 0, items: [] })
  })

  it('stores the rules and accounts of groups', async () => {
    const { read } = db.database
    await db.database.transaction(async (tx) => {
      const group = await insertQuotaGroup(tx, 'g')
      const rule = await insertQuotaRule(tx, { name: 'r', limit: 6_000_000_000, subjects: ['size:all'] })
      const gone = await insertQuotaRule(tx, { name: 'gone', limit: 0, subjects: [] })
      expect([
        await insertQuotaGroupRule(tx, group, rule),
        await insertQuotaGroupRule(tx, group, rule),
        await insertQuotaGroupRule(tx, group, gone),
      ]).toEqual([true, false, true])
      expect([await insertQuotaGroupUser(tx, group, ann), await insertQuotaGroupUser(tx, group, ann)]).toEqual([
        true,
        false,
      ])
      expect([
        await deleteQuotaGroupUser(tx, group, bob),
        await deleteQuotaGroupRule(tx, group, rule),
        await deleteQuotaGroupRule(tx, group, rule),
      ]).toEqual([false, true, false])
      await insertQuotaGroupRule(tx, group, rule)
      await updateQuotaRule(tx, rule, { limit: -1, subjects: ['none'] })
      await deleteQuotaRule(tx, gone)
    })
    expect(await findQuotaRule(read, 'gone')).toBeUndefined()
    expect(await listQuotaGroups(read, { ofUser: ann })).toMatchObject([
      { name: 'g', rules: [{ name: 'r', limit: -1, subjects: ['none'] }] },
    ])
    expect([
      await listQuotaGroups(read, { ofUser: bob }),
      await listQuotaGroups(read, { names: [] }),
      await listQuotaGroups(read, { names: ['x'] }),
    ]).toEqual([[], [], []])
    const [group] = await listQuotaGroups(read, 'all')
    expect((await listQuotaGroupUsers(read, group!.id)).map(({ name }) => name)).toEqual(['ann'])
  })
})
