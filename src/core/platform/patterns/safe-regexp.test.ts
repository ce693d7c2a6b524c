import { describe, expect, it } from 'vitest'
import { compileSafeRegExp } from './safe-regexp.ts'
import { MEASURED } from '../../../../test/harness/measured.ts'

describe('regular expressions of users', () => {
  it.each([
    [String.raw`^v\d{1,3}\.\d{1,3}$`, 'v1.22', true],
    [String.raw`^(?:[a-f0-9]{8}-){3}x$`, 'aaaaaaaa-bbbbbbbb-cccccccc-x', true],
    ['^release/', 'main', false],
  ])('%s and %s: %s', async (source, text, matches) => {
    expect((await compileSafeRegExp(source))!(text)).toBe(matches)
  })

  it.each(['(', '(?=a)', '(.{0,999})'.repeat(20), '((a{30}){30}){30}', '((a{31}){31})'.repeat(5), 'a{1001}'])(
    'does not compile %s',
    MEASURED,
    async (source) => {
      await compileSafeRegExp('warm')
      const { user } = process.threadCpuUsage()
      expect(await compileSafeRegExp(source)).toBeUndefined()
      expect(process.threadCpuUsage().user - user).toBeLessThan(100_000)
    },
  )
})
