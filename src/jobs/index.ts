export { type JobKind, type JobPayload, jobs } from './catalog.ts'
export { enqueue, type EnqueueOptions, onEnqueued } from './queue.ts'
export { type JobHandler, type JobHandlers, JobRunner } from './runner.ts'
export { Schedule, type ScheduledTask, type TaskState } from './schedule.ts'
