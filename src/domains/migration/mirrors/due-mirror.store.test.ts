import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { listDueMirrors, listDuePushMirrors } from './due-mirror.store.ts'
import {
  deletePushMirror,
  findPushMirrorByName,
  insertPushMirror,
  listPushMirrorIds,
  listPushMirrors,
  updatePushMirror,
} from './push/push-mirror.store.ts'
import { findMirror, insertMirror, updateMirror } from '../../repositories/repos/records/records.store.ts'
import { insertRepo, insertUser } from '../../../../test/harness/rows.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../../../test/harness/databases.ts'

describeOnBoth('mirrors', (kind) => {
  let fresh: TestDatabase
  let repos: RepoId[]

  beforeEach(async () => {
    fresh = await freshDatabase(kind)
    repos = await fresh.database.transaction(async (tx) => {
      const owner = await insertUser(tx, {
        kind: 'user',
        name: 'ann',
        lower_name: 'ann',
        email: 'ann@example.test',
        created_at: 1,
        updated_at: 1,
      } as never)
      const made: RepoId[] = []
      for (const name of ['a', 'b', 'c']) {
        const common = {
          owner_id: Number(owner),
          name,
          lower_name: name,
          default_branch: 'main',
          wiki_branch: 'main',
          object_format: 'sha1' as const,
        }
        made.push(
          await insertRepo(tx, {
            ...common,
            storage: `te/${name}`,
            units: 1,
            is_archived: name === 'c' ? 1 : 0,
            created_at: 1,
            updated_at: 1,
          }),
        )
      }
      return made
    })
  })
  afterEach(() => fresh.close())

  it('of remotes are listed when due, unless archived', async () => {
    const { database } = fresh
    await database.transaction(async (tx) => {
      for (const [index, repo_id] of repos.entries())
        await insertMirror(tx, { repo_id, interval: 10, next_sync_at: 100 - index * 10, remote_url: 'http://x/y' })
    })
    expect(await listDueMirrors(database.read, 89, 10)).toEqual([])
    expect(await listDueMirrors(database.read, 100, 10)).toEqual([repos[1], repos[0]])
    expect(await listDueMirrors(database.read, 100, 1)).toEqual([repos[1]])
    await database.transaction((tx) =>
      updateMirror(tx, repos[1]!, { next_sync_at: 0, last_error: 'no', remote_head: 'main' }),
    )
    expect(await listDueMirrors(database.read, 1000, 10)).toEqual([repos[0]])
    expect(await findMirror(database.read, repos[1]!)).toEqual({
      repoId: repos[1],
      interval: 10,
      isPruning: true,
      syncedAt: 0,
      remoteUrl: 'http://x/y',
      credentials: '',
      remoteHead: 'main',
      hasWiki: false,
      hasLfs: false,
      lfsEndpoint: '',
      isLfsPending: false,
      lastError: 'no',
    })
  })

  it('at remotes are listed by page, found by name, listed when due and deleted with the repository', async () => {
    const { database } = fresh
    const ids = await database.transaction(async (tx) => {
      const made: number[] = []
      for (const [index, repo_id] of [repos[0]!, repos[0]!, repos[2]!].entries()) {
        made.push(
          await insertPushMirror(tx, {
            repo_id,
            remote_name: `r${index}`,
            remote_url: 'http://x/y',
            interval: 5,
            is_on_commit: index === 1 ? 1 : 0,
            next_sync_at: 50 - index,
            created_at: 7,
          }),
        )
      }
      return made
    })
    const page = await listPushMirrors(database.read, repos[0]!, { page: 2, limit: 1, offset: 1 })
    expect([page.total, page.items.map(({ remoteName }) => remoteName)]).toEqual([2, ['r1']])
    expect(await listPushMirrorIds(database.read, repos[0]!)).toEqual(ids.slice(0, 2))
    expect(await listPushMirrorIds(database.read, repos[0]!, { onCommit: true })).toEqual([ids[1]])
    expect(await listDuePushMirrors(database.read, 50, 10)).toEqual([ids[1], ids[0]])
    await database.transaction((tx) => updatePushMirror(tx, ids[0]!, { pushed_at: 60, next_sync_at: 65 }))
    expect(await findPushMirrorByName(database.read, repos[0]!, 'r0')).toMatchObject({
      pushedAt: 60,
      interval: 5,
      isOnCommit: false,
      createdAt: 7,
    })
    await database.transaction((tx) => deletePushMirror(tx, repos[0]!, 'r0'))
    expect(await findPushMirrorByName(database.read, repos[0]!, 'r0')).toBeUndefined()
    await database.transaction((tx) => tx.deleteFrom('repo').where('id', '=', repos[0]!).execute())
    expect(await listDuePushMirrors(database.read, 1000, 10)).toEqual([])
  })
})
