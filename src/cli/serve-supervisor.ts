import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockServer } from '../app/cluster/open-processes.ts'
import { Supervisor } from '../app/workers/supervisor.ts'
import { createLogger } from '../platform/logger.ts'
import type { CommandInput } from './command.ts'
import { nextSignal } from './signals.ts'

/** The server in `count` processes and this one, which replaces those that end. SIGHUP replaces them one by one. */
export async function supervise({ config }: CommandInput, count: number): Promise<number> {
  const stopped = nextSignal()
  const { log: logSettings, server } = config()
  const lock = lockServer(config())
  const log = createLogger(logSettings.level)
  const supervisor = new Supervisor({ count, log, shutdownTimeout: server.shutdown_timeout })
  try {
    const started = supervisor.start()
    if (!(await Promise.race([started, stopped.then(() => true)]))) return 1
    process.on('SIGHUP', () => {
      log.info('replacing the workers one by one')
      void supervisor.restart()
    })
    const signal = await stopped
    log.info({ signal }, 'stopping: running requests and transfers may finish')
    void nextSignal().then((second) => {
      supervisor.kill()
      process.exit(128 + constants.signals[second])
    })
    supervisor.announceStop()
    await sleep(server.shutdown_delay * 1000)
    await supervisor.stop()
  } finally {
    lock.release()
  }
  return 0
}
