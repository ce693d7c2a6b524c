import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ALL_SCOPES, formatScopes, missingScope, parseScopes, SCOPE_CATEGORIES, type ScopeSet } from './viewer.ts'

const names = [
  'public-only',
  'all',
  ...SCOPE_CATEGORIES.flatMap((category) => [`read:${category}`, `write:${category}`]),
]
const parsed = (entries: readonly string[]): ScopeSet => {
  const result = parseScopes(entries)
  if (!result.ok) throw new Error(result.wrong)
  return result.scopes
}

describe('scopes', () => {
  it('have one normal form', () => {
    expect(formatScopes(parsed(['write:user', 'read:user', 'read:issue']))).toEqual(['read:issue', 'write:user'])
    expect(formatScopes(parsed(['public-only,read:repository']))).toEqual(['public-only', 'read:repository'])
    expect(formatScopes(parsed(SCOPE_CATEGORIES.map((category) => `write:${category}`)))).toEqual(['all'])
    expect(formatScopes(parsed(['', 'read:misc,,']))).toEqual(['read:misc'])
  })

  it.each(['read', 'read:', 'write:nothing', 'READ:user', 'read:user:x', 'sudo', ' read:user'])(
    '%j is rejected',
    (name) => {
      expect(parseScopes([name])).toEqual({ ok: false, wrong: name })
    },
  )

  it('the normal form reads as what it was made from, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names)), (entries) => {
        const once = formatScopes(parsed(entries))
        expect(formatScopes(parsed(once))).toEqual(once)
        expect(formatScopes(parsed(entries.toReversed()))).toEqual(once)
        expect(formatScopes(parsed([entries.join(',')]))).toEqual(once)
      }),
    )
  })

  it('writing includes reading, and nothing includes another category', () => {
    expect(missingScope(parsed(['write:user']), 'read', ['user'])).toBeUndefined()
    expect(missingScope(parsed(['read:user']), 'write', ['user'])).toBe('write:user')
    expect(missingScope(parsed(['write:user']), 'read', ['user', 'organization'])).toBe('read:organization')
    expect(missingScope(ALL_SCOPES, 'write', SCOPE_CATEGORIES)).toBeUndefined()
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names)), fc.constantFrom(...SCOPE_CATEGORIES), (entries, category) => {
        const scopes = parsed(entries)
        if (missingScope(scopes, 'write', [category]) === undefined)
          expect(missingScope(scopes, 'read', [category])).toBeUndefined()
      }),
    )
  })
})
