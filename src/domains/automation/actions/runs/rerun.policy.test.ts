import { describe, expect, it } from 'vitest'
import { decideRerun, type RerunChoice } from './rerun.policy.ts'
import { aggregateStatus, type RunStatus } from './run-status.policy.ts'

describe('decideRerun', () => {
  // build → test (twice, a matrix) → deploy; lint depends on nothing
  const JOBS = [
    { id: 1, key: 'build', needs: [], status: 'success' },
    { id: 2, key: 'test', needs: ['build'], status: 'failure' },
    { id: 3, key: 'test', needs: ['build'], status: 'success' },
    { id: 4, key: 'deploy', needs: ['test'], status: 'skipped' },
    { id: 5, key: 'lint', needs: [], status: 'cancelled' },
  ] as const
  const decide = (choice: RerunChoice): unknown => Object.fromEntries(decideRerun(JOBS, choice))

  it.each<[RerunChoice, object]>([
    ['all', { 1: 'waiting', 2: 'blocked', 3: 'blocked', 4: 'blocked', 5: 'waiting' }],
    ['failed', { 2: 'waiting', 4: 'blocked' }],
    [{ jobId: 1 }, { 1: 'waiting', 2: 'blocked', 3: 'blocked', 4: 'blocked' }],
    [{ jobId: 4 }, { 4: 'waiting' }],
    [{ jobId: 5 }, { 5: 'waiting' }],
    [{ jobId: 9 }, {}],
  ])('of %j is %j', (choice, wanted) => {
    expect(decide(choice)).toEqual(wanted)
  })

  it('is empty when no job failed', () => {
    expect(decideRerun([JOBS[0], JOBS[4]], 'failed').size).toBe(0)
  })

  it('finds jobs that need another one in any order', () => {
    expect(Object.fromEntries(decideRerun([JOBS[3], JOBS[1], JOBS[0]], { jobId: 1 }))).toEqual({
      1: 'waiting',
      2: 'blocked',
      4: 'blocked',
    })
  })
})

describe('aggregateStatus', () => {
  it.each<[RunStatus[], RunStatus]>([
    [['skipped', 'skipped'], 'skipped'],
    [['success', 'skipped'], 'success'],
    [['success', 'failure'], 'failure'],
    [['failure', 'waiting', 'blocked'], 'waiting'],
    [['failure', 'blocked'], 'blocked'],
    [['failure', 'cancelled', 'success'], 'cancelled'],
    [['running', 'waiting'], 'running'],
    [['running', 'cancelled'], 'running'],
    [['blocked', 'success'], 'blocked'],
  ])('of %j is %s', (jobs, wanted) => {
    expect(aggregateStatus(jobs)).toBe(wanted)
    expect(aggregateStatus(jobs.toReversed())).toBe(wanted)
  })
})
