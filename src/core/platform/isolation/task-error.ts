/**
 * Why a task gave no result. `time`, `memory`: it exceeded its limit; `ended`: its process ended by itself; `failed`:
 * the task threw, with the message of that error; `closing`: the server stops.
 */
type TaskFailure = 'time' | 'memory' | 'ended' | 'failed' | 'closing'

export class TaskError extends Error {
  readonly reason: TaskFailure

  constructor(reason: TaskFailure, message: string) {
    super(message)
    this.name = 'TaskError'
    this.reason = reason
  }
}
