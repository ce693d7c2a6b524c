import { expect, it } from 'vitest'
import { decideReleases } from './run-progress.policy.ts'
import type { RunStatus } from './run-status.policy.ts'

const job = (id: number, status: RunStatus, needs: readonly string[] = [], hasCondition = false) => ({
  id,
  key: `j${id}`,
  status,
  needs,
  hasCondition,
})

it('releases a job when all jobs that it needs have succeeded', () => {
  expect([...decideReleases([job(1, 'success'), job(2, 'running'), job(3, 'blocked', ['j1', 'j2'])])]).toEqual([])
  expect([...decideReleases([job(1, 'success'), job(2, 'success'), job(3, 'blocked', ['j1', 'j2'])])]).toEqual([
    [3, 'waiting'],
  ])
})

it('skips the dependents of a failed job in turn, but leaves the decision to a condition', () => {
  const jobs = [
    job(4, 'blocked', ['j3'], true),
    job(3, 'blocked', ['j2']),
    job(2, 'blocked', ['j1']),
    job(1, 'failure'),
    job(5, 'blocked'),
  ]
  expect(decideReleases(jobs)).toEqual(
    new Map([
      [2, 'skipped'],
      [3, 'skipped'],
      [4, 'waiting'],
    ]),
  )
})

it('waits for every combination of a matrix', () => {
  const twin = { ...job(2, 'running'), key: 'j1' }
  expect([...decideReleases([job(1, 'success'), twin, job(3, 'blocked', ['j1'])])]).toEqual([])
})
