import { expect, it } from 'vitest'
import { unitSet } from '../../src/core/access/repo-access.ts'
import { insertRepo, insertUser } from '../harness/rows.ts'
import { suspendUnits } from '../../src/domains/repositories/repos/records/records.store.ts'
import { describeOnBoth, freshDatabase } from '../harness/databases.ts'

describeOnBoth('units that are switched off everywhere', (kind) => {
  it('are removed from every repository and restored where they were enabled', async () => {
    const { database, close } = await freshDatabase(kind)
    try {
      const [full, plain] = [unitSet(['repo.code', 'repo.wiki', 'repo.issues']), unitSet(['repo.code'])]
      await database.transaction(async (tx) => {
        const owner = await insertUser(tx, {
          kind: 'user',
          name: 'ann',
          lower_name: 'ann',
          email: 'ann@example.test',
          created_at: 1,
          updated_at: 1,
        } as never)
        for (const [name, units] of [
          ['full', full],
          ['plain', plain],
        ] as const) {
          await insertRepo(tx, {
            owner_id: Number(owner),
            name,
            lower_name: name,
            default_branch: 'main',
            wiki_branch: 'main',
            object_format: 'sha1',
            storage: `te/${name}`,
            units,
            created_at: 1,
            updated_at: 1,
          })
        }
      })
      const after = async (...disabled: Parameters<typeof unitSet>[0][number][]): Promise<number[]> => {
        await database.transaction((tx) => suspendUnits(tx, unitSet(disabled)))
        return (await database.read.selectFrom('repo').select('units').orderBy('name').execute()).map(
          ({ units }) => units,
        )
      }
      expect(await after('repo.wiki', 'repo.pulls')).toEqual([unitSet(['repo.code', 'repo.issues']), plain])
      expect(await after('repo.issues')).toEqual([unitSet(['repo.code', 'repo.wiki']), plain])
      expect(await after('repo.issues', 'repo.wiki')).toEqual([plain, plain])
      expect(await after()).toEqual([full, plain])
    } finally {
      await close()
    }
  })
})
