import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileGlob, isGlob } from './glob.ts'

const matches = (pattern: string, text: string, separators = '/'): boolean => compileGlob(pattern, separators)(text)

describe('globs', () => {
  it.each([
    ['release/*', 'release/1', true],
    ['release/*', 'release/1/2', false],
    ['release/**', 'release/1/2', true],
    ['release/**', 'release', false],
    ['**', '', true],
    ['*', '', true],
    ['*/*', 'a/b', true],
    ['v?', 'v1', true],
    ['v?', 'v/', false],
    ['v?', 'v', false],
    ['[a-c]x', 'bx', true],
    ['[a-c]x', 'dx', false],
    ['[!a-c]x', 'dx', true],
    ['[^a]', '/', false],
    ['[/]', '/', true],
    ['[]]', ']', true],
    ['{main,release/*}', 'release/3', true],
    ['{main,release/*}', 'main', true],
    ['{main,release/*}', 'other', false],
    ['{a,}b', 'b', true],
    ['{a,{b,c}d}e', 'cde', true],
    [String.raw`{a\,b,c}`, 'a,b', true],
    [String.raw`\*`, '*', true],
    [String.raw`\*`, 'x', false],
    ['[a', '[a', true],
    ['{a,b', '{a,b', true],
    ['a}', 'a}', true],
    ['{x{a,b}', '{xb', true],
    ['ü?', 'ü🎉', true],
    ['\\', '\\', true],
  ])('%s and %s: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected)
  })

  it('respect separators if requested', () => {
    expect(matches('*.lock', 'a.lock', './')).toBe(true)
    expect(matches('*.lock', 'a.b.lock', './')).toBe(false)
    expect(matches('ci/*', 'ci/a/b', '')).toBe(true)
  })

  it('agree with regular expressions', () => {
    const part = fc.constantFrom(
      ['a', 'a'],
      ['b', 'b'],
      ['/', '/'],
      ['*', '[^/]*'],
      ['?', '[^/]'],
      ['{a,b/}', '(?:a|b/)'],
      ['[ab]', '[ab]'],
      ['[!a]', '[^a/]'],
      ['{**a,b}', '(?:[^]*a|b)'],
      ['{*/,{b,?}a,}', '(?:[^/]*\\/|(?:b|[^/])a|)'],
      ['{b,aabbaabb/abba/abba/aabb}', '(?:b|aabbaabb/abba/abba/aabb)'],
    )
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 7 }),
        fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 16 }),
        (parts, text) => {
          const pattern = parts
            .map(([glob]) => glob)
            .join('')
            .replaceAll(/(?<![{*])\*+/g, '*')
          const oracle = new RegExp(`^${parts.map(([, source]) => source).join('')}$`)
          expect(matches(pattern, text)).toBe(oracle.test(text))
        },
      ),
    )
  })

  it('accept any text as a pattern, and match a literal text exactly', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (pattern, text) => typeof matches(pattern, text) === 'boolean'))
    fc.assert(
      fc.property(
        fc.string().filter((text) => !isGlob(text)),
        (text) => matches(text, text) && !matches(text, `${text}x`),
      ),
    )
  })
})
