import { describe, expect, it } from 'vitest'
import { Batches } from './batches.ts'

const options = { size: 3, pause: 5_000, expected: () => 1 }

describe('Batches', () => {
  it('collects calls while a batch runs, up to its size, and returns to each its own result', async () => {
    const calls: number[][] = []
    const run = async (items: readonly number[]): Promise<number[]> => {
      calls.push([...items])
      await new Promise(setImmediate)
      return items.map((item) => item * 10)
    }
    const batches = new Batches(run, options)
    expect(await Promise.all([1, 2, 3, 4, 5].map((item) => batches.add(item)))).toEqual([10, 20, 30, 40, 50])
    expect(calls).toEqual([[1], [2, 3, 4], [5]])
  })

  it('waits for as many as may come, but not longer than its pause', async () => {
    const calls: number[][] = []
    const run = async (items: readonly number[]): Promise<readonly number[]> => (calls.push([...items]), items)
    let expected = 2
    const batches = new Batches(run, { ...options, pause: 500, expected: () => expected })
    const first = batches.add(1)
    await new Promise(setImmediate)
    expect(calls).toEqual([])
    await Promise.all([first, batches.add(2)])
    expected = 3
    await Promise.all([batches.add(3), batches.add(4)])
    expect(calls).toEqual([
      [1, 2],
      [3, 4],
    ])
  })

  it('tries the items of a call that failed one by one', async () => {
    const run = async (items: readonly number[]): Promise<readonly number[]> => {
      if (items.includes(2)) throw new Error('two')
      return items
    }
    const batches = new Batches(run, { ...options, expected: () => 3 })
    const results = await Promise.allSettled([1, 2, 3].map((item) => batches.add(item)))
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message))).toEqual([
      1,
      'two',
      3,
    ])
  })
})
