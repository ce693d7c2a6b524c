import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'
import {
  copyLabels,
  deleteLabel,
  findLabel,
  findLabelByName,
  insertLabels,
  type LabelOwner,
  listLabels,
  updateLabel,
} from './label.store.ts'
import { insertLabel, insertRepo, insertUser } from '../../../../test/harness/rows.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../../../test/harness/databases.ts'

describeOnBoth('labels in the database', (kind) => {
  let db: TestDatabase
  let org: UserId
  const repos: RepoId[] = []
  const paging = { page: 1, limit: 10, offset: 0 }
  const values = (name: string) => ({
    name,
    color: 'ffffff',
    description: name.toUpperCase(),
    is_exclusive: 1 as const,
    archived_at: 0,
  })

  beforeAll(async () => {
    db = await freshDatabase(kind)
    await db.database.transaction(async (tx) => {
      org = await insertUser(tx, { kind: 'organization', name: 'org', lower_name: 'org', created_at: 1, updated_at: 1 })
      for (const name of ['a', 'b']) {
        repos.push(
          await insertRepo(tx, {
            owner_id: org,
            name,
            lower_name: name,
            default_branch: 'main',
            wiki_branch: 'main',
            object_format: 'sha1',
            storage: `ab/${name}`,
            units: 1,
            created_at: 1,
            updated_at: 1,
          }),
        )
      }
    })
  })
  afterAll(() => db.close())

  it('are separate per owner', async () => {
    const { database } = db
    const [mine, other]: LabelOwner[] = [{ repoId: repos[0]! }, { repoId: repos[1]! }]
    const shared: LabelOwner = { orgId: org }
    const { id, first } = await database.transaction(async (tx) => {
      const made = await insertLabel(tx, mine!, values('y'), 5)
      await insertLabels(tx, mine!, [values('x'), values('y')], 6)
      await insertLabels(tx, mine!, [], 6)
      await insertLabel(tx, shared, values('z'), 7)
      return { id: made.id, first: await findLabelByName(tx, mine!, 'y') }
    })
    const named = async (owner: LabelOwner, sort: Parameters<typeof listLabels>[2]['sort'] = 'name') =>
      (await listLabels(database.read, owner, { sort, paging })).items.map(({ name }) => name)
    expect(first!.id).toBe(id)
    expect([await named(mine!), await named(other!), await named(shared)]).toEqual([['x', 'y', 'y'], [], ['z']])
    for (const owner of [other!, shared]) expect(await findLabel(database.read, owner, id)).toBeUndefined()
    await database.transaction(async (tx) => {
      await updateLabel(tx, id, { archived_at: 8, issues_count: 3 })
      await copyLabels(tx, repos[0]!, repos[1]!, 9)
    })
    expect(await named(mine!, 'least-issues')).toEqual(['x', 'y', 'y'])
    expect((await listLabels(database.read, mine!, { sort: 'most-issues', paging })).items[0]).toEqual({
      id,
      name: 'y',
      color: 'ffffff',
      description: 'Y',
      isExclusive: true,
      archivedAt: 8,
      owner: { repoId: repos[0] },
    })
    expect(await named(other!, 'name-descending')).toEqual(['y', 'y', 'x'])
    expect(
      (await listLabels(database.read, other!, { sort: 'name', paging: { page: 2, limit: 2, offset: 2 } })).items,
    ).toHaveLength(1)
    await database.transaction((tx) => deleteLabel(tx, id))
    expect(await findLabel(database.read, mine!, id)).toBeUndefined()
    expect(await named(other!)).toEqual(['x', 'y', 'y'])
  })
})
