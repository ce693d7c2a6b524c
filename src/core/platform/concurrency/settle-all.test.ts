import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { settleAll } from './settle-all.ts'

it('returns all results in order', async () => {
  expect(await settleAll([sleep(5, 'a'), sleep(0, 'b')])).toEqual(['a', 'b'])
})

it('throws the error of one that fails when the others have ended', async () => {
  let isDone = false
  const slow = sleep(20).then(() => void (isDone = true))
  await expect(settleAll([slow, Promise.reject(new Error('full'))])).rejects.toThrow('full')
  expect(isDone).toBe(true)
})
