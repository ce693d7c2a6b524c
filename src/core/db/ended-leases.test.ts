import { expect, it, onTestFinished, vi } from 'vitest'
import { createLogger } from '../platform/logger.ts'
import type { Database } from './database.ts'
import { freeLeasesOfEnded } from './ended-leases.ts'

it('ends the leases that a killed process got shortly after this one began', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let holders: readonly string[] = ['this']
  const freed: string[] = []
  const database = { transaction: (work: (tx: never) => unknown) => work(undefined as never) } as unknown as Database
  const members = {
    ended: (names: readonly string[]) => names.filter((name) => name !== 'this'),
    onEnded: () => () => {},
  }
  const start = () =>
    freeLeasesOfEnded(
      { database, log: createLogger('silent'), members },
      {
        listHolders: async () => holders,
        free: async (_, names) => void freed.push(...names),
        onFreed: () => void (holders = ['this']),
      },
    )
  const stop = start()
  await vi.advanceTimersByTimeAsync(1000)
  expect(freed).toEqual([])
  holders = ['this', 'killed']
  await vi.advanceTimersByTimeAsync(10_000)
  expect(freed).toEqual(['killed'])
  stop()
  start()()
  holders = ['this', 'late']
  await vi.advanceTimersByTimeAsync(10_000)
  expect(freed).toEqual(['killed'])
})
