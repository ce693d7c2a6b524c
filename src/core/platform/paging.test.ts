import { expect, it } from 'vitest'
import { parsePaging } from './paging.ts'

it('returns the first page for a number above every 64-bit offset', () => {
  const limits = { defaultLimit: 30, maxLimit: 50 }
  expect(parsePaging('9'.repeat(30), undefined, limits)).toEqual({ page: 1, limit: 30, offset: 0 })
  expect(parsePaging('1000000', '50', limits)).toEqual({ page: 1_000_000, limit: 50, offset: 49_999_950 })
})
