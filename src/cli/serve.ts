import cluster from 'node:cluster'
import { workerCount } from '../app/workers/worker-count.ts'
import type { CommandInput } from './command.ts'

/**
 * Runs the server until SIGINT or SIGTERM; a second signal ends it at once. NOTE: modules are loaded on demand,
 * because the supervisor does not need the application.
 */
export async function serve(input: CommandInput): Promise<number> {
  if (cluster.isWorker) return (await import('./serve-worker.ts')).serveAsWorker(input)
  const count = workerCount(input.config().server.workers)
  if (count > 1) return (await import('./serve-supervisor.ts')).supervise(input, count)
  return (await import('./serve-alone.ts')).serveAlone(input)
}
