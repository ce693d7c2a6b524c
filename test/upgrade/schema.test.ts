import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../harness/databases.ts'
import { describeSchema } from '../harness/schema-text.ts'

/**
 * The schema that the migrations make, committed for both databases: a change of a table shows in review as SQL.
 * `npx vitest run test/upgrade/schema.test.ts -u` writes the files again.
 */
describeOnBoth('the schema', (kind) => {
  let opened: TestDatabase
  beforeAll(async () => {
    opened = await freshDatabase(kind)
  })
  afterAll(() => opened.close())

  it('is the committed one', async () => {
    const text = await describeSchema(opened.database.read, kind)
    await expect(text).toMatchFileSnapshot(`../../migrations/schema.${kind}.sql`)
  })
})
