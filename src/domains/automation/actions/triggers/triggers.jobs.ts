import { Type } from '@sinclair/typebox'
import {
  type DomainEvent,
  type EventKind,
  listEventsBetween,
  type Subscription,
  type Subscriptions,
} from '../../../../core/events/index.ts'
import type { Core } from '../../../../core/module.ts'
import { defineJob, type JobDefinitions, type JobPayloadsOf, type Jobs } from '../../../../core/jobs/index.ts'
import { RUNS_GROUP } from '../actions.jobs.ts'
import { hasWorkflows } from '../workflows/workflow-state.store.ts'

const triggerJobPayloads = {
  /** Starts the runs of an event. */
  'actions.start': Type.Object({ event_id: Type.Integer(), repo_id: Type.Integer(), kind: Type.String() }),
}

declare module '../../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof triggerJobPayloads> {}
}

export const createTriggerJobs = (
  { database }: Pick<Core, 'database'>,
  start: (event: DomainEvent) => Promise<void>,
): JobDefinitions => ({
  'actions.start': defineJob(
    triggerJobPayloads['actions.start'],
    async ({ event_id: id, repo_id: repoId, kind }) => {
      const range = { after: id - 1, upTo: id, repoId, kinds: [kind as EventKind] }
      const [row] = await listEventsBetween(database.read, range, 1)
      if (row === undefined) return
      const { actor_id: actorId, created_at: at, payload } = row
      await start({ id, kind, repoId, actorId, at, payload: JSON.parse(payload) as unknown } as DomainEvent)
    },
    RUNS_GROUP,
  ),
})

/** Kinds of events by which a repository, or a pull request, gets its first workflow. */
const FIRST: readonly EventKind[] = ['repo.pushed', 'issue.created', 'pull.synchronized', 'issue.reopened']

/**
 * Enqueues the start of the runs of each event that jobs may see. A repository without workflows costs one query for
 * events other than those.
 */
export function triggerSubscriptions(jobs: Jobs, kinds: readonly EventKind[]): Subscriptions {
  const start: Subscription = async (tx, { id, repoId, kind, payload }) => {
    const isFirst = FIRST.includes(kind) && (!('is_pull' in payload) || payload.is_pull)
    const repo = repoId || ('repo_id' in payload ? payload.repo_id : 0)
    if (!isFirst && !(await hasWorkflows(tx, repo ?? 0))) return
    await jobs.enqueue(tx, 'actions.start', { event_id: id, repo_id: repoId, kind }, { key: String(id) })
  }
  return Object.fromEntries(kinds.map((kind) => [kind, start]))
}
