import { setImmediate as soon } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LockTable } from '../../platform/concurrency/lock-table.ts'
import { WriterQueue } from './sqlite-connection.ts'

it('assigns turns in the order of the requests', async () => {
  const locks = new LockTable()
  const processes = Array.from({ length: 3 }, () => new WriterQueue(locks, 60_000))
  const order: number[] = []
  const leave = await processes[0]!.take()
  const others = [2, 1].map(async (n) => {
    const end = await processes[n]!.take()
    order.push(n)
    await soon()
    order.push(n)
    end()
  })
  await soon()
  expect(order).toEqual([])
  leave()
  await Promise.all(others)
  expect(order).toEqual([2, 2, 1, 1])
  await soon()
  expect(locks.size).toBe(0)
})

it('continues without a turn that does not come, and passes it on when it does', async () => {
  const locks = new LockTable()
  const leaveFirst = await new WriterQueue(locks).take()
  const leaveSecond = await new WriterQueue(locks, 1).take()
  leaveSecond()
  const third = new WriterQueue(locks, 60_000).take()
  leaveFirst()
  ;(await third)()
  await soon()
  expect(locks.size).toBe(0)
})
