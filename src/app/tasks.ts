import { enqueue, type ScheduledTask } from '../jobs/index.ts'

/** Work by the clock (UTC); administrators see these by name and may start them. */
export const scheduledTasks: readonly ScheduledTask[] = [
  {
    name: 'update_mirrors',
    schedule: '*/10 * * * *',
    start: (tx, now) => enqueue(tx, 'mirrors.start_due', {}, { now, key: 'all' }),
  },
  {
    name: 'check_repo_rows',
    schedule: '41 2 * * *',
    start: (tx, now) => enqueue(tx, 'repos.reconcile', {}, { now, key: 'all' }),
  },
  {
    name: 'delete_lost_attachments',
    schedule: '29 3 * * *',
    start: (tx, now) => enqueue(tx, 'attachments.sweep', {}, { now, key: 'all' }),
  },
  {
    name: 'delete_lost_avatars',
    schedule: '53 3 * * *',
    start: (tx, now) => enqueue(tx, 'avatars.sweep', {}, { now, key: 'all' }),
  },
  {
    name: 'clean_git_leftovers',
    schedule: '7 4 * * *',
    start: (tx, now) => enqueue(tx, 'git.clean', {}, { now, key: 'all' }),
  },
  {
    name: 'delete_old_events',
    schedule: '17 3 * * *',
    start: (tx, now) => enqueue(tx, 'events.prune', {}, { now, key: 'all' }),
  },
  {
    name: 'gc_lfs',
    schedule: '53 3 * * *',
    start: (tx, now) => enqueue(tx, 'lfs.sweep', {}, { now, key: 'all' }),
  },
  {
    name: 'delete_lost_repository_files',
    schedule: '41 3 * * *',
    start: (tx, now) => enqueue(tx, 'repos.sweep', {}, { now, key: 'all' }),
  },
  {
    name: 'check_repo_stats',
    schedule: '53 2 * * *',
    start: (tx, now) => enqueue(tx, 'counters.recount', {}, { now, key: 'all' }),
  },
  {
    name: 'deleted_branches_cleanup',
    schedule: '23 4 * * *',
    start: (tx, now) => enqueue(tx, 'repos.expire_deleted', {}, { now, key: 'all' }),
  },
  {
    name: 'git_gc_repos',
    schedule: '13 1 * * 0',
    start: (tx, now) => enqueue(tx, 'repos.collect', {}, { now, key: 'all' }),
  },
  {
    name: 'repo_health_check',
    schedule: '13 3 * * 6',
    start: (tx, now) => enqueue(tx, 'repos.check', {}, { now, key: 'all' }),
  },
  {
    name: 'archive_cleanup',
    schedule: '7 0 * * *',
    start: (tx, now) => enqueue(tx, 'archives.trim', {}, { now, key: 'all' }),
  },
  {
    name: 'delete_missing_repos',
    schedule: '0 0 * * *',
    isOff: true,
    start: (tx, now) => enqueue(tx, 'repos.delete_missing', {}, { now, key: 'all' }),
  },
  {
    name: 'delete_old_actions',
    schedule: '0 0 * * 0',
    isOff: true,
    start: (tx, now) => enqueue(tx, 'activities.prune', {}, { now, key: 'all' }),
  },
  {
    name: 'delete_repo_archives',
    schedule: '0 0 * * *',
    isOff: true,
    start: (tx, now) => enqueue(tx, 'archives.clear', {}, { now, key: 'all' }),
  },
  {
    name: 'reinit_missing_repos',
    schedule: '0 0 * * *',
    isOff: true,
    start: (tx, now) => enqueue(tx, 'repos.reinit', {}, { now, key: 'all' }),
  },
  {
    name: 'resync_all_hooks',
    schedule: '0 0 * * *',
    isOff: true,
    start: (tx, now) => enqueue(tx, 'repos.remove_hooks', {}, { now, key: 'all' }),
  },
  {
    name: 'sync_repo_licenses',
    schedule: '0 0 * * *',
    isOff: true,
    start: (tx, now) => enqueue(tx, 'repos.relicense', {}, { now, key: 'all' }),
  },
]
