import { expect, it } from 'vitest'
import type { BatchSubscription } from '../../../../core/events/index.ts'
import type { Jobs } from '../../../../core/jobs/index.ts'
import { triggerSubscriptions } from './triggers.jobs.ts'

const NO_JOBS: Jobs = { enqueue: () => Promise.reject(new Error('not expected')), cancel: () => Promise.resolve() }

it('starts no job for the commit statuses that runs report, nor for a job that changes without its run', async () => {
  const subscriptions = triggerSubscriptions(NO_JOBS, ['commit.status', 'repo.created', 'action_job.changed'])
  expect(Object.keys(subscriptions).toSorted()).toEqual([
    'action_job.changed',
    'fork.created',
    'repo.created',
    'repo.edited',
    'repo.pushed',
  ])
  const [start] = [subscriptions['action_job.changed']!].flat()
  const payload = { repo_id: 1, run_id: 1, number: 1, workflow: 'ci.yml', job_id: 1, status: 'running' } as const
  const event = { id: 1, kind: 'action_job.changed', repoId: 1, actorId: -2, at: 1, payload } as const
  expect(start).toHaveProperty('handleAll')
  await expect((start as BatchSubscription).handleAll({} as never, [event])).resolves.toBeUndefined()
})
