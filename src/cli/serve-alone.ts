import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from '../app/modules.ts'
import { favourSpeed, freeCompiledCode, releaseWhenQuiet } from '../core/platform/process/heap.ts'
import type { CommandInput } from './command.ts'
import { nextSignal, startUnless } from './signals.ts'
import { welcome } from './welcome.ts'

/**
 * Runs the server in one process. SIGHUP, which replaces the workers of a server with several, stops it like SIGTERM.
 */
export async function serveAlone({ config, print }: CommandInput): Promise<number> {
  const stopped = nextSignal(['SIGHUP'])
  const app = await startUnless(stopped, (starting) => createApp(config(), { starting }))
  if (app === undefined) return 0
  let stopReleasing = (): void => {}
  try {
    freeCompiledCode()
    await app.listen()
    app.background.start()
    favourSpeed()
    stopReleasing = releaseWhenQuiet()
    print(await welcome(app))
    const signal = await stopped
    app.log.info({ signal }, 'stopping: waiting for running requests and transfers')
    void nextSignal().then((second) => process.exit(128 + constants.signals[second]))
    app.beginStop()
    await sleep(app.config.server.shutdown_delay * 1000)
  } finally {
    stopReleasing()
    await app.close()
  }
  return 0
}
