import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEmailAddress, ownerNameProblem, repoNameProblem } from './users.policy.ts'

describe('names', () => {
  it.each(['alice', 'a', 'A-b_c.d', '0x', 'a'.repeat(40)])('accepts %j as the name of an owner', (name) =>
    expect(ownerNameProblem(name)).toBeUndefined(),
  )

  it.each([
    '',
    '.',
    '..',
    'api',
    'API',
    'user',
    'search',
    'Migrations',
    'a..b',
    '-a',
    'a-',
    '.a',
    'a.',
    'a b',
    'a/b',
    'a\\b',
    'a\0',
    'a\n',
    'ä',
    'a'.repeat(41),
    'x.keys',
    'x.GPG',
    'a__b',
  ])('refuses %j as the name of an owner', (name) => expect(ownerNameProblem(name)).toBeDefined())

  it.each(['r', 'a.b', '_', '.x', '-x', 'a'.repeat(100)])('accepts %j as the name of a repository', (name) =>
    expect(repoNameProblem(name)).toBeUndefined(),
  )

  it.each([
    '',
    '.',
    '..',
    '-',
    'a..b',
    '../x',
    'a/b',
    'a b',
    'x.git',
    'x.WIKI',
    'x.rss',
    'a\0b',
    'a\tb',
    'é',
    'a'.repeat(101),
  ])('refuses %j as the name of a repository', (name) => expect(repoNameProblem(name)).toBeDefined())

  it('accepts only names that are one safe path segment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        for (const problem of [ownerNameProblem, repoNameProblem]) {
          if (problem(name) !== undefined) continue
          expect(encodeURIComponent(name)).toBe(name)
          expect(new URL(name, 'http://host/').pathname).toBe(`/${name}`)
          expect(name).not.toMatch(/\.\.|\.git$/)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it.each(['a@b', 'a.b+c@example.com', "o'hara@x-y.org"])('accepts %j as an e-mail address', (text) =>
    expect(isEmailAddress(text)).toBe(true),
  )

  it.each([
    '',
    'a',
    '@b',
    'a@',
    'a@-b',
    'a@b-',
    'a@b..c',
    'a b@c',
    '-a@b@c',
    'a@b\n',
    'a@b>',
    '<a@b',
    `${'a'.repeat(251)}@b.c`,
    'a@b,c@d',
    '-oX@b.c',
  ])('refuses %j as an e-mail address', (text) => expect(isEmailAddress(text)).toBe(false))

  it('refuses addresses that could inject a mail header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => !(isEmailAddress(text) && /^-|[\s<>,;:"\\]/.test(text))),
      { numRuns: 2_000 },
    )
  })
})
