import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockServer } from '../app/cluster/open-processes.ts'
import { forkWorker } from '../app/workers/fork-worker.ts'
import { Supervisor } from '../app/workers/supervisor.ts'
import { createLogger } from '../core/platform/logger.ts'
import { freeCompiledCode, releaseWhenQuiet } from '../core/platform/process/heap.ts'
import type { CommandInput } from './command.ts'
import { nextSignal } from './signals.ts'

/**
 * Runs the server in `count` worker processes; this process replaces those that exit. SIGHUP replaces them one by one.
 */
export async function supervise({ config }: CommandInput, count: number): Promise<number> {
  const stopped = nextSignal()
  const { log: logSettings, server } = config()
  const log = createLogger(logSettings.level)
  const supervisor = new Supervisor({ count, log, shutdownTimeout: server.shutdown_timeout, fork: forkWorker })
  process.on('SIGHUP', () => void supervisor.restart())
  const lock = lockServer(config())
  freeCompiledCode()
  const stopReleasing = releaseWhenQuiet()
  try {
    const started = supervisor.start()
    const signal = await Promise.race([
      stopped,
      started.then((isServing) => (isServing ? stopped : undefined)),
      supervisor.failed,
    ])
    if (signal === undefined) {
      await supervisor.stop()
      return 1
    }
    log.info({ signal }, 'stopping: waiting for running requests and transfers')
    void nextSignal().then((second) => {
      supervisor.kill()
      process.exit(128 + constants.signals[second])
    })
    supervisor.announceStop()
    await sleep(server.shutdown_delay * 1000)
    await supervisor.stop()
  } finally {
    stopReleasing()
    lock.release()
  }
  return 0
}
