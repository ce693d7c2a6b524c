import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyTreeOid } from '../../../../src/core/git/engine/object/format.ts'
import type { GitRepo } from '../../../../src/core/git/index.ts'
import { processorTime } from '../../../harness/growth.ts'
import { FORMATS, oracle, oracleBytes, startWorld, type World } from '../fixture.ts'
import { randomHistory } from '../random-history.ts'
import { commitStream, numbered } from './diff-fixture.ts'
import { MEASURED } from '../../../harness/measured.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

const HOSTILE = 'new "name"\t\n\\ ü.txt'

describe.each(FORMATS)('the files that differ between two commits of a %s repository', (format) => {
  let repo: GitRepo
  let base: string
  let head: string

  beforeAll(async () => {
    repo = await world.repo(format)
    const module = (digit: string) => ({ mode: '160000', content: digit.repeat(repo.zeroOid.length) })
    const before = {
      'bin.dat': 'a\0b',
      'crlf.txt': 'a\r\nb\r\n',
      gone: 'x\n',
      link: 'a\n',
      mode: 'm\n',
      module: module('a'),
      'no-end': 'a',
      'old.txt': numbered(20),
      'original.txt': numbered(30),
      'space.txt': 'a b\nc\n',
    }
    const after = {
      ':100644': '1\t2\tx\n',
      'bin.dat': 'a\0c',
      'copy.txt': numbered(30),
      'crlf.txt': 'a\nb\n',
      empty: '',
      gone: undefined,
      link: { mode: '120000', content: 'a' },
      mode: { mode: '100755', content: 'm\n' },
      module: module('b'),
      [HOSTILE]: numbered(20, { 9: 'nine' }),
      'no-end': 'a\n',
      'old.txt': undefined,
      'original.txt': numbered(30, { 1: 'one' }),
      'space.txt': 'a  b\nc \n',
    }
    const stream = commitStream([
      { branch: 'before', files: before },
      { branch: 'after', from: 'before', files: after },
    ])
    oracle(repo.path, ['fast-import', '--quiet'], stream)
    ;[base, head] = oracle(repo.path, ['rev-parse', 'before', 'after']).split('\n') as [string, string]
  })

  const list = async (whitespace?: 'all' | 'change' | 'eol') => {
    const files = await repo.changedFiles.list(base, head, whitespace)
    const rows = [...files.from(0)].map(({ path, status, additions, deletions }) =>
      [status, path, additions, deletions].join(' '),
    )
    return { total: files.total, rows }
  }

  it('have their status and numbers of lines, in the order of git', async () => {
    expect(await list()).toEqual({
      total: 13,
      rows: [
        'added :100644 1 0',
        'unchanged bin.dat 0 0',
        'copied copy.txt 0 0',
        'changed crlf.txt 2 2',
        'added empty 0 0',
        'deleted gone 0 1',
        'changed link 1 1',
        'unchanged mode 0 0',
        'changed module 1 1',
        `renamed ${HOSTILE} 1 1`,
        'changed no-end 1 1',
        'changed original.txt 1 1',
        'changed space.txt 2 2',
      ],
    })
  })

  it('have the name from before a rename or a copy', async () => {
    const files = await repo.changedFiles.list(base, head)
    const named = [...files.from(0)].filter((file) => file.previousPath !== undefined)
    expect(named.map((file) => [file.previousPath, file.path])).toEqual([
      ['original.txt', 'copy.txt'],
      ['old.txt', HOSTILE],
    ])
  })

  it('are fewer where white space does not count, and the total stays', async () => {
    const { total, rows } = await list()
    const gone = (paths: readonly string[]) =>
      rows
        .filter((row) => !paths.some((path) => row.includes(` ${path} `)))
        .map((row) => row.replace('changed link 1 1', 'unchanged link 0 0'))
    const eol = gone(['crlf.txt', 'no-end']).map((row) => row.replace('space.txt 2 2', 'space.txt 1 1'))
    expect(await list('eol')).toEqual({ total, rows: eol })
    expect(await list('change')).toEqual({ total, rows: gone(['crlf.txt', 'no-end', 'space.txt']) })
    expect(await list('all')).toEqual({ total, rows: gone(['crlf.txt', 'no-end', 'space.txt']) })
  })

  it('begin at any index or path', async () => {
    const files = await repo.changedFiles.list(base, head)
    const paths = [...files.from(0)].map((file) => file.path)
    expect([...files.from(11)].map((file) => file.path)).toEqual(paths.slice(11))
    expect([...files.from(50)]).toEqual([])
    for (const path of paths) expect(files.indexOf(path)).toBe(paths.indexOf(path))
    expect([files.indexOf(''), files.indexOf('module/x'), files.indexOf('zz')]).toEqual([0, 9, 13])
  })

  it('have sums', async () => {
    const { rows } = await list()
    const sum = (column: number): number => rows.reduce((total, row) => total + Number(row.split(' ').at(column)), 0)
    expect(await repo.changedFiles.totals(base, head)).toEqual({ additions: sum(-2), deletions: sum(-1), files: 13 })
    expect(await repo.changedFiles.totals(head, head)).toEqual({ additions: 0, deletions: 0, files: 0 })
    expect((await repo.changedFiles.totals(emptyTreeOid(repo.objectFormat), base)).files).toBe(10)
  })

  it('are refused for what is no full id', async () => {
    for (const id of ['main', '', '--output=x', base.slice(1)])
      await expect(repo.changedFiles.list(id, head)).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('are those of git for any two commits of random histories', async () => {
    const other = await world.repo(format, randomHistory({ seed: 7, commits: 40 }))
    const commits = oracle(other.path, ['for-each-ref', '--format=%(objectname)']).split('\n')
    for (let index = 0; index + 7 < commits.length; index += 3) {
      const [from, to] = [commits[index]!, commits[index + 7]!]
      const numbers = oracleBytes(other.path, ['diff', '-M', '-C', '--numstat', from, to]).toString('latin1')
      const files = await other.changedFiles.list(from, to)
      const rows = [...files.from(0)]
      expect(rows.map((file) => `${file.additions}\t${file.deletions}`)).toEqual(
        numbers
          .split('\n')
          .filter(Boolean)
          .map((line) => line.split('\t').slice(0, 2).join('\t')),
      )
      expect(rows.map((file) => file.path)).toEqual(
        rows.map((file) => file.path).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      )
    }
  })
})

describe('ten thousand changed files', () => {
  it('are listed in little memory, and without a process the second time', MEASURED, async () => {
    const repo = await world.repo('sha1')
    const files = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`directory/of/many/files/file-${index}.txt`, `${index}\n`]),
    )
    const stream = commitStream([
      { branch: 'before', files: { a: 'a\n' } },
      { branch: 'after', from: 'before', files },
    ])
    oracle(repo.path, ['fast-import', '--quiet'], stream)
    const [base, head] = oracle(repo.path, ['rev-parse', 'before', 'after']).split('\n') as [string, string]
    const before = process.memoryUsage().rss
    const listed = await repo.changedFiles.list(base, head)
    expect(listed.total).toBe(10_000)
    let count = 0
    for (const { additions } of listed.from(0)) count += additions
    expect(count).toBe(10_000)
    expect(process.memoryUsage().rss - before).toBeLessThan(40 * 1024 * 1024)
    expect(await repo.changedFiles.list(base, head)).toBe(listed)
    expect(await processorTime(() => expect([...listed.from(9_990)]).toHaveLength(10))).toBeLessThan(20)
  })
})
