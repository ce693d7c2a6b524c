import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLogger } from '../../core/platform/logger.ts'
import type { Exit, WorkerProcess } from './fork-worker.ts'
import type { FromWorker } from './messages.ts'
import { Supervisor } from './supervisor.ts'

/** A worker controlled by the test; on stop it exits normally, on kill by SIGKILL. */
class FakeWorker implements WorkerProcess {
  readonly id: number
  readonly pid: number
  readonly received: string[] = []
  isRunning = true
  #receive: (message: FromWorker) => void = () => {}
  #ended: (exit: Exit) => void = () => {}

  constructor(id: number) {
    this.id = id
    this.pid = 1000 + id
  }

  send({ kind }: { readonly kind: string }): void {
    this.received.push(kind)
    if (kind === 'stop' && this.endsOnStop) this.end({ code: 0, signal: null })
  }

  endsOnStop = true
  kill = (): void => this.end({ code: null, signal: 'SIGKILL' })
  onMessage = (receive: (message: FromWorker) => void): void => void (this.#receive = receive)
  onExit = (listener: (exit: Exit) => void): void => void (this.#ended = listener)
  serve = (): void => this.#receive({ kind: 'ready' })

  end(exit: Exit = { code: 1, signal: null }): void {
    if (!this.isRunning) return
    this.isRunning = false
    this.#ended(exit)
  }
}

let workers: FakeWorker[]
/** Called for each started worker; by default the test decides later. */
let begin: (worker: FakeWorker) => void
beforeEach(() => {
  workers = []
  begin = () => {}
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const make = (count = 2): Supervisor =>
  new Supervisor({
    count,
    log: createLogger('silent'),
    shutdownTimeout: 1,
    fork: () => {
      const worker = new FakeWorker(workers.length + 1)
      workers.push(worker)
      queueMicrotask(() => begin(worker))
      return worker
    },
  })
const running = (): number[] => workers.filter(({ isRunning }) => isRunning).map(({ id }) => id)
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)
const serves = (worker: FakeWorker): void => worker.serve()

it('restarts the workers when all have started, and once more for calls during a restart', async () => {
  const supervisor = make()
  const started = supervisor.start()
  const restarted = supervisor.restart()
  await settle()
  expect(running()).toEqual([1])
  workers[0]!.serve()
  await settle()
  expect(running()).toEqual([1, 2])
  workers[1]!.serve()
  expect(await started).toBe(true)
  await settle()
  expect(running()).toEqual([1, 2, 3])
  for (let n = 0; n < 3; n++) void supervisor.restart()
  begin = serves
  workers[2]!.serve()
  await restarted
  expect(running()).toEqual([5, 6])
  await supervisor.restart()
  expect(running()).toEqual([7, 8])
})

it('does not restart after a start that failed', async () => {
  const supervisor = make()
  begin = (worker) => worker.end()
  const restarted = supervisor.restart()
  expect(await supervisor.start()).toBe(false)
  await restarted
  await vi.advanceTimersByTimeAsync(60_000)
  expect(workers).toHaveLength(1)
})

it('starts no worker after a stop, and does not wait for one that is to be replaced', async () => {
  const supervisor = make()
  const started = supervisor.start()
  await settle()
  workers[0]!.endsOnStop = false
  const stopped = supervisor.stop()
  workers[0]!.serve() // it was about to
  expect(await started).toBe(true)
  workers[0]!.end({ code: 0, signal: null })
  await stopped
  expect(workers).toHaveLength(1)

  begin = serves
  const other = make()
  await other.start()
  workers[1]!.end()
  expect(vi.getTimerCount()).toBe(1)
  await other.stop()
  expect([running(), vi.getTimerCount()]).toEqual([[], 0])
})

it('ends a restart on a stop', async () => {
  const supervisor = make()
  begin = serves
  await supervisor.start()
  begin = () => {}
  const restarted = supervisor.restart()
  void supervisor.restart()
  await settle()
  expect(running()).toEqual([1, 2, 3])
  await supervisor.stop()
  await restarted
  expect([running(), workers.length]).toEqual([[], 3])
})

it('keeps its number of workers when one exits during a restart', async () => {
  const supervisor = make()
  begin = serves
  await supervisor.start()
  begin = () => {}
  const restarted = supervisor.restart()
  await settle()
  workers[0]!.end() // which worker 3 is about to replace
  await vi.advanceTimersByTimeAsync(1000)
  expect(running()).toEqual([2, 3])
  begin = serves
  workers[2]!.serve()
  await restarted
  expect(running()).toEqual([3, 4])
  begin = (worker) => worker.end()
  await supervisor.restart() // no successor starts
  begin = serves
  await vi.advanceTimersByTimeAsync(60_000)
  expect([running(), workers.length]).toEqual([[3, 4], 5])
})

it('replaces workers with growing pauses, and exits when none becomes ready', async () => {
  const supervisor = make()
  let hasFailed = false
  void supervisor.failed.then(() => (hasFailed = true))
  begin = serves
  await supervisor.start()
  begin = (worker) => worker.end()
  workers[1]!.end()
  await vi.advanceTimersByTimeAsync(600_000)
  // One still serves.
  expect([hasFailed, running()]).toEqual([false, [1]])
  const before = workers.length
  expect(before).toBeLessThan(40)
  workers[0]!.end()
  await vi.advanceTimersByTimeAsync(600_000)
  expect([hasFailed, running()]).toEqual([true, []])
  expect(workers.length - before).toBeLessThan(10)
})

it('starts the others when the restarted one shows that a start is possible', async () => {
  const supervisor = make(3)
  begin = serves
  await supervisor.start()
  begin = () => {}
  for (const worker of workers) worker.end()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(running()).toEqual([4])
  workers[3]!.serve()
  expect(running()).toEqual([4, 5, 6])
  expect(workers[3]!.received).toContain('lead')
})

it('kills a worker that does not stop in time', async () => {
  const supervisor = make()
  begin = serves
  await supervisor.start()
  workers[0]!.endsOnStop = false
  const stopped = supervisor.stop()
  await vi.advanceTimersByTimeAsync(11_000)
  await stopped
  expect(running()).toEqual([])
})
