import cluster from 'node:cluster'
import type { FromSupervisor, FromWorker } from './messages.ts'

/** How a process ended; both are null where it could not be started. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/** A worker process as the supervisor sees it. */
export interface WorkerProcess {
  /** Numbers only grow. */
  readonly id: number
  readonly pid: number | undefined
  send(message: FromSupervisor): void
  /** Sends SIGKILL. */
  kill(): void
  onMessage(receive: (message: FromWorker) => void): void
  /** Calls `listener` once. */
  onExit(listener: (exit: Exit) => void): void
}

/** Starts this program again as a worker, which accepts connections on the ports of this process. */
export function forkWorker(): WorkerProcess {
  // NOTE: workers accept connections themselves. One that the supervisor hands to a worker that is killed would stay
  // open without an answer for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const worker = cluster.fork()
  const ended = Promise.withResolvers<Exit>()
  worker.once('exit', (code: number | null, signal: string | null) => ended.resolve({ code, signal }))
  worker.on('error', () => {
    // NOTE: the system had no room for a process; otherwise the exit is reported.
    if (worker.process.pid === undefined) ended.resolve({ code: null, signal: null })
  })
  return {
    id: worker.id,
    pid: worker.process.pid,
    send: (message) => {
      // NOTE: the channel closes before the exit is reported; the worker is about to be removed then.
      if (worker.isConnected()) worker.send(message, undefined, () => {})
    },
    kill: () => void worker.process.kill('SIGKILL'),
    onMessage: (receive) => void worker.on('message', receive),
    onExit: (listener) => void ended.promise.then(listener),
  }
}
