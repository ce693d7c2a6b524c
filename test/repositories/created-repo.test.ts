import { afterAll, beforeAll, expect, it } from 'vitest'
import { asId } from '../../src/core/platform/crypto/ids.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../harness/databases.ts'
import { getCreatedRepo } from '../../src/domains/repositories/repos/lookup.ts'

describeOnBoth('a repository that was just created', (kind) => {
  let opened: TestDatabase
  beforeAll(async () => {
    opened = await freshDatabase(kind)
  })
  afterAll(() => opened.close())

  it('is not found if it was deleted concurrently', async () => {
    await expect(getCreatedRepo(opened.database.read, asId(1))).rejects.toMatchObject({ kind: 'not-found' })
  })
})
