import { describe, expect, it } from 'vitest'
import { Limiter } from './limiter.ts'

const never = new AbortController().signal

describe('Limiter', () => {
  it('limits tasks in total and per key, in order', async () => {
    const limiter = new Limiter(3, 2)
    const leave = [await limiter.enter(['a'], never), await limiter.enter(['a'], never)]
    const order: string[] = []
    const third = limiter.enter(['a'], never).then((out) => (order.push('a3'), out))
    expect(limiter.wouldWait(['a'])).toBe(true)
    const other = await limiter.enter(['b'], never)
    const fourth = limiter.enter(['b'], never).then((out) => (order.push('b2'), out))
    expect(limiter.load).toEqual({ inside: 3, waiting: 2 })
    leave[0]!()
    leave[0]!()
    ;(await third)()
    ;(await fourth)()
    expect(order).toEqual(['a3', 'b2'])
    leave[1]!()
    other()
    expect(limiter.load).toEqual({ inside: 0, waiting: 0 })
  })

  it('counts a task for each of its keys', async () => {
    const limiter = new Limiter(4, 2)
    const leave = await limiter.enter(['repo', 'caller'], never)
    await limiter.enter(['other', 'caller'], never)
    expect(limiter.wouldWait(['third', 'caller'])).toBe(true)
    await limiter.enter(['repo', 'another'], never)
    expect(limiter.wouldWait(['repo', 'third'])).toBe(true)
    leave()
    expect([limiter.wouldWait(['third', 'caller']), limiter.wouldWait(['repo', 'third'])]).toEqual([false, false])
  })

  it('removes tasks that leave the queue', async () => {
    const limiter = new Limiter(1, 1)
    const leave = await limiter.enter(['a'], never)
    const abort = new AbortController()
    const waiting = limiter.enter(['a'], abort.signal)
    abort.abort()
    await expect(waiting).rejects.toMatchObject({ kind: 'aborted' })
    leave()
    expect(limiter.load).toEqual({ inside: 0, waiting: 0 })
  })
})
