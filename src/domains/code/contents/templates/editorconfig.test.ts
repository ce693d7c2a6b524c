import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorTime } from '../../../../../test/harness/growth.ts'
import { readEditorConfig } from './editorconfig.ts'
import { MEASURED } from '../../../../../test/harness/measured.ts'

const style = (glob: string, path: string): boolean =>
  readEditorConfig(`[${glob}]\nindent_style = tab\n`, path)['indent_style'] === 'tab'

describe('.editorconfig', () => {
  it.each([
    ['*', 'a', true],
    ['*', 'deep/in/a.txt', true],
    ['*.md', 'docs/x.md', true],
    ['*.md', 'x.mdx', false],
    ['/*.md', 'x.md', true],
    ['/*.md', 'docs/x.md', false],
    ['docs/*.md', 'docs/x.md', true],
    ['docs/*.md', 'docs/in/x.md', false],
    ['docs/**.md', 'docs/in/x.md', true],
    ['*.{js,ts}', 'src/a.ts', true],
    ['*.{js,ts}', 'src/a.tsx', false],
    ['Makefile', 'sub/Makefile', true],
    ['file-{1..12}', 'file-7', true],
    ['file-{1..12}', 'file-13', false],
    ['[abc].txt', 'b.txt', true],
    ['[!abc].txt', 'b.txt', false],
  ])('[%s] and %s: %s', (glob, path, applies) => expect(style(glob, path)).toBe(applies))

  it('applies the last matching section, ignores case and comments, and omits unknown properties', () => {
    const text =
      '; c\nroot = true\n[*]\nIndent_Style = SPACE\nindent_size=4\nodd = 1\n# c\n[*.go]\nindent_style = tab\nindent_size = unset\n'
    expect(readEditorConfig(text, 'a.go')).toEqual({ indent_style: 'tab' })
    expect(readEditorConfig(text, 'a.c')).toEqual({ indent_style: 'space', indent_size: '4' })
    expect(readEditorConfig('[*.py]\nindent_size = 4\n', 'a.c')).toEqual({})
    expect(readEditorConfig('[*]\nindent_size = tab\ntab_width = 8\n', 'a')).toEqual({
      indent_size: '8',
      tab_width: '8',
    })
  })

  it('parses any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string(),
        (text, path) => readEditorConfig(text, path) !== undefined,
      ),
    )
  })

  it.each([
    ['open braces', `[${'{*a,'.repeat(250)}]`, 'a'],
    ['stars', `[${'*a'.repeat(500)}]`, 'a'],
    ['optional parts', `[*${'{,}'.repeat(340)}]`, 'a'],
    ['nested alternatives', `[*${'{a,'.repeat(250)}${'}'.repeat(250)}]`, 'a'],
    ['ranges', `[${'{1..999}'.repeat(120)}]`, '1'],
    ['brackets', `[${'['.repeat(1_000)}]`, '['],
    ['short sections', '[*.a]', 'a'],
  ])('blocks the thread for less than 100 milliseconds: %s', MEASURED, async (_, line, char) => {
    const text = `${line}\nindent_size=1\n`
    const file = text.repeat((256 * 1024) / text.length)
    expect(await processorTime(() => readEditorConfig(file, char.repeat(4_000)))).toBeLessThan(100)
  })
})
