import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePaging } from '../../platform/paging.ts'
import { linkHeader } from './links.ts'

const LIMITS = { defaultLimit: 30, maxLimit: 50 }
const at = (page: string, total: number, query = ''): string | undefined =>
  linkHeader(new URL(`http://host/api/v1/x?${query}`), parsePaging(page, '10', LIMITS), total)

describe('Link header', () => {
  it('is absent for one page', () => {
    expect(at('1', 0)).toBeUndefined()
    expect(at('1', 10)).toBeUndefined()
    expect(at('7', 10)).toBeUndefined()
  })

  it('is absent where an address is too long to be repeated', () => {
    expect(at('2', 25, `q=${'a'.repeat(2000)}`)).toContain('rel="next"')
    expect(at('2', 25, `q=${'*'.repeat(2000)}`)).toBeUndefined()
    expect(at('2', 25, `q=${'a'.repeat(8000)}`)).toBeUndefined()
  })

  it('names next, last, first and prev in this order', () => {
    expect(at('2', 25, 'q=a+b&limit=10')).toBe(
      '<http://host/api/v1/x?limit=10&page=3&q=a+b>; rel="next",<http://host/api/v1/x?limit=10&page=3&q=a+b>; rel="last",' +
        '<http://host/api/v1/x?limit=10&page=1&q=a+b>; rel="first",<http://host/api/v1/x?limit=10&page=1&q=a+b>; rel="prev"',
    )
    expect(at('1', 25)).toMatch(/^<[^>]+page=2>; rel="next",<[^>]+page=3>; rel="last"$/)
    expect(at('3', 25)).toMatch(/^<[^>]+page=1>; rel="first",<[^>]+page=2>; rel="prev"$/)
  })

  it('leads from the first page through every row once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 1, max: 80 }), (total, limit) => {
        const seen: number[] = []
        let page: string | undefined = '1'
        while (page !== undefined) {
          const paging = parsePaging(page, String(limit), LIMITS)
          for (let row = paging.offset; row < Math.min(total, paging.offset + paging.limit); row++) seen.push(row)
          const header = linkHeader(new URL(`http://host/x?limit=${limit}`), paging, total)
          page = /page=(\d+)[^>]*>; rel="next"/.exec(header ?? '')?.[1]
        }
        expect(seen).toEqual(Array.from({ length: total }, (_, row) => row))
      }),
    )
  })

  it('writes queries as clients compare them', () => {
    expect(at('1', 25, "z=~*'()&a=2&a=1&b=%C3%A9")).toContain(
      '<http://host/api/v1/x?a=2&a=1&b=%C3%A9&page=2&z=~%2A%27%28%29>; rel="next"',
    )
  })

  it('treat numbers beyond the range as the largest page size and the first page', () => {
    const far = '99999999999999999999'
    expect(parsePaging(far, far, LIMITS)).toEqual({ page: 1, limit: 50, offset: 0 })
    expect(parsePaging('1', `-${far}`, LIMITS).limit).toBe(30)
    expect(parsePaging('1000000000000', undefined, LIMITS)).toEqual({ page: 1e12, limit: 30, offset: 30e12 - 30 })
  })

  it.each([
    ['x', '0'],
    ['-3', '-1'],
    ['1e3', 'ten'],
    [undefined, undefined],
  ])('page %j and limit %j are never an error', (page, limit) => {
    const paging = parsePaging(page, limit, LIMITS)
    expect(paging.page).toBeGreaterThan(0)
    expect(paging.limit).toBe(30)
    expect(parsePaging('1', '1000', LIMITS).limit).toBe(50)
  })
})
