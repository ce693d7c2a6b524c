import { describe, expect, it } from 'vitest'
import { processorTime } from '../../../../../test/harness/growth.ts'
import { createMatchBudget } from '../../../../core/platform/patterns/match-budget.ts'
import { isLfsPath } from './large-files.ts'
import { MEASURED } from '../../../../../test/harness/measured.ts'

describe('paths that attributes assign to LFS', () => {
  it.each([
    ['a/b.bin', '*.bin filter=lfs diff=lfs merge=lfs -text', true],
    ['a/b.txt', '*.bin filter=lfs', false],
    ['b.bin', '*.bin filter=lfs\n*.bin -filter', false],
    ['b.bin', '*.bin filter=lfs\nb.* !filter', false],
    ['b.bin', '*.bin filter=lfs\nb.* text', true],
    ['b.bin', '# *.bin filter=lfs\n[attr]big filter=lfs\n*.bin big', false],
    ['a/x/b.bin', '/a/*.bin filter=lfs', false],
    ['a/x/b.bin', 'a/**/*.bin filter=lfs', true],
    ['x/b.bin', '**/b.bin filter=lfs', true],
    ['b.bin', '**/b.bin filter=lfs', true],
    ['two words.bin', 'two[[:space:]]words.bin filter=lfs', true],
  ])('%s by %j: %s', (path, text, expected) => expect(isLfsPath(path, [{ directory: '', text }])).toBe(expected))

  it('block the thread for less than 100 milliseconds with any patterns', MEASURED, async () => {
    const ask = (text: string) => () => isLfsPath('a'.repeat(4_000), [{ directory: '', text }])
    for (const pattern of ['*a'.repeat(500), `*${'{,}'.repeat(300)}`, `*${'{a,'.repeat(200)}${'}'.repeat(200)}`]) {
      const hostile = ask(`${pattern}b filter=lfs\n`.repeat(240))
      expect(hostile).toThrow('too many or too complex')
      expect(await processorTime(() => expect(hostile).toThrow())).toBeLessThan(100)
    }
    expect(ask(`${'['.repeat(250_000)} filter=lfs\n`)()).toBe(false)
  })

  it('match sixty usual lines for each of many files', () => {
    const usual = Array.from({ length: 60 }, (_, index) => `*.t${index} filter=lfs diff=lfs merge=lfs -text\n`).join('')
    const budget = createMatchBudget(500 * 20_000)
    for (let file = 0; file < 500; file++)
      expect(isLfsPath(`some/folder/of/the/tree/file${file}.t7`, [{ directory: '', text: usual }], budget)).toBe(true)
  })

  it('are determined by the innermost directory with a matching attribute', () => {
    const files = [
      { directory: '', text: '*.bin filter=lfs' },
      { directory: 'plain/', text: '*.bin -filter\n' },
    ]
    expect(['b.bin', 'plain/b.bin'].map((path) => isLfsPath(path, files))).toEqual([true, false])
  })
})
