export { type ChildLimits, TaskChild, type TaskModule, TaskError } from './task-child.ts'
export { type TaskKind, TaskPool } from './task-pool.ts'
