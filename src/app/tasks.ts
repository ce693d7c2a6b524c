import { enqueue, type ScheduledTask } from '../jobs/index.ts'

/** Work by the clock (UTC); administrators see these by name and may start them. */
export const scheduledTasks: readonly ScheduledTask[] = [
  {
    name: 'delete_old_events',
    schedule: '17 3 * * *',
    start: (tx, now) => enqueue(tx, 'events.prune', {}, { now, key: 'all' }),
  },
  {
    name: 'delete_lost_repository_files',
    schedule: '41 3 * * *',
    start: (tx, now) => enqueue(tx, 'repos.sweep', {}, { now, key: 'all' }),
  },
]
