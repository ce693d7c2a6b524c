import { expect, it } from 'vitest'
import { createLogger } from '../logger.ts'
import { WorkerLoop } from './worker-loop.ts'

it('runs after the caller that woke it, and once for a burst of calls', async () => {
  let done = 0
  const [begun, worked] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
  const loop = new WorkerLoop({
    work: async () => {
      ;(++done === 1 ? begun : worked).resolve(undefined)
      return false
    },
    interval: 600_000,
    log: createLogger('silent'),
  })
  loop.start()
  await begun.promise
  for (let i = 0; i < 5; i++) loop.wakeSoon()
  expect(done).toBe(1)
  await worked.promise
  await loop.stop()
  expect(done).toBe(2)
})
