import { countJobsByStatus, findOldestWaiting, listAllJobsOfRun, listJobsByIds } from './actions/runs/job.store.ts'
import { loadJobViews, loadRunViews } from './actions/runs/run-views.ts'
import { findRun } from './actions/runs/run.store.ts'

/** Queries and commands on workflow runs and their jobs that run in the transaction of a caller in a later domain. */
export const runQueries = {
  find: findRun,
  listAllJobs: listAllJobsOfRun,
  listJobsByIds,
  countOpenJobs: countJobsByStatus,
  findOldestWaiting,
  loadViews: loadRunViews,
  loadJobViews,
} as const
