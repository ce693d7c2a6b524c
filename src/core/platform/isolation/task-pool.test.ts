import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { HostileInput } from '../../../../test/harness/hostile.task.ts'
import { type TaskKind, TaskPool } from './task-pool.ts'
import { MEASURED } from '../../../../test/harness/measured.ts'

const KIND: TaskKind<HostileInput, unknown> = {
  url: new URL('../../../../test/harness/hostile.task.ts', import.meta.url).href,
  deadline: 20_000,
}
const MIB = 1024 * 1024
const WHO: HostileInput = { kind: 'who' }
const isRunning = (pid: unknown): boolean => {
  const state = existsSync(`/proc/${String(pid)}/stat`) ? readFileSync(`/proc/${String(pid)}/stat`, 'latin1') : ') Z'
  return !/\) Z/.test(state)
}

/** Running children, including those of earlier tests in this process. */
const runningChildren = (): string[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'latin1')
    .split(' ')
    .filter(Boolean)
    .filter(isRunning)

let pool: TaskPool | undefined
const open = (...options: ConstructorParameters<typeof TaskPool>): TaskPool => (pool = new TaskPool(...options))
afterEach(() => pool?.close())

async function eventually(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue() && tries < 500; tries++) await sleep(20)
  expect(isTrue()).toBe(true)
}

describe('tasks in child processes', () => {
  it('return their results, in one child process for consecutive callers', async () => {
    const before = runningChildren()
    const { run } = bound(open())
    expect(await run({ kind: 'repeat', text: 'ab', count: 3 })).toBe('ababab')
    expect(await run(WHO)).toBe(await run(WHO))
    expect(await run(WHO)).not.toBe(process.pid)
    // The second one, so that it has loaded when another caller comes.
    await eventually(() => runningChildren().filter((pid) => !before.includes(pid)).length === 2)
  })

  it.each<[string, HostileInput, object]>([
    ['an abort', { kind: 'abort' }, { reason: 'memory' }],
    ['too many objects', { kind: 'fill-heap' }, { reason: 'memory' }],
    ['too many buffers', { kind: 'fill-buffers' }, { reason: 'memory' }],
  ])('end with %s, and the next task runs in another process', async (_, input, failure) => {
    const limits = { heap: 48, memory: 400 * MIB, processorTime: 60, niceness: 5 }
    const { run } = bound(open({ limits }))
    const first = await run(WHO)
    await expect(run(input)).rejects.toMatchObject(failure)
    await eventually(() => !isRunning(first))
    expect(await run(WHO)).not.toBe(first)
  })

  it('end at their deadline and with their processor time', async () => {
    const { run } = bound(open({ limits: { heap: 48, memory: 400 * MIB, processorTime: 1, niceness: 5 } }))
    await expect(run({ kind: 'loop' }, { ...KIND, deadline: 300 })).rejects.toMatchObject({ reason: 'time' })
    await expect(run({ kind: 'loop' })).rejects.toMatchObject({ reason: 'time' })
  })

  it('fail without ending their process when they throw or return too much', async () => {
    const { run } = bound(open())
    const first = await run(WHO)
    await expect(run({ kind: 'throw' })).rejects.toMatchObject({ reason: 'failed', message: 'this text is not for me' })
    await expect(run({ kind: 'repeat', text: 'x', count: 17 * MIB })).rejects.toThrow('at most 16777216')
    expect(await run(WHO)).toBe(first)
  })

  it('see neither the environment of the server nor files outside of the program, and run at low priority', async () => {
    const { run } = bound(open())
    expect(await run({ kind: 'environment' })).not.toContain('PATH')
    await expect(run({ kind: 'list', folder: '/etc' })).rejects.toThrow(/restricted|permission/i)
    expect(getPriority((await run(WHO)) as number)).toBeGreaterThan(getPriority())
  })

  it('of one caller do not delay those of another', MEASURED, async () => {
    const { run } = bound(open())
    await Promise.all([run({ kind: 'wait', ms: 50 }, KIND, 'a'), run(WHO, KIND, 'a')])
    await eventuallyWarm(run)
    const slow = Array.from({ length: 33 }, () => run({ kind: 'wait', ms: 1_000 }, KIND, 'a').catch(() => undefined))
    const waits: number[] = []
    for (let i = 0; i < 10; i++) {
      const begin = performance.now()
      await run(WHO, KIND, 'b')
      waits.push(performance.now() - begin)
    }
    expect(waits.toSorted((x, y) => x - y)[5]).toBeLessThan(100)
    await expect(run(WHO, KIND, 'a')).rejects.toMatchObject({ kind: 'too-many-requests' })
    pool!.close()
    await Promise.all(slow)
  })

  it('end with the pool and when there is nothing to do', async () => {
    const { run } = bound(open({ idleMs: 50 }))
    const idle = await run(WHO)
    await eventually(() => !isRunning(idle))
    const second = await run(WHO)
    const running = run({ kind: 'loop' })
    const failed = expect(running).rejects.toMatchObject({ reason: 'closing' })
    await sleep(100)
    pool!.close()
    await failed
    await eventually(() => !isRunning(second))
    await expect(run(WHO)).rejects.toMatchObject({ reason: 'closing' })
  })
})

type Run = (input: HostileInput, kind?: TaskKind<HostileInput, unknown>, caller?: string) => Promise<unknown>

const bound = (from: TaskPool): { run: Run } => ({
  run: (input, kind = KIND, caller = 'a') => from.run(kind, input, caller),
})

/** Waits until both children are there. */
async function eventuallyWarm(run: Run): Promise<void> {
  const [one, two] = await Promise.all([
    run({ kind: 'wait', ms: 20 }, KIND, 'a'),
    run({ kind: 'wait', ms: 20 }, KIND, 'b'),
  ])
  expect(one).not.toBe(two)
}
