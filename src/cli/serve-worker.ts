import { Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from '../app.ts'
import type { FromSupervisor } from '../app/workers/messages.ts'
import { connectToSupervisor } from '../app/workers/worker-link.ts'
import { favourSpeed, releaseWhenQuiet } from '../platform/process/heap.ts'
import type { CommandInput } from './command.ts'
import { startUnless } from './signals.ts'
import { welcome } from './welcome.ts'

/** After the last connection was accepted. */
const LAST_REQUESTS_MS = 300

/** One of several processes of a server. It stops when the supervisor says so, and ends at once without supervisor. */
export async function serveAsWorker({ config, print }: CommandInput): Promise<number> {
  // NOTE: a terminal sends SIGINT to all processes; the supervisor stops the workers.
  process.on('SIGINT', () => {})
  const terminated = new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()))
  // NOTE: its locks are those of the supervisor.
  process.once('disconnect', () => process.exit(1))
  const link = await connectToSupervisor({
    send: (message) => process.send!(message),
    onMessage: (receive) => process.on('message', (message) => receive(message as FromSupervisor)),
  })
  const stopped = Promise.race([link.stopping, terminated])
  const app = await startUnless(stopped, (starting) => createApp(config(), { processes: link.processes, starting }))
  if (app === undefined) {
    leave()
    return 0
  }
  try {
    await app.listen()
    favourSpeed()
    releaseWhenQuiet()
    if (link.processes.isFirst) print(await welcome(app))
    // NOTE: a worker that is terminated directly may still become the leader.
    void Promise.race([stopped, link.leading.then(() => app.background)]).then((background) => background?.start())
    void link.serverStopping.then(() => app.beginStop())
    link.ready()
    await stopped
    // NOTE: other workers take new connections; those that this one has accepted get time to send their requests.
    NetServer.prototype.close.call(app.http.server)
    await sleep(LAST_REQUESTS_MS)
  } finally {
    await app.close()
    leave()
  }
  return 0
}

/** Lets the process end. */
function leave(): void {
  process.removeAllListeners('disconnect')
  process.disconnect?.()
}
