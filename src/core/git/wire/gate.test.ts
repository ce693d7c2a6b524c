import { describe, expect, it } from 'vitest'
import { Gate } from './gate.ts'

const never = new AbortController().signal

describe('Gate', () => {
  it('limits tasks in total and per key, in order', async () => {
    const gate = new Gate(3, 2)
    const leave = [await gate.enter('a', never), await gate.enter('a', never)]
    const order: string[] = []
    const third = gate.enter('a', never).then((out) => (order.push('a3'), out))
    expect(gate.wouldWait('a')).toBe(true)
    const other = await gate.enter('b', never)
    const fourth = gate.enter('b', never).then((out) => (order.push('b2'), out))
    expect(gate.load).toEqual({ inside: 3, waiting: 2 })
    leave[0]!()
    leave[0]!()
    ;(await third)()
    ;(await fourth)()
    expect(order).toEqual(['a3', 'b2'])
    leave[1]!()
    other()
    expect(gate.load).toEqual({ inside: 0, waiting: 0 })
  })

  it('removes tasks that leave the queue', async () => {
    const gate = new Gate(1, 1)
    const leave = await gate.enter('a', never)
    const abort = new AbortController()
    const waiting = gate.enter('a', abort.signal)
    abort.abort()
    await expect(waiting).rejects.toMatchObject({ kind: 'aborted' })
    leave()
    expect(gate.load).toEqual({ inside: 0, waiting: 0 })
  })
})
