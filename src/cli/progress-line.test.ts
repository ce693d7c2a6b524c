import { expect, it } from 'vitest'
import { progressBar, progressLine } from './progress-line.ts'

it('shows the rate and the remaining time where the total is known', () => {
  const progress = { step: 'repositories', objects: 50, total: 200, seconds: 10 }
  expect(progressBar(progress) + progressLine(progress)).toBe(
    '[#####...............] repositories: 50 of 200 objects, 5/s, 30 s left',
  )
})

it.each([
  [{ step: 'accounts', objects: 0, total: 0, seconds: 0.1 }, 'accounts: 0 objects'],
  [{ step: 'accounts', objects: 0, total: 9, seconds: 2 }, '[....................] accounts: 0 of 9 objects, 0/s'],
  [{ step: 'stars', objects: 30, total: 20, seconds: 10 }, 'stars: 30 objects, 3/s'],
])('shows what is known of %j', (progress, line) => {
  expect(progressBar(progress) + progressLine(progress)).toBe(line)
})
