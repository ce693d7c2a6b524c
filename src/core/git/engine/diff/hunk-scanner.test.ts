import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DiffScanner } from './hunk-scanner.ts'

/** Returns one text for each header, hunk and line that a scanner finds. */
function scan(...chunks: readonly (string | Buffer)[]): string[] {
  const found: string[] = []
  let line: Buffer[] = []
  const scanner = new DiffScanner({
    header: (text) => found.push(`header ${text}`),
    hunk: (hunk) => found.push(`hunk ${Object.values(hunk).join(' ')}`),
    body(marker, piece, isEnd) {
      line.push(piece)
      if (!isEnd) return
      found.push(`${String.fromCharCode(marker)}${Buffer.concat(line).toString()}`)
      line = []
    },
  })
  for (const chunk of chunks) scanner.push(Buffer.from(chunk))
  return found
}

describe('a scanner of unified diffs', () => {
  it('reports headers, hunks and lines', () => {
    expect(scan('diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@ f()\n a\n-b\n')).toEqual([
      'header diff --git a/x b/x',
      'header --- a/x',
      'header +++ b/x',
      'hunk 1 2 1 1',
      ' a',
      '-b',
    ])
  })

  it('assigns lines by the counts of the hunk, whatever they contain', () => {
    const text = '@@ -1,3 +1,3 @@\n-- a/x\n-@@ -9 +9 @@\n---\n+++ b/x\n+diff --git a/y b/y\n+\ndiff --git a/z b/z\n'
    expect(scan(text).slice(1)).toEqual([
      '-- a/x',
      '-@@ -9 +9 @@',
      '---',
      '+++ b/x',
      '+diff --git a/y b/y',
      '+',
      'header diff --git a/z b/z',
    ])
  })

  it('reports the marker of a missing line end, also after the last line', () => {
    const mark = '\\ No newline at end of file'
    expect(scan(`@@ -1 +1 @@\n-a\n${mark}\n+b\n${mark}\n@@ -5 +5 @@\n-c\n+d\n`)).toEqual([
      'hunk 1 1 1 1',
      '-a',
      mark,
      '+b',
      mark,
      'hunk 5 1 5 1',
      '-c',
      '+d',
    ])
  })

  it('reads an empty line as a context line and keeps carriage returns', () => {
    expect(scan('@@ -1,2 +1,2 @@\n\n a\r\n')).toEqual(['hunk 1 2 1 2', ' ', ' a\r'])
  })

  it('reports the same wherever a chunk ends', () => {
    const text =
      'diff --git a/ü b/ü\n@@ -1,3 +1,2 @@\n é\n-\n-b\r\n+\n\\ No newline at end of file\ndiff --git a/b b/b\n'
    const bytes = Buffer.from(text)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 6 }), (cuts) => {
        const ends = [...cuts.toSorted((a, b) => a - b), bytes.length]
        const chunks = ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end))
        expect(scan(...chunks)).toEqual(scan(text))
      }),
    )
  })

  it('cuts an endless header line and reads on', () => {
    expect(scan(`diff ${'a'.repeat(100_000)}\n@@ -1 +0,0 @@\n-x\n`).map((line) => line.length)).toEqual([
      16 * 1024 + 'header '.length,
      'hunk 1 1 0 0'.length,
      2,
    ])
  })
})
