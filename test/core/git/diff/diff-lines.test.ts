import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GitRepo } from '../../../../src/core/git/index.ts'
import { FORMATS, oracle, startWorld, type World } from '../fixture.ts'
import { commitStream, type FileState, numbered } from './diff-fixture.ts'
import { MEASURED } from '../../../harness/measured.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

const HOSTILE = 'a "b"\n\t\\ ü.txt'

/** A repository with branches `0`, `1`, … each on top of the one before, and their commits. */
async function history(format: 'sha1' | 'sha256', states: readonly Record<string, FileState>[]) {
  const repo = await world.repo(format)
  const commits = states.map((files, index) => ({
    branch: String(index),
    ...(index > 0 && { from: String(index - 1) }),
    files,
  }))
  oracle(repo.path, ['fast-import', '--quiet'], commitStream(commits))
  const ids = states.map((_, index) => oracle(repo.path, ['rev-parse', `refs/heads/${index}`]))
  return { repo, ids }
}

const at = (path: string, first: number, last = first) => ({ path, first, last })

describe.each(FORMATS)('lines of files of a %s repository', (format) => {
  let repo: GitRepo
  let from: string
  let to: string

  beforeAll(async () => {
    const module = (digit: string) => ({ mode: '160000', content: digit.repeat(format === 'sha1' ? 40 : 64) })
    const made = await history(format, [
      {
        'bin.dat': 'a\0b\n',
        'crlf.txt': 'a\r\nb\r\nc\r\n',
        deleted: 'x\n',
        [HOSTILE]: numbered(20),
        link: 'a\n',
        module: module('a'),
        'no-end': 'a\nb',
        num: numbered(20),
        'old name': numbered(30),
        same: 's\n',
      },
      {
        'bin.dat': 'a\0c\n',
        'crlf.txt': 'new\r\na\r\nb\r\nc\n',
        deleted: undefined,
        [HOSTILE]: `first\n${numbered(20)}`,
        link: { mode: '120000', content: 'a\n' },
        module: module('b'),
        'no-end': 'a\nb\nc',
        num: numbered(20, { 3: 'three', 10: '10\n10 and a half' }),
        'old name': undefined,
        'new/name': numbered(30, { 1: '0\n1' }),
      },
    ])
    repo = made.repo
    ;[from, to] = made.ids as [string, string]
  })

  it('are found after insertions before them, and are not found when they were changed', async () => {
    const places = [1, 2, 3, 4, 10, 11, 20, 500].map((line) => at('num', line))
    expect((await repo.diffLines.move(from, to, places)).map((place) => place?.first)).toEqual([
      1,
      2,
      undefined,
      4,
      10,
      12,
      21,
      501,
    ])
    const ranges = [at('num', 1, 2), at('num', 2, 4), at('num', 10, 11), at('num', 11, 20)]
    expect(await repo.diffLines.move(from, to, ranges)).toEqual([
      at('num', 1, 2),
      undefined,
      undefined,
      at('num', 12, 21),
    ])
  })

  it('are followed through renames and in files with any name', async () => {
    const places = [at('old name', 1), at('old name', 5), at(HOSTILE, 20), at('same', 1), at('crlf.txt', 2)]
    expect(await repo.diffLines.move(from, to, places)).toEqual([
      at('new/name', 2),
      at('new/name', 6),
      at(HOSTILE, 21),
      at('same', 1),
      at('crlf.txt', 3),
    ])
  })

  it('are not found when the file is deleted, becomes binary, or changes its mode or line ends', async () => {
    const places = [
      at('deleted', 1),
      at('missing', 1),
      at('link', 1),
      at('module', 1),
      at('bin.dat', 1),
      at('crlf.txt', 3),
      at('no-end', 2),
      at('new/name', 1),
    ]
    expect(await repo.diffLines.move(from, to, places)).toEqual(places.map(() => undefined))
  })

  it('are refused for what is no full id', async () => {
    await expect(repo.diffLines.move('main', to, [])).rejects.toMatchObject({ kind: 'invalid' })
    await expect(
      repo.diffLines.excerpt({ base: from, head: '--x' }, { path: 'a', side: 'new', line: 1 }),
    ).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('have a hunk that ends with them', async () => {
    const excerpt = (path: string, side: 'old' | 'new', line: number) =>
      repo.diffLines.excerpt({ base: from, head: to }, { path, side, line })
    expect(await excerpt('num', 'new', 3)).toBe('@@ -1,6 +1,6 @@\n 1\n 2\n-3\n+three')
    expect(await excerpt('num', 'new', 11)).toBe('@@ -8,6 +8,7 @@\n 8\n 9\n 10\n+10 and a half')
    expect(await excerpt(HOSTILE, 'new', 1)).toBe('@@ -1,3 +1,4 @@\n+first')
    expect(await excerpt('deleted', 'old', 1)).toBe('@@ -1 +0,0 @@\n-x')
    expect(await excerpt('no-end', 'new', 2)).toBe('@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+b')
    expect(await excerpt('module', 'new', 1)).toMatch(/^@@ -1 \+1 @@\n-Subproject commit a+\n\+Subproject commit b+$/)
    expect(await excerpt('link', 'old', 1)).toBe('@@ -1 +0,0 @@\n-a')
    expect(await excerpt('link', 'new', 1)).toBe('@@ -0,0 +1 @@\n+a')
  })

  it('have the hunk of a renamed file under its new name, on both sides', async () => {
    const excerpt = (path: string, side: 'old' | 'new', line: number) =>
      repo.diffLines.excerpt({ base: from, head: to }, { path, side, line })
    expect(await excerpt('new/name', 'new', 1)).toBe('@@ -1,3 +1,4 @@\n+0')
    expect(await excerpt('new/name', 'old', 2)).toBe('@@ -1,3 +1,4 @@\n+0\n 1\n 2')
    expect(await excerpt('old name', 'old', 2)).toBe('@@ -1,3 +1,4 @@\n+0\n 1\n 2')
  })

  it('have unchanged lines around them outside of the hunks, and nothing where they do not exist', async () => {
    const excerpt = (path: string, side: 'old' | 'new', line: number) =>
      repo.diffLines.excerpt({ base: from, head: to }, { path, side, line })
    expect(await excerpt('num', 'new', 20)).toBe('@@ -16,4 +17,4 @@\n 16\n 17\n 18\n 19')
    expect(await excerpt('num', 'old', 19)).toBe('@@ -16,4 +17,4 @@\n 16\n 17\n 18\n 19')
    expect(await excerpt('same', 'new', 1)).toBe('@@ -1,1 +1,1 @@\n s')
    for (const [path, side, line] of [
      ['num', 'new', 22],
      ['num', 'new', 0],
      ['missing', 'new', 1],
      ['deleted', 'new', 1],
      ['new', 'new', 1],
      ['bin.dat', 'new', 1],
      ['module', 'new', 2],
    ] as const)
      expect(await excerpt(path, side, line), path).toBe('')
  })
})

describe('lines of a pull request whose head moves on', () => {
  it('are followed on their own side, under the name the file now has', async () => {
    const { repo, ids } = await history('sha1', [
      { a: numbered(20), b: numbered(30, { 1: 'b' }) },
      { a: numbered(20, { 5: 'five' }), b: undefined, c: numbered(30, { 1: 'b', 9: 'nine' }) },
      { a: `new\n${numbered(20, { 5: 'five' })}` },
    ])
    const [base, first, second] = ids as [string, string, string]
    const later = oracle(
      repo.path,
      ['fast-import', '--quiet'],
      commitStream([
        { branch: 'later', from: '0', files: { a: `zero\n${numbered(20)}`, b: `zero\n${numbered(30, { 1: 'b' })}` } },
      ]),
    )
    expect(later).toBe('')
    const newBase = oracle(repo.path, ['rev-parse', 'later'])
    const places = [
      { ...at('a', 5), side: 'new' },
      { ...at('a', 5), side: 'old' },
      { ...at('c', 9), side: 'old' },
      { ...at('c', 9), side: 'new' },
      { ...at('gone', 1), side: 'old' },
    ] as const
    const [before, after] = [
      { base, head: first },
      { base: newBase, head: second },
    ] as const
    expect(await repo.diffLines.follow(before, after, places)).toEqual([
      at('a', 6),
      at('a', 6),
      at('c', 10),
      at('c', 9),
      undefined,
    ])
    expect(await repo.diffLines.follow(before, before, places.slice(0, 4))).toEqual(
      places.slice(0, 4).map(({ path, first: line }) => at(path, line)),
    )
  })

  it('are found in a diff of ten megabytes in little memory and time', MEASURED, async () => {
    const { repo, ids } = await history('sha1', [
      { big: numbered(200_000) },
      {
        big: Array.from(
          { length: 200_000 },
          (_, index) => `${index % 2 === 0 ? `line ${'x'.repeat(50)} ` : ''}${index + 1}\n`,
        ).join(''),
      },
    ])
    const [from, to] = ids as [string, string]
    await repo.diffLines.move(from, from, [])
    const before = process.memoryUsage().rss
    const began = performance.now()
    expect(await repo.diffLines.move(from, to, [at('big', 199_999), at('big', 200_000)])).toEqual([
      undefined,
      at('big', 200_000),
    ])
    const text = await repo.diffLines.excerpt({ base: from, head: to }, { path: 'big', side: 'new', line: 199_999 })
    expect(text.split('\n')).toHaveLength(5)
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024)
    expect(performance.now() - began).toBeLessThan(20_000)
  })
})

describe('lines of any two versions of a file', () => {
  it('are found again exactly where git sees them unchanged', async () => {
    const line = fc.constantFrom('a', 'b', 'c', 'd', '', '@@ -1 +1 @@', '-- a', '\\ No newline at end of file', 'x\r')
    const versions = fc.sample(fc.array(line, { maxLength: 25 }), { seed: 11, numRuns: 24 })
    const { repo, ids } = await history(
      'sha1',
      versions.map((lines) => ({ f: lines.map((text) => `${text}\n`).join('') })),
    )
    for (let index = 1; index < versions.length; index++) {
      const [from, to, before, after] = [ids[index - 1]!, ids[index]!, versions[index - 1]!, versions[index]!]
      const moved = await repo.diffLines.move(
        from,
        to,
        before.map((_, at0) => at('f', at0 + 1)),
      )
      const found = moved.flatMap((place, at0) => (place === undefined ? [] : [[before[at0], after[place.first - 1]]]))
      for (const [old, now] of found) expect(now).toBe(old)
      const deleted = Number(oracle(repo.path, ['diff', '--numstat', from, to]).split('\t')[1] ?? 0)
      expect(found).toHaveLength(before.length - deleted)
    }
  })
})
