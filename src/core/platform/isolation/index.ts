export { type ChildLimits, TaskChild, type TaskModule } from './task-child.ts'
export { TaskError } from './task-error.ts'
export { type TaskKind, TaskPool } from './task-pool.ts'
