import type { Core } from '../../../../../core/module.ts'
import { Type } from '@sinclair/typebox'
import type { Tx } from '../../../../../core/db/database.ts'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../../../core/jobs/index.ts'
import {
  deleteEndedBefore,
  deleteEndedBut,
  deleteForgottenOrigins,
  deleteUnusedMessages,
  listHooksWithMore,
  type MessageStep,
} from './delivery-counts.store.ts'

const DAY_MS = 86_400_000

const payloads = {
  /** Deletes ended deliveries that exceed the maximum age or the maximum number per webhook. */
  'hooks.sweep': Type.Object({}),
}

declare module '../../../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof payloads> {}
}

interface DeliveryJobDeps extends Pick<Core, 'database' | 'clock'> {
  /** Days for which ended deliveries are stored. */
  readonly days: number
  /** Ended deliveries that are stored per webhook. */
  readonly perHook: number
}

/**
 * The history of deliveries is bounded by age and by number (behaviour/orgs-webhooks-actions#history-of-deliveries).
 */
export function createDeliveryJobs({ database, clock, days, perHook }: DeliveryJobDeps): JobDefinitions {
  const untilNone = async (signal: AbortSignal, step: (tx: Tx) => Promise<number>): Promise<void> => {
    while (!signal.aborted && (await database.transaction(step)) > 0);
  }
  return {
    'hooks.sweep': defineJob(payloads['hooks.sweep'], async (_, signal) => {
      const oldest = clock.now() - days * DAY_MS
      await untilNone(signal, (tx) => deleteEndedBefore(tx, oldest))
      for (const hookId of await listHooksWithMore(database.read, perHook))
        await untilNone(signal, (tx) => deleteEndedBut(tx, hookId, perHook))
      const now = clock.now()
      let after: number | undefined = 0
      while (after !== undefined && !signal.aborted) {
        const step: MessageStep = { after, before: now }
        after = await database.transaction((tx): Promise<number | undefined> => deleteUnusedMessages(tx, step))
      }
      await database.transaction((tx) => deleteForgottenOrigins(tx, oldest))
    }),
  }
}

/** Scheduled by the clock, in UTC. */
export const deliveryTasks = (jobs: Jobs): ScheduledTask[] => [
  {
    name: 'cleanup_hook_task_table',
    schedule: '23 * * * *',
    start: (tx) => jobs.enqueue(tx, 'hooks.sweep', {}, { key: 'all' }),
  },
]
