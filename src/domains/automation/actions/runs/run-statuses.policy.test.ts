import { expect, it } from 'vitest'
import { describeJob, statusOf } from './run-statuses.policy.ts'

it.each([
  ['waiting', 0, 0, 'pending', 'Waiting to run'],
  ['blocked', 0, 0, 'pending', 'Blocked by required conditions'],
  ['running', 1000, 0, 'pending', 'Has started running'],
  ['success', 1000, 40_000, 'success', 'Successful in 39s'],
  ['success', 1000, 66_000, 'success', 'Successful in 1m5s'],
  ['failure', 1000, 3_602_000, 'failure', 'Failing after 1h0m1s'],
  ['failure', 0, 5000, 'failure', 'Failing after 0s'],
  ['cancelled', 0, 0, 'failure', 'Has been cancelled'],
  ['skipped', 0, 0, 'skipped', 'Has been skipped'],
] as const)('a job that is %s from %i to %i has the status %s: %s', (...row) => {
  const [status, startedAt, stoppedAt, state, text] = row
  expect([statusOf(status), describeJob({ status, startedAt, stoppedAt })]).toEqual([state, text])
})
