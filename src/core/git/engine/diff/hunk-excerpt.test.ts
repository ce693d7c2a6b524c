import { describe, expect, it } from 'vitest'
import type { DiffSide } from './diff-texts.ts'
import { contextExcerpt, HunkExcerpt } from './hunk-excerpt.ts'
import { DiffScanner } from './hunk-scanner.ts'

const DIFF = [
  'diff --git a/num.txt b/num.txt',
  '--- a/num.txt',
  '+++ b/num.txt',
  '@@ -1,8 +1,7 @@ numbers()',
  ' 1',
  ' 2',
  '-3',
  ' 4',
  '-5',
  '+five',
  ' 6',
  ' 7',
  ' 8',
  '@@ -18,3 +17,5 @@',
  ' 18',
  ' 19',
  ' 20',
  '+21',
  '+22',
  '',
].join('\n')

function excerpt(side: DiffSide, line: number, diff = DIFF): HunkExcerpt {
  const found = new HunkExcerpt(side, line)
  new DiffScanner(found).push(Buffer.from(diff))
  return found
}

describe('the excerpt of a hunk', () => {
  it('has the whole header as long as it begins with the hunk', () => {
    expect(excerpt('old', 3).text).toBe('@@ -1,8 +1,7 @@ numbers()\n 1\n 2\n-3')
    expect(excerpt('new', 1).text).toBe('@@ -1,8 +1,7 @@ numbers()\n 1')
    expect(excerpt('new', 20).text).toBe('@@ -18,3 +17,5 @@\n 18\n 19\n 20\n+21')
  })

  it('has a header of its own lines when it begins within the hunk', () => {
    expect(excerpt('new', 4).text).toBe('@@ -3,3 +3,2 @@\n-3\n 4\n-5\n+five')
    expect(excerpt('old', 5).text).toBe('@@ -2,4 +2,2 @@\n 2\n-3\n 4\n-5')
    expect(excerpt('new', 21).text).toBe('@@ -19,2 +18,4 @@\n 19\n 20\n+21\n+22')
  })

  it('has the last lines of a long added or deleted file', () => {
    const lines = Array.from({ length: 6 }, (_, index) => index + 1)
    expect(excerpt('new', 6, `@@ -0,0 +1,6 @@\n${lines.map((line) => `+${line}\n`).join('')}`).text).toBe(
      '@@ -0,0 +3,4 @@\n+3\n+4\n+5\n+6',
    )
    expect(excerpt('old', 6, `@@ -1,6 +0,0 @@\n${lines.map((line) => `-${line}\n`).join('')}`).text).toBe(
      '@@ -3,4 +0,0 @@\n-3\n-4\n-5\n-6',
    )
  })

  it('keeps the marker of a missing line end with its line', () => {
    const diff = '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n'
    expect(excerpt('new', 1, diff).text).toBe('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b')
  })

  it('cuts long lines between characters', () => {
    const text = excerpt('new', 1, `@@ -0,0 +1 @@\n+a${'é'.repeat(5000)}\n`).text!
    expect(text).toBe(`@@ -0,0 +1 @@\n+a${'é'.repeat(1023)}`)
  })

  it('has no text for lines outside the hunks, and reports the position before them', () => {
    expect(excerpt('new', 12)).toMatchObject({ text: undefined, before: { old: 9, new: 8 }, isDone: true })
    expect(excerpt('old', 30)).toMatchObject({ text: undefined, before: { old: 21, new: 22 }, isDone: false })
  })
})

describe('the excerpt of unchanged lines', () => {
  const content = Buffer.from(Array.from({ length: 20 }, (_, index) => `${index + 1}\r\n`).join(''))

  it('has line numbers of both sides and begins after the preceding change', () => {
    const before = { old: 9, new: 8 }
    expect(contextExcerpt(content, { side: 'new', line: 12 }, before)).toBe(
      '@@ -10,4 +9,4 @@\n 9\r\n 10\r\n 11\r\n 12\r',
    )
    expect(contextExcerpt(content, { side: 'old', line: 12 }, before)).toBe(
      '@@ -9,4 +8,4 @@\n 9\r\n 10\r\n 11\r\n 12\r',
    )
    expect(contextExcerpt(content, { side: 'new', line: 9 }, before)).toBe('@@ -9,2 +8,2 @@\n 8\r\n 9\r')
  })

  it('is empty past the end of the file', () => {
    const before = { old: 1, new: 1 }
    expect(contextExcerpt(content, { side: 'new', line: 21 }, before)).toBe('')
    expect(contextExcerpt(Buffer.from('a'), { side: 'new', line: 1 }, before)).toBe('@@ -1,1 +1,1 @@\n a')
    expect(contextExcerpt(Buffer.alloc(0), { side: 'new', line: 1 }, before)).toBe('')
  })
})
