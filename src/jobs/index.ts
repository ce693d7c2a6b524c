export {
  defineJob,
  type JobCatalog,
  type JobDefinition,
  type JobDefinitions,
  type JobKind,
  type JobPayload,
  type JobPayloadsOf,
} from './catalog.ts'
export { countJobs } from './job.store.ts'
export { type EnqueueOptions, JobQueue, type Jobs } from './queue.ts'
export { JobRunner } from './runner.ts'
export { Schedule, type ScheduledTask, type TaskState } from './schedule.ts'
