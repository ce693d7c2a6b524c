import fc from 'fast-check'
import { EqualityFilter, FilterParser } from 'ldapts'
import { describe, expect, it } from 'vitest'
import { normalDn } from './distinguished-name.ts'
import { fillDn, fillFilter, openFilter } from './ldap-text.ts'

const HOSTILE = fc.string({
  unit: fc.constantFrom('(', ')', '*', '\\', ',', '=', '+', '"', '#', ';', '<', ' ', '\0', '&', '|', 'a', 'ä', '%s'),
})

describe('what a client sends', () => {
  it('is one value of a filter, whatever it contains', () =>
    fc.assert(
      fc.property(HOSTILE, (login) => {
        const filter = FilterParser.parseString(fillFilter('(uid=%s)', `x${login}`))
        expect(filter).toBeInstanceOf(EqualityFilter)
        expect((filter as EqualityFilter).value.toString()).toBe(`x${login}`)
      }),
    ))

  it('is one value of a distinguished name, whatever it contains', () =>
    fc.assert(
      fc.property(HOSTILE, (login) => {
        const parts = JSON.parse(normalDn(fillDn('uid=%s,dc=test', `x${login}x`))) as string[]
        expect(parts).toEqual(['uid', '=', `x${login}x`.toLowerCase(), ',', 'dc', '=', 'test'])
      }),
    ))

  it('fills every place, in the form of other servers too', () => {
    expect(fillFilter('(|(uid=%s)(mail=%[1]s))', 'a*$&')).toBe(String.raw`(|(uid=a\2a$&)(mail=a\2a$&))`)
    expect(openFilter('(|(uid=%s)(mail=%[1]s))')).toBe('(|(uid=*)(mail=*))')
    expect(fillDn('uid=%s,dc=test', ' a,b ')).toBe(String.raw`uid=\20a\2cb\20,dc=test`)
  })
})

it.each([
  ['cn=Devs, OU=Groups,dc=test', 'CN=devs,ou=groups , dc=Test'],
  [String.raw`cn=a\, b,dc=test`, String.raw`cn=a\2c b,dc=test`],
  ['cn="a, b",dc=test', String.raw`cn=a\, b,dc=test`],
  [String.raw`cn=\c3\a4,dc=test`, 'cn=ä,dc=test'],
  ['cn=a;dc=test', 'cn=a,dc=test'],
])('%s and %s are one distinguished name', (one, other) => expect(normalDn(one)).toBe(normalDn(other)))

it.each([
  ['cn=a,cn=b', String.raw`cn=a\,cn=b`],
  ['cn=a+sn=b', 'cn=a,sn=b'],
  ['cn=a', 'cn=b'],
])('%s and %s are two', (one, other) => expect(normalDn(one)).not.toBe(normalDn(other)))
