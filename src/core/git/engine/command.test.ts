import { expect, it } from 'vitest'
import { spacedStarts } from './command.ts'

const START_MS = 30
/** A timer may end so much before its time. */
const TIMER_MS = 2

function occupyThread(): void {
  for (const begin = performance.now(); performance.now() - begin < START_MS;);
}

it('leaves the thread as much time between starts as a start takes', async () => {
  const start = spacedStarts()
  const pauses: number[] = []
  let ended: number | undefined
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      await start()
      if (ended !== undefined) pauses.push(performance.now() - ended)
      occupyThread()
      ended = performance.now()
    }),
  )
  expect(pauses).toHaveLength(3)
  expect(Math.min(...pauses)).toBeGreaterThan(START_MS - TIMER_MS)
})
