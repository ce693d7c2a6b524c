export { jobs, type JobKind, type JobPayload } from './catalog.ts'
export { enqueue, onEnqueued, type EnqueueOptions } from './queue.ts'
export { JobRunner, type JobHandler, type JobHandlers } from './runner.ts'
export { Schedule, type ScheduledTask, type TaskState } from './schedule.ts'
