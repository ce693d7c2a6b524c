import { expect, it } from 'vitest'
import { createLogger } from '../logger.ts'
import { WorkerLoop } from './worker-loop.ts'

it('runs after the caller that woke it, and once for a burst of calls', async () => {
  let done = 0
  const worked = Promise.withResolvers<undefined>()
  const loop = new WorkerLoop({
    work: async () => {
      if (++done === 2) worked.resolve(undefined)
      return false
    },
    interval: 600_000,
    log: createLogger('silent'),
  })
  loop.start()
  await new Promise((resolve) => setImmediate(resolve))
  for (let i = 0; i < 5; i++) loop.wakeSoon()
  await new Promise((resolve) => setImmediate(resolve))
  expect(done).toBe(1)
  await worked.promise
  await loop.stop()
  expect(done).toBe(2)
})
