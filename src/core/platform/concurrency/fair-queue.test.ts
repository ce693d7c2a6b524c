import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { FairQueue } from './fair-queue.ts'

const LIMITS = { what: 'tests are running', atOnce: 2, atOncePerCaller: 1, maxWaiting: 40, maxWaitingPerCaller: 32 }

/** Runs a task that ends when the test says so; gives its name to `order` when it starts. */
function starter(queue: FairQueue): {
  start(caller: string, name: string): Promise<void>
  finish(name: string): Promise<void>
  readonly order: string[]
} {
  const order: string[] = []
  const ends = new Map<string, () => void>()
  return {
    order,
    start: (caller, name) =>
      queue.run(caller, () => {
        order.push(name)
        return new Promise<void>((resolve) => ends.set(name, resolve))
      }),
    async finish(name) {
      ends.get(name)!()
      await sleep(0)
    },
  }
}

describe('a fair queue', () => {
  it('starts the task of another caller before the further ones of the first', async () => {
    const { start, finish, order } = starter(new FairQueue(LIMITS))
    const all = Array.from({ length: 33 }, (_, i) => start('a', `a${i}`))
    await sleep(0)
    expect(order).toEqual(['a0'])
    all.push(start('b', 'b0'), start('c', 'c0'))
    await sleep(0)
    expect(order).toEqual(['a0', 'b0'])
    await finish('a0')
    expect(order).toEqual(['a0', 'b0', 'c0'])
    await finish('b0')
    expect(order).toEqual(['a0', 'b0', 'c0', 'a1'])
    await finish('c0')
    for (let i = 1; i < 33; i++) await finish(`a${i}`)
    await Promise.all(all)
    expect(order).toHaveLength(35)
  })

  it('serves waiting callers in turn', async () => {
    const { start, finish, order } = starter(new FairQueue({ ...LIMITS, atOnce: 1 }))
    const all = [start('a', 'a0'), start('a', 'a1'), start('a', 'a2'), start('b', 'b0'), start('b', 'b1')]
    for (const name of ['a0', 'b0', 'a1', 'b1', 'a2']) {
      await sleep(0)
      await finish(name)
    }
    await Promise.all(all)
    expect(order).toEqual(['a0', 'b0', 'a1', 'b1', 'a2'])
  })

  it('refuses what is beyond its limits, and accepts again afterwards', async () => {
    const { start, finish } = starter(new FairQueue({ ...LIMITS, maxWaiting: 3, maxWaitingPerCaller: 2 }))
    const all = [start('a', 'a0'), start('a', 'a1'), start('a', 'a2')]
    await expect(start('a', 'a3')).rejects.toMatchObject({ kind: 'too-many-requests' })
    all.push(start('b', 'b0'), start('b', 'b1'))
    await expect(start('c', 'c0')).rejects.toThrow('too many tests are running')
    await sleep(0)
    await finish('a0')
    all.push(start('c', 'c1'))
    for (const name of ['b0', 'a1', 'c1', 'b1', 'a2']) {
      await sleep(0)
      await finish(name)
    }
    await Promise.all(all)
  })

  it('continues after a task that fails', async () => {
    const queue = new FairQueue({ ...LIMITS, atOnce: 1 })
    const failing = queue.run('a', () => Promise.reject(new Error('no')))
    const next = queue.run('a', () => Promise.resolve('yes'))
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe('yes')
  })
})
