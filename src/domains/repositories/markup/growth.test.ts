import { describe, it } from 'vitest'
import { expectLinear } from '../../../../test/harness/growth.ts'
import { findReferenced } from './references/references.ts'
import { render, type RenderInput } from './render.ts'

const input = (text: string, format: RenderInput['format']): RenderInput => ({
  text,
  format,
  mode: 'comment',
  rootUrl: 'http://ingot.test',
  context: '/alice/one',
  mentionable: ['a'],
  commits: ['abcdef0'],
})

describe('texts without references', () => {
  it.each<[string, (size: number) => string]>([
    ['a mention that ends in a long run', (size) => `@a${'-'.repeat(size)}x`],
    ['mentions', (size) => '@a'.repeat(size / 2)],
    ['commit ids', (size) => 'abcdef01 '.repeat(size / 9)],
    ['hexadecimal digits', (size) => 'a'.repeat(size)],
  ])('are searched in linear time: %s', (_, make) => expectLinear(findReferenced, make, 250_000))
})

describe('hostile markdown', () => {
  it.each<[string, (size: number) => string]>([
    ['a mention that ends in a long run', (size) => `@a${'-'.repeat(size)}x`],
    ['names of repositories without an end', (size) => 'a.'.repeat(size / 2)],
    ['runs of hyphens', (size) => `${'-.'.repeat(size / 2)}/`],
    ['images', (size) => '![a](b)'.repeat(size / 7)],
    ['images in links', (size) => '[![a](b)](c)'.repeat(size / 12)],
    ['alerts', (size) => '> [!NOTE]\n> a\n\n'.repeat(size / 15)],
    ['code in one line', (size) => `\`\`\`js\n${'a'.repeat(size)}`],
    ['links out of their directory', (size) => `[a](${'../'.repeat(size / 3)}x)`],
    ['slashes in a link', (size) => `[a](${'/'.repeat(size)}x)`],
    ['colours', (size) => `<p style="${'color:red;'.repeat(size / 10)}">`],
  ])('is rendered in linear time: %s', (_, make) =>
    expectLinear((text: string) => render(input(text, 'markdown')), make, 15_000),
  )

  it('with a long context is rendered in linear time', () =>
    expectLinear(
      (context: string) => render({ ...input('[a](b)', 'markdown'), context }),
      (size) => `/a/b/${'/'.repeat(size)}x`,
      15_000,
    ))
})

describe('hostile Org and CSV', () => {
  it.each<[string, (size: number) => string]>([
    ['headings', (size) => '* a\n'.repeat(size / 4)],
    ['white space before the end of a heading', (size) => `* a${' '.repeat(size)}b`],
    ['white space before a term', (size) => `- a${' '.repeat(size)}b`],
    ['begins without an end', (size) => '#+begin_quote\n'.repeat(size / 14)],
    ['white space in a line', (size) => `${' '.repeat(size)}-----${' '.repeat(size)}x`],
    ['drawers', (size) => `${' '.repeat(size)}:a:${' '.repeat(size)}x`],
    ['emphasis', (size) => '*a '.repeat(size / 3)],
    ['table rows', (size) => '|'.repeat(size)],
  ])('Org is rendered in linear time: %s', (_, make) =>
    expectLinear((text: string) => render(input(text, 'org')), make, 15_000),
  )

  it.each<[string, (size: number) => string]>([
    ['quotes', (size) => '"'.repeat(size)],
    ['separators', (size) => ','.repeat(size)],
    ['a quoted cell without an end', (size) => `"${'a'.repeat(size)}`],
    ['lines', (size) => 'a\n'.repeat(size / 2)],
  ])('CSV is rendered in linear time: %s', (_, make) =>
    expectLinear((text: string) => render(input(text, 'csv')), make, 10_000),
  )
})
