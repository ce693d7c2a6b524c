import { expect, it, vi } from 'vitest'
import { pino } from 'pino'
import { unavailable } from '../errors.ts'
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

it('retries soon while the database is unavailable, with one log line for each outage', async () => {
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
  let done = 0
  let isAway = true
  const work = async (): Promise<boolean> => {
    done++
    if (isAway) throw unavailable('the database cannot be reached')
    return false
  }
  const loop = new WorkerLoop({ work, interval: 600_000, log })
  const after = async (calls: number): Promise<void> => {
    const before = done
    await expect.poll(() => done, { timeout: 20_000 }).toBeGreaterThanOrEqual(before + calls)
  }
  loop.start()
  await after(2)
  isAway = false
  await after(1)
  isAway = true
  loop.wake()
  await after(1)
  await loop.stop()
  expect(lines).toHaveLength(2)
})

it('does nothing for those that wake it while it does not run, and is woken again after another start', async () => {
  let done = 0
  const work = async (): Promise<boolean> => (done++, false)
  const loop = new WorkerLoop({ work, interval: 600_000, log: createLogger('silent') })
  vi.useFakeTimers()
  try {
    loop.wakeSoon()
    expect(vi.getTimerCount()).toBe(0)
    loop.start()
    loop.wakeSoon()
    await loop.stop()
    loop.wakeSoon()
    expect(vi.getTimerCount()).toBe(0)
    loop.start()
    await vi.advanceTimersByTimeAsync(1)
    const before = done
    loop.wakeSoon()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(done).toBe(before + 1)
    await loop.stop()
  } finally {
    vi.useRealTimers()
  }
})
