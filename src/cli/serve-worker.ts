import { Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from '../app/modules.ts'
import { shareServer } from '../app/cluster/open-processes.ts'
import type { FromSupervisor } from '../app/workers/messages.ts'
import { connectToSupervisor } from '../app/workers/worker-link.ts'
import type { FileLock } from '../core/db/dialect/file-lock.ts'
import { favourSpeed, freeCompiledCode, releaseWhenQuiet } from '../core/platform/process/heap.ts'
import type { CommandInput } from './command.ts'
import { startUnless } from './signals.ts'
import { welcome } from './welcome.ts'

/** Time for requests on connections that were just accepted. */
const LAST_REQUESTS_MS = 300

/**
 * Runs one of several worker processes. It stops when the supervisor says so, and exits at once if the supervisor dies.
 */
export async function serveAsWorker(input: CommandInput): Promise<number> {
  // NOTE: a terminal sends SIGINT to all processes; the supervisor stops the workers.
  process.on('SIGINT', () => {})
  const terminated = new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()))
  // NOTE: the locks of this worker belong to the supervisor. SIGKILL, because `process.exit` would wait more than a
  // second for threads; registered first, because otherwise node:cluster exits.
  process.prependOnceListener('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  let lock: FileLock | undefined
  try {
    lock = shareServer(input.config())
    await serveUntil(terminated, input)
  } finally {
    lock?.release()
    // Without this listener the channel to the supervisor no longer keeps the process alive.
    process.removeAllListeners('disconnect')
    process.disconnect?.()
  }
  return 0
}

async function serveUntil(terminated: Promise<void>, { config, print }: CommandInput): Promise<void> {
  const link = await connectToSupervisor({
    // NOTE: without a callback, send throws once the channel is closed.
    send: (message) => void process.send!(message, undefined, undefined, () => {}),
    onMessage: (receive) => process.on('message', (message) => receive(message as FromSupervisor)),
  })
  const stopped = Promise.race([link.stopping, terminated])
  const app = await startUnless(stopped, (starting) => createApp(config(), { processes: link.processes, starting }))
  if (app === undefined) return
  try {
    freeCompiledCode()
    await app.listen()
    favourSpeed()
    releaseWhenQuiet()
    if (link.processes.isFirst) print(await welcome(app))
    // NOTE: a worker that receives SIGTERM directly may still become the leader.
    void Promise.race([stopped, link.leading.then(() => app.background)]).then((background) => background?.start())
    void link.serverStopping.then(() => app.beginStop())
    link.ready()
    await stopped
    // NOTE: other workers accept new connections; clients of this one still have time to send their requests.
    NetServer.prototype.close.call(app.http.server)
    await sleep(LAST_REQUESTS_MS)
  } finally {
    await app.close()
  }
}
