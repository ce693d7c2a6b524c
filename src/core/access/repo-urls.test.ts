import fc from 'fast-check'
import { expect, it } from 'vitest'
import { escapePath } from './repo-urls.ts'

it('escapes each part of a path and keeps slashes and what may stand in a path', () => {
  expect(escapePath("a/b-c_d.e~f!g*h'i(j)")).toBe("a/b-c_d.e~f!g*h'i(j)")
  expect(escapePath('$&+:=@')).toBe('$&+:=@')
  expect(escapePath('a b/ä?#%;,')).toBe('a%20b/%C3%A4%3F%23%25%3B%2C')
})

it('returns a URL that leads back to the path', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (path) => {
      const escaped = escapePath(path)
      expect(escaped).toMatch(/^[\w.\-/!~*'()$&+:=@%]*$/)
      expect(escaped.split('/').map(decodeURIComponent).join('/')).toBe(path)
    }),
  )
})
