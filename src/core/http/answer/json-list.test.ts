import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type ApiResponse, longList, longListIn, streamedList, streamedObject } from './answer.ts'
import { MEASURED } from '../../../../test/harness/measured.ts'

const textOf = async ({ body }: ApiResponse): Promise<string> =>
  Buffer.concat(await Array.fromAsync(body as Readable)).toString()

describe('JSON that is written item by item', () => {
  it.each([[[]], [[1]], [[{ a: 'ü' }, null, 'x']]])('is the same as written at once: %j', async (items) => {
    expect(await textOf(streamedList(items))).toBe(`${JSON.stringify(items)}\n`)
    const others = { b: { c: 1 }, d: null }
    expect(await textOf(streamedObject('a', items, others, 201))).toBe(`${JSON.stringify({ a: items, ...others })}\n`)
  })

  it('takes the thread for less than 100 milliseconds at a time, whatever its size is', MEASURED, async () => {
    const item = 'x'.repeat(8 * 1024 * 1024)
    const { longest, bytes } = await readMeasured(streamedList(Array.from({ length: 25 }, () => item)))
    expect(bytes).toBe(25 * (item.length + 3) + 2)
    expect(longest).toBeLessThan(100)
  })
})

describe('a long list', () => {
  it.each([[0], [1], [501], [2_000]])('is the same as written at once: %i items', async (length) => {
    const items = Array.from({ length }, (_, i) => ({ i, text: 'ü'.repeat(100) }))
    expect(await sent(longList(items, ({ text }) => text))).toBe(`${JSON.stringify(items.map(({ text }) => text))}\n`)
    const wrapped = longListIn('a', items, ({ i }) => i)
    expect(await sent(wrapped)).toBe(`${JSON.stringify({ a: items.map(({ i }) => i) })}\n`)
  })

  it('takes the thread for less than 100 milliseconds at a time', MEASURED, async () => {
    const items = Array.from({ length: 200_000 }, (_, i) => ({ i, text: 'x'.repeat(100) }))
    const list = longList(items, (item) => ({ ...item, url: `https://example.test/${item.i}` }))
    const { longest, bytes } = await readMeasured(list)
    expect(bytes).toBeGreaterThan(200_000 * 130)
    expect(longest).toBeLessThan(100)
  })
})

const sent = async (answer: ApiResponse): Promise<string> =>
  answer.body instanceof Readable ? textOf(answer) : `${JSON.stringify(answer.body)}\n`

/** Milliseconds of the longest turn of the thread while the body is read, and its bytes. */
async function readMeasured({ body }: ApiResponse): Promise<{ longest: number; bytes: number }> {
  let [isDone, bytes] = [false, 0]
  ;(body as Readable).on('data', (chunk: Buffer) => (bytes += chunk.length)).once('end', () => (isDone = true))
  const longest = await longestTurn(() => isDone)
  return { longest, bytes }
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
