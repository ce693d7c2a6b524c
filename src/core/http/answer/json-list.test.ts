import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Answer } from './answer.ts'
import { longList, streamedList, streamedObject } from './json-list.ts'
import { MEASURED } from '../../../../test/harness/measured.ts'

const textOf = async ({ body }: Answer): Promise<string> =>
  Buffer.concat(await Array.fromAsync(body as Readable)).toString()

describe('JSON that is written item by item', () => {
  it.each([[[]], [[1]], [[{ a: 'ü' }, null, 'x']]])('is the same as written at once: %j', async (items) => {
    expect(await textOf(streamedList(items))).toBe(`${JSON.stringify(items)}\n`)
    const others = { b: { c: 1 }, d: null }
    expect(await textOf(streamedObject('a', items, others, 201))).toBe(`${JSON.stringify({ a: items, ...others })}\n`)
  })

  it('takes the thread for less than 100 milliseconds at a time, whatever its size is', MEASURED, async () => {
    const item = 'x'.repeat(8 * 1024 * 1024)
    expect(await longestOfStreamed(item)).toBeLessThan(100)
  })
})

describe('a long list', () => {
  it.each([[0], [1], [1_000]])('is the same as written at once: %i items', async (length) => {
    const items = Array.from({ length }, (_, i) => ({ i, text: 'ü'.repeat(100) }))
    expect(String((await longList(items, (item) => item)).bytes)).toBe(`${JSON.stringify(items)}\n`)
    const wrapped = await longList(items, ({ i }) => i, ['{"a":[', ']}'])
    expect(String(wrapped.bytes)).toBe(`${JSON.stringify({ a: items.map(({ i }) => i) })}\n`)
  })

  it('may have later items that are much longer than the first ones', async () => {
    const items = Array.from({ length: 2_000 }, (_, i) => 'ü'.repeat(i))
    expect(String((await longList(items, (item) => item)).bytes)).toBe(`${JSON.stringify(items)}\n`)
  })

  it('takes the thread for less than 100 milliseconds at a time', MEASURED, async () => {
    const items = Array.from({ length: 200_000 }, (_, i) => ({ i, text: 'x'.repeat(100) }))
    let isDone = false
    const written = longList(items, (item) => ({ ...item, url: `https://example.test/${item.i}` })).then((list) => {
      isDone = true
      return list.bytes.length
    })
    expect(await longestTurn(() => isDone)).toBeLessThan(100)
    expect(await written).toBeGreaterThan(200_000 * 130)
  })
})

/** Milliseconds of the longest turn of the thread while a list of 25 times the item is read. */
async function longestOfStreamed(item: string): Promise<number> {
  const { body } = streamedList(Array.from({ length: 25 }, () => item))
  let [isDone, bytes] = [false, 0]
  ;(body as Readable).on('data', (chunk: Buffer) => (bytes += chunk.length)).once('end', () => (isDone = true))
  const longest = await longestTurn(() => isDone)
  expect(bytes).toBe(25 * (item.length + 3) + 2)
  return longest
}

/** Milliseconds of the longest turn of the thread until it is done. */
async function longestTurn(isDone: () => boolean): Promise<number> {
  let longest = 0
  while (!isDone()) {
    const { user, system } = process.threadCpuUsage()
    await nextTurn()
    const used = process.threadCpuUsage({ user, system })
    longest = Math.max(longest, (used.user + used.system) / 1000)
  }
  return longest
}
