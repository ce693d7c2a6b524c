import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { withinSize } from './remotes.ts'

let objects: string
beforeEach(() => {
  objects = mkdtempSync(join(tmpdir(), 'ingot-objects-'))
  mkdirSync(join(objects, 'pack'))
})
afterEach(() => rmSync(objects, { recursive: true }))

const signal = new AbortController().signal
const put = (bytes: number): void => writeFileSync(join(objects, 'pack', 'tmp_pack_x'), Buffer.alloc(bytes))

it('accepts a small transfer, and any without a limit', async () => {
  put(2_000_000)
  expect(await withinSize(objects, { maxBytes: 3_000_000, signal }, async () => 'done')).toBe('done')
  expect(await withinSize(objects, { maxBytes: Number.POSITIVE_INFINITY, signal }, async () => 'done')).toBe('done')
})

it('ends a transfer that grows too large, and rejects a finished one that is', async () => {
  const endless = (inner: AbortSignal): Promise<never> => {
    put(2_000_000)
    return new Promise((_, reject) => inner.addEventListener('abort', () => reject(new Error('stopped'))))
  }
  await expect(withinSize(objects, { maxBytes: 1024 * 1024, signal }, endless)).rejects.toThrow('larger than the 1 MiB')
  await expect(withinSize(objects, { maxBytes: 1024 * 1024, signal }, async () => 'quick')).rejects.toThrow(
    'larger than the 1 MiB',
  )
})

it('passes on other failures unchanged', async () => {
  await expect(withinSize(objects, { maxBytes: 10, signal }, () => Promise.reject(new Error('other')))).rejects.toThrow(
    'other',
  )
})
