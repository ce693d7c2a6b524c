import { describe, expect, it } from 'vitest'
import { chooseDriver } from './choose-driver.ts'
import type { Driver } from './ranges.store.ts'

const driver = (name: string, count: number): Driver => ({ name, count, sources: [{ table: 'issue' }] })
const chosen = (filter: number, all: number, wanted = 50): string =>
  chooseDriver({ narrow: [driver('filter', filter)], wide: driver('all', all), byCreation: true, wanted }).name

describe('the access path of a list of issues', () => {
  it('is a filter that leaves few issues', () => {
    expect(chosen(10, 1_000_000)).toBe('filter')
    expect(chosen(4000, 1_000_000)).toBe('filter')
    expect(chosen(10, 50)).toBe('filter')
  })

  it('is the list in its order where the filter leaves most issues', () => {
    expect(chosen(1000, 1020)).toBe('all')
    expect(chosen(400, 1000)).toBe('all')
    expect(chosen(100_000, 1_000_000)).toBe('all')
  })
})
