import { afterAll, beforeAll, expect, it } from 'vitest'
import { IMPORTER_ID } from '../../../../core/access/repo-access.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { listKnownNames } from '../../../operations/admin/admin.store.ts'
import { insertPushes } from './push.store.ts'
import { listReposWithDeletedRefs, walkRepoIds } from './records.store.ts'
import { insertRepo, insertUser } from '../../../../../test/harness/rows.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../../../../test/harness/databases.ts'

describeOnBoth('walks over repositories in the database', (kind) => {
  let db: TestDatabase
  const ids: RepoId[] = []

  beforeAll(async () => {
    db = await freshDatabase(kind)
    await db.database.transaction(async (tx) => {
      for (const owner of ['Ann', 'Bob']) {
        const ownerId = await insertUser(tx, {
          kind: 'individual',
          name: owner,
          lower_name: owner.toLowerCase(),
          created_at: 1,
          updated_at: 1,
        })
        const name = `R${owner}`
        ids.push(
          await insertRepo(tx, {
            owner_id: ownerId,
            name,
            lower_name: name.toLowerCase(),
            default_branch: 'main',
            wiki_branch: 'main',
            object_format: 'sha1',
            storage: `ab/${owner}`,
            units: 1,
            created_at: 1,
            updated_at: 1,
          }),
        )
      }
      const push = { ref: 'refs/heads/a', oldOid: '1'.repeat(40), newOid: '0'.repeat(40) }
      await insertPushes(tx, { repoId: ids[0]!, pusherId: 0, at: 50 }, [push, push])
      await insertPushes(tx, { repoId: ids[1]!, pusherId: 0, at: 50 }, [{ ...push, newOid: '2'.repeat(40) }])
    })
  })
  afterAll(() => db.close())

  it('list every id once, in order, without repositories that are being imported', async () => {
    const [first] = ids
    const row = await db.database.read.selectFrom('repo').selectAll().where('id', '=', first!).executeTakeFirstOrThrow()
    const { id: _, ...values } = row
    await db.database.transaction((tx) =>
      insertRepo(tx, { ...values, owner_id: IMPORTER_ID, lower_name: 'hidden', storage: 'ab/hidden' }),
    )
    expect(await Array.fromAsync(walkRepoIds(db.database.read))).toEqual(ids)
  })

  it('find repositories with deleted refs in a time span', async () => {
    const { read } = db.database
    expect([await listReposWithDeletedRefs(read, 50, 51), await listReposWithDeletedRefs(read, 0, 50)]).toEqual([
      [ids[0]],
      [],
    ])
  })

  it('find names case-insensitively', async () => {
    expect(
      await listKnownNames(db.database.read, [
        { owner: 'ANN', name: 'rann' },
        { owner: 'Ann', name: 'other' },
      ]),
    ).toEqual(new Set(['ann/rann']))
    expect(await listKnownNames(db.database.read, [])).toEqual(new Set())
  })
})
