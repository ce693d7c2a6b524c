import { expect, it } from 'vitest'
import { workerCount } from './worker-count.ts'

const GIB = 1024 ** 3

it.each([
  { cores: 1, memory: 8 * GIB, count: 1 },
  { cores: 4, memory: 2 * GIB, count: 4 },
  { cores: 64, memory: 64 * GIB, count: 8 },
  { cores: 64, memory: 2 * GIB - 1, count: 1 },
])('is $count with $cores cores and $memory bytes of memory', ({ count, ...machine }) => {
  expect(workerCount(0, machine)).toBe(count)
  expect(workerCount(3, machine)).toBe(3)
})
