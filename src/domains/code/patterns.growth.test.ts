import { describe, expect, it } from 'vitest'
import { compileGlob } from '../../core/platform/patterns/glob.ts'
import { compileSafeRegExp } from '../../core/platform/patterns/safe-regexp.ts'
import { readEditorConfig } from './contents/templates/editorconfig.ts'
import { isLfsPath } from './contents/write/large-files.ts'
import { compileAttributes, compilePattern } from './languages/classify.ts'
import { expectLinear, processorTime } from '../../../test/harness/growth.ts'
import { MEASURED } from '../../../test/harness/measured.ts'

describe('a glob', () => {
  it.each(['*a*a*a*b', '**a**a**b', '{a,*}{a,*}{a,*}b', '?*?*?b', '[!b]*[!b]*b', '*.*.*'])(
    'matches in time linear in the text: %s',
    (pattern) => expectLinear(compileGlob(pattern, '/'), (size) => 'a'.repeat(size), 20_000),
  )

  it.each<[string, (size: number) => string]>([
    ['stars', (size) => '*a'.repeat(size / 2)],
    ['alternatives', (size) => '{a,*}'.repeat(size / 5)],
    ['optional parts after a star', (size) => `*${'{,}'.repeat(size / 3)}`],
    ['nested alternatives', (size) => `*${'{a,'.repeat(size / 4)}${'}'.repeat(size / 4)}`],
    ['classes after a star', (size) => `*${'[a-z]'.repeat(size / 5)}`],
  ])('matches in time linear in the pattern: %s', (_, make) =>
    expectLinear((pattern: string) => compileGlob(pattern)(`${'a'.repeat(1000)}b`), make, 4000),
  )

  it('of 1000 characters matches a text of 4000 within 50 milliseconds', MEASURED, async () => {
    for (const pattern of ['*a'.repeat(500), `*${'{,}'.repeat(333)}`, `*${'{a,'.repeat(250)}${'}'.repeat(250)}`])
      expect(await processorTime(() => compileGlob(pattern)(`${'a'.repeat(4000)}b`))).toBeLessThan(50)
  })

  it.each<[string, (size: number) => string]>([
    ['open brackets', (size) => '['.repeat(size)],
    ['classes', (size) => '[a]'.repeat(size / 3)],
    ['a class of many members', (size) => `[${'a-b'.repeat(size / 3)}]`],
    ['open braces', (size) => '{'.repeat(size)],
    ['closing braces', (size) => '}'.repeat(size)],
    ['alternatives', (size) => `{${'a,'.repeat(size / 2)}}`],
    ['stars', (size) => '*'.repeat(size)],
    ['backslashes', (size) => '\\'.repeat(size)],
  ])('compiles in time linear in the pattern: %s', (_, make) =>
    expectLinear((pattern: string) => compileGlob(pattern, '/')('aaaa'), make, 5000),
  )
})

describe('a regular expression of a user', () => {
  it.each(['(a+)+b', '(a|a)*b', '(.*)(.*)(.*)b', '^(a?){20}b$'])('matches in time linear in the text: %s', (source) =>
    expectLinear(
      async (text: string) => (await compileSafeRegExp(source))!(text),
      (size) => 'a'.repeat(size),
      5000,
    ),
  )

  it.each<[string, (size: number) => string]>([
    ['repetitions without an end', (size) => '{1,'.repeat(size / 3)],
    ['repetitions', (size) => 'a{1}'.repeat(size / 4)],
    ['closing parentheses', (size) => ')'.repeat(size)],
  ])('is checked in linear time: %s', (_, make) => expectLinear(compileSafeRegExp, make, 5000))
})

describe('a file of patterns', () => {
  it.each<[string, (size: number) => string]>([
    ['lines', (size) => '*.a filter=lfs\n'.repeat(size / 15)],
    ['words of a line', (size) => `* ${'filter=lfs '.repeat(size / 11)}`],
    ['white space', (size) => `*${' '.repeat(size)}filter`],
    ['line ends', (size) => '\n'.repeat(size)],
    ['leading stars', (size) => `${'**/'.repeat(size / 3)}/ linguist-vendored`],
    ['attributes', (size) => `* ${'linguist-language=a '.repeat(size / 20)}`],
  ])('with attributes is parsed in linear time: %s', (_, make) =>
    expectLinear(
      (text: string) => {
        const files = [{ directory: '', text }]
        compileAttributes(files)('a/b/c')
        isLfsPath('a/b/c', files)
      },
      make,
      8000,
    ),
  )

  it('with many directories is compiled in linear time', () =>
    expectLinear(
      (pattern: string) => compilePattern(pattern, '')('a/b/c'),
      (size) => `${'**/'.repeat(size / 3)}x/`,
      40_000,
    ))

  it.each<[string, (size: number) => string]>([
    ['sections', (size) => '[a]\n'.repeat(size / 4)],
    ['properties', (size) => `[*]\n${'indent_size = 1\n'.repeat(size / 16)}`],
    ['equal signs', (size) => `[*]\n${'='.repeat(size)}`],
    ['white space', (size) => `[*]\n${' '.repeat(size)}=${' '.repeat(size)}x`],
    ['ranges', (size) => `[${'{1..'.repeat(size / 4)}]`],
    ['carriage returns', (size) => '\r'.repeat(size)],
  ])('with editor settings is parsed in linear time: %s', (_, make) =>
    expectLinear((text: string) => readEditorConfig(text, 'a/b'), make, 200_000),
  )
})
