import { describe, expect, it } from 'vitest'
import { isLfsPath } from './large-files.ts'

describe('paths that attributes give to LFS', () => {
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

  it('are decided by the deepest directory that says something', () => {
    const files = [{ directory: '', text: '*.bin filter=lfs' }, { directory: 'plain/', text: '*.bin -filter\n' }]
    expect(['b.bin', 'plain/b.bin'].map((path) => isLfsPath(path, files))).toEqual([true, false])
  })
})
