import Sqlite from 'better-sqlite3'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { onTestFinished, expect, it } from 'vitest'
import { ReadTransaction } from '../../../src/core/db/dialect/sqlite-connection.ts'

it('covers all that the promises of an event read, and ends before the next event', async () => {
  const reader = new Sqlite(':memory:')
  onTestFinished(() => void reader.close())
  const reads = new ReadTransaction(reader)
  const seen = await new Promise<boolean[]>((resolve) => {
    setImmediate(async () => {
      reads.version()
      const open: boolean[] = []
      for (let i = 0; i < 3; i++) {
        await Promise.resolve()
        open.push(reader.inTransaction)
      }
      resolve(open)
    })
  })
  expect(seen).toEqual([true, true, true])
  await nextTurn()
  expect(reader.inTransaction).toBe(false)
})
