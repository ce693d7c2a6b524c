import { Type } from '@sinclair/typebox'
import { CredentialRestriction } from '../../../../core/access/authorize.ts'
import {
  type BatchSubscription,
  type DomainEvent,
  type EventKind,
  listEventsBetween,
  type Subscriptions,
} from '../../../../core/events/index.ts'
import {
  defineJob,
  hasJobs,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../../core/jobs/index.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { RUNS_GROUP } from '../actions.jobs.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { branchRef } from '../../../../core/git/index.ts'
import { repoQueries } from '../../../repositories/index.ts'
import type { Members } from '../workflows/reading/problem.ts'
import { startDispatched } from './repository-dispatch.ts'
import type { SchedulePush } from './schedule.store.ts'
import { readSchedules, type ScheduleDeps, startDueRuns } from './schedules.ts'
import { startRuns } from './start-runs.ts'
import { hasWorkflows, lockWorkflows } from '../workflows/workflow-state.store.ts'

const triggerJobPayloads = {
  /** Starts the runs of an event that somebody outside has made up. */
  'actions.repository_dispatch': Type.Object({
    repo_id: Type.Integer(),
    actor_id: Type.Integer(),
    restriction: Type.Optional(CredentialRestriction),
    source: Type.String(),
    type: Type.String(),
    /** JSON. */
    client_payload: Type.String(),
  }),
  /** Starts the runs of schedules that are due. */
  'actions.schedule': Type.Object({}),
  /** Reads the schedules of the default branch again. */
  'actions.schedules': Type.Object({
    repo_id: Type.Integer(),
    /** The push to the default branch by which they are registered. */
    push: Type.Optional(
      Type.Object({
        eventId: Type.Integer(),
        actorId: Type.Integer(),
        ref: Type.String(),
        before: Type.String(),
        after: Type.String(),
      }),
    ),
  }),
  /** Starts the runs of an event. */
  'actions.start': Type.Object({ event_id: Type.Integer(), repo_id: Type.Integer(), kind: Type.String() }),
}

declare module '../../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof triggerJobPayloads> {}
}

export const createTriggerJobs = (deps: ScheduleDeps): JobDefinitions => ({
  'actions.repository_dispatch': defineJob(
    triggerJobPayloads['actions.repository_dispatch'],
    ({ repo_id: repoId, actor_id: actorId, restriction, source, type, client_payload: payload }) =>
      startDispatched(deps, {
        repoId,
        actorId,
        restriction,
        source,
        dispatch: { type, payload: JSON.parse(payload) as Members },
      }),
    RUNS_GROUP,
  ),
  'actions.schedule': defineJob(
    triggerJobPayloads['actions.schedule'],
    (_, signal) => startDueRuns(deps, signal),
    RUNS_GROUP,
  ),
  'actions.schedules': defineJob(
    triggerJobPayloads['actions.schedules'],
    ({ repo_id: repoId, push }) => readSchedules(deps, asId(repoId), push),
    RUNS_GROUP,
  ),
  'actions.start': defineJob(
    triggerJobPayloads['actions.start'],
    async ({ event_id: id, repo_id: repoId, kind }) => {
      const range = { after: id - 1, upTo: id, repoId, kinds: [kind as EventKind] }
      const [row] = await listEventsBetween(deps.database.read, range, 1)
      if (row === undefined) return
      const { actor_id: actorId, created_at: at, payload } = row
      await startRuns(deps, { id, kind, repoId, actorId, at, payload: JSON.parse(payload) as unknown } as DomainEvent)
    },
    RUNS_GROUP,
  ),
})

/** Kinds of events by which a repository, or a pull request, gets its first workflow. */
const FIRST: readonly EventKind[] = ['repo.pushed', 'issue.created', 'pull.synchronized', 'issue.reopened']

/** The number of events of the server within which the job of a push has looked for workflows. */
const RECENT = 1000

/** Whether a repository has workflows, or may have got its first one by a push that no job has examined yet. */
async function mayHaveWorkflows(tx: Tx, repoId: number, eventId: number): Promise<boolean> {
  // NOTE: asked first: a job that ends in between has recorded the workflows that it found.
  const isLooking = await hasJobs(tx, 'actions.start')
  if (await hasWorkflows(tx, repoId)) return true
  if (!isLooking) return false
  const range = { after: eventId - RECENT, upTo: eventId, repoId, kinds: ['repo.pushed'] }
  return (await listEventsBetween(tx, range, 1)).length > 0
}

/** Kinds of events with webhooks that start no workflow. */
const NEVER: readonly EventKind[] = ['commit.status', 'fork.created', 'repo.created', 'repo.deleted']

/**
 * Enqueues the start of the runs of each event that jobs may see. A repository without workflows costs two queries for
 * events other than those.
 */
export function triggerSubscriptions(jobs: Jobs, kinds: readonly EventKind[]): Subscriptions {
  const start: BatchSubscription = {
    async handleAll(tx, events) {
      const known = new Map<number, boolean>()
      for (const event of events) {
        // A job that changes without its run starts nothing.
        if (event.kind === 'action_job.changed' && !('run_status' in event.payload)) continue
        const { id, repoId, kind, payload } = event
        const isFirst = FIRST.includes(kind) && (!('is_pull' in payload) || payload.is_pull)
        const repo = (repoId || ('repo_id' in payload ? payload.repo_id : 0)) ?? 0
        if (kind === 'repo.pushed') known.set(repo, true)
        if (!isFirst && !known.has(repo)) known.set(repo, await mayHaveWorkflows(tx, repo, id))
        if (isFirst || known.get(repo) === true)
          await jobs.enqueue(tx, 'actions.start', { event_id: id, repo_id: repoId, kind }, { key: String(id) })
      }
    },
  }
  const schedules = scheduleSubscriptions(jobs)
  const all = kinds
    .filter((kind) => !NEVER.includes(kind))
    .map((kind) => [kind, [start, schedules[kind] ?? []].flat()] as const)
  return { ...schedules, ...Object.fromEntries(all) }
}

/**
 * Enqueues reading the schedules again after changes of the default branch, and examines the events of repositories
 * whose first commits were not pushed.
 */
function scheduleSubscriptions(jobs: Jobs): Subscriptions {
  const read = (tx: Tx, repoId: number, push?: SchedulePush): Promise<void> =>
    jobs.enqueue(
      tx,
      'actions.schedules',
      { repo_id: repoId, ...(push && { push }) },
      { key: `${repoId} ${push?.eventId ?? 0}` },
    )
  return {
    async 'repo.created'(tx, { repoId }) {
      const repo = await repoQueries.findById(tx, asId(repoId))
      if ((repo?.templateId ?? repo?.originalUrl) !== undefined) await lockWorkflows(tx, asId(repoId))
    },
    'fork.created': async (tx, { repoId }) => void (await lockWorkflows(tx, asId(repoId))),
    async 'repo.pushed'(tx, { id: eventId, repoId, actorId, payload }) {
      const repo = await repoQueries.findById(tx, asId(repoId))
      const branch = repo && branchRef(repo.defaultBranch)
      const update = payload.updates.find(({ ref }) => ref === branch)
      if (update === undefined) return
      const { ref, old_oid: before, new_oid: after } = update
      await read(tx, repoId, { eventId, actorId, ref, before, after })
    },
    async 'repo.edited'(tx, { repoId, payload }) {
      if (payload.changed.includes('default_branch')) await read(tx, repoId)
    },
  }
}

export const triggerTasks = (jobs: Jobs): ScheduledTask[] => [
  {
    name: 'start_scheduled_workflows',
    schedule: '* * * * *',
    start: (tx) => jobs.enqueue(tx, 'actions.schedule', {}, { key: 'all' }),
  },
]
