import { expect, it } from 'vitest'
import { findWrongCounters, insertRepo, insertUser } from '../harness/rows.ts'
import { recountWrong } from '../../src/domains/operations/upkeep/recount.ts'
import { describeOnBoth, freshDatabase } from '../harness/databases.ts'

const MANY = 250

describeOnBoth('counters', (kind) => {
  it('are recounted in batches during concurrent writes', async () => {
    const { database, close } = await freshDatabase(kind)
    try {
      const ids = await database.transaction(async (tx) => {
        const owner = await insertUser(tx, {
          kind: 'user',
          name: 'ann',
          lower_name: 'ann',
          email: 'ann@example.test',
          created_at: 1,
          updated_at: 1,
        } as never)
        const made: number[] = []
        for (let n = 0; n < MANY; n++) {
          made.push(
            await insertRepo(tx, {
              owner_id: Number(owner),
              name: `r${n}`,
              lower_name: `r${n}`,
              default_branch: 'main',
              wiki_branch: 'main',
              object_format: 'sha1',
              storage: `te/r${n}`,
              units: 1,
              watchers_count: n,
              stars_count: n === 3 ? 5 : 0,
              created_at: 1,
              updated_at: 1,
            }),
          )
        }
        await tx
          .insertInto('watch')
          .values({ repo_id: made[7]!, user_id: Number(owner), mode: 'normal', created_at: 1 })
          .execute()
        return made
      })
      const star = async (): Promise<void> => {
        for (const repo_id of ids.slice(0, 20)) {
          await database.transaction(async (tx) => {
            const { id: user_id } = await tx.selectFrom('user').select('id').executeTakeFirstOrThrow()
            await tx
              .updateTable('repo')
              .set((eb) => ({ stars_count: eb('stars_count', '+', 1) }))
              .where('id', '=', repo_id)
              .execute()
            await tx
              .updateTable('user')
              .set((eb) => ({ stars_count: eb('stars_count', '+', 1) }))
              .where('id', '=', user_id)
              .execute()
            await tx.insertInto('star').values({ repo_id, user_id, created_at: 1 }).execute()
          })
        }
      }
      const [{ wrong, first }] = await Promise.all([recountWrong(database), star()])
      expect(wrong).toBeGreaterThanOrEqual(MANY)
      expect(first).toMatchObject({ table: 'repo' })
      expect(await findWrongCounters(database.read)).toEqual([])
      expect(await recountWrong(database)).toEqual({ wrong: 0, first: undefined })
      const rows = await database.read
        .selectFrom('repo')
        .select(['watchers_count', 'stars_count'])
        .where('id', 'in', [ids[3]!, ids[7]!, ids[MANY - 1]!])
        .orderBy('id')
        .execute()
      expect(rows).toEqual([
        { watchers_count: 0, stars_count: 1 },
        { watchers_count: 1, stars_count: 1 },
        { watchers_count: 0, stars_count: 0 },
      ])
    } finally {
      await close()
    }
  })
})
