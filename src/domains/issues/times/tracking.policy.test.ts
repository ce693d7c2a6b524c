import { expect, it } from 'vitest'
import { durationText } from './tracking.policy.ts'

it.each([
  [0, ''],
  [1, '1 second'],
  [59, '59 seconds'],
  [60, '1 minute'],
  [90, '1 minute'],
  [3600, '1 hour'],
  [3725, '1 hour 2 minutes'],
  [7200, '2 hours'],
  [90_061, '25 hours 1 minute'],
  [-5400, '-1 hour 30 minutes'],
])('%i seconds are %j', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})
