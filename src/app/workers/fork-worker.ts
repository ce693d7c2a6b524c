import cluster from 'node:cluster'
import type { FromSupervisor, FromWorker } from './messages.ts'

/** Exit of a process; both are null if it could not be started. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/** A worker process as the supervisor sees it. */
export interface WorkerProcess {
  /** Increases with each worker. */
  readonly id: number
  readonly pid: number | undefined
  send(message: FromSupervisor): void
  /** Sends SIGKILL. */
  kill(): void
  onMessage(receive: (message: FromWorker) => void): void
  /** Calls `listener` once. */
  onExit(listener: (exit: Exit) => void): void
}

/** Forks this program as a worker, which accepts connections on the ports of this process. */
export function forkWorker(): WorkerProcess {
  // NOTE: workers accept connections themselves. A connection passed by the supervisor to a killed worker would stay
  // open for ever without a response.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const worker = cluster.fork()
  const ended = Promise.withResolvers<Exit>()
  worker.once('exit', (code: number | null, signal: string | null) => ended.resolve({ code, signal }))
  worker.on('error', () => {
    // NOTE: the system could not start the process; otherwise the exit is reported.
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
