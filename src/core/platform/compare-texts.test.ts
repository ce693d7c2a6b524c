import { expect, it } from 'vitest'
import { compareCodePoints } from './compare-texts.ts'

it('sorts texts by code points, as SQLite and PostgreSQL sort their bytes', () => {
  const texts = ['', 'A', 'a', 'a\u0000', 'ab', 'b', 'é', '漢', '\ud7ff', '\ue000', '！', '\uffff', '😀', '😀a', '😁']
  const byBytes = [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  expect([...texts].reverse().sort(compareCodePoints)).toEqual(byBytes)
  expect(compareCodePoints('a😀', 'a😀')).toBe(0)
})
