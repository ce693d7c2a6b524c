import { describe, expect, it } from 'vitest'
import { applySuggestions, findSuggestions, type LineEdit } from './suggestion-blocks.ts'

describe('suggestions in a comment', () => {
  it.each<[string, string, string[][]]>([
    ['one', 'Better:\n```suggestion\nnew\nlines\n```\nor not', [['new', 'lines']]],
    ['several', '```suggestion\na\n```\n~~~ suggestion\nb\n~~~', [['a'], ['b']]],
    ['an empty one, which deletes lines', '```suggestion\n```', [[]]],
    ['one with an empty line', '```suggestion\n\n```', [['']]],
    ['one with line ends of Windows', '```suggestion\r\na\r\n```\r\n', [['a']]],
    ['one that contains a shorter fence', '````suggestion\n```js\nx\n```\n````', [['```js', 'x', '```']]],
    ['one whose fence is indented', '  ```suggestion\n    a\n b\n  ```', [['  a', 'b']]],
    ['one with an option', '```suggestion : -0+0\na\n```', [['a']]],
    ['one without an end', '```suggestion\na', [['a']]],
    ['none in a block of another kind', '```\n```suggestion\na\n```', []],
    ['none in a block of code', '    ```suggestion\n    a', []],
    ['none of another language', '```suggestions\na\n```\n```js suggestion\nb\n```', []],
    ['none without a fence', 'suggestion', []],
  ])('%s', (_, body, lines) => expect(findSuggestions(body)).toEqual(lines))
})

const apply = (text: string, ...edits: LineEdit[]): string => applySuggestions(Buffer.from(text), edits).toString()
const edit = (first: number, last: number, ...lines: string[]): LineEdit => ({ first, last, lines })

describe('applying suggestions', () => {
  it('replaces, shortens, extends and deletes lines', () => {
    expect(apply('1\n2\n3\n', edit(2, 2, 'two'))).toBe('1\ntwo\n3\n')
    expect(apply('1\n2\n3\n', edit(1, 3, 'one'))).toBe('one\n')
    expect(apply('1\n2\n3\n', edit(3, 3, '3', '4'))).toBe('1\n2\n3\n4\n')
    expect(apply('1\n2\n3\n', edit(2, 3))).toBe('1\n')
    expect(apply('1\n2\n', edit(2, 2, ''))).toBe('1\n\n')
  })

  it('applies several to one file, in any order', () => {
    expect(apply('1\n2\n3\n4\n', edit(4, 4), edit(1, 1, 'a', 'b'), edit(2, 3, 'c'))).toBe('a\nb\nc\n')
  })

  it('keeps line ends and a missing last one', () => {
    expect(apply('1\r\n2\r\n3\n', edit(1, 2, 'a', 'b', 'c'))).toBe('a\r\nb\r\nc\r\n3\n')
    expect(apply('1\r\n2\r\n3\n', edit(3, 3, 'a', 'b'))).toBe('1\r\n2\r\na\nb\n')
    expect(apply('1\n2', edit(2, 2, 'a', 'b'))).toBe('1\na\nb')
    expect(apply('1\r\n2', edit(1, 2, 'a', 'b'))).toBe('a\r\nb')
  })

  it('does not touch other bytes', () => {
    const content = Buffer.from([0xff, 0x0a, 0x31, 0x0a, 0xfe, 0x00])
    expect(applySuggestions(content, [edit(2, 2, 'é')])).toEqual(
      Buffer.from([0xff, 0x0a, 0xc3, 0xa9, 0x0a, 0xfe, 0x00]),
    )
  })

  it.each<[string, string, LineEdit[]]>([
    ['lines overlap', '1\n2\n3\n', [edit(1, 2, 'a'), edit(2, 3, 'b')]],
    ['lines are the same', '1\n2\n3\n', [edit(2, 2, 'a'), edit(2, 2, 'b')]],
    ['the first line is behind the file', '1\n', [edit(2, 2, 'a')]],
    ['the last line is behind the file', '1\n2', [edit(2, 3, 'a')]],
    ['the file is empty', '', [edit(1, 1, 'a')]],
    ['a line is not positive', '1\n', [edit(0, 1, 'a')]],
    ['the range is upside down', '1\n2\n', [edit(2, 1, 'a')]],
  ])('is refused when %s', (_, text, edits) => {
    expect(() => apply(text, ...edits)).toThrow(expect.objectContaining({ kind: 'invalid' }))
  })
})
