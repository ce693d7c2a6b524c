import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GitRepo } from '../../../../src/core/git/index.ts'
import { FORMATS, oracle, startWorld, type World } from '../fixture.ts'
import { commitStream, type FileState, numbered } from './diff-fixture.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

describe.each(FORMATS)('two diffs of a %s repository', (format) => {
  let repo: GitRepo
  const id = (branch: string): string => oracle(repo.path, ['rev-parse', branch])
  const isSame = (before: readonly [string, string], after: readonly [string, string]): Promise<boolean> =>
    repo.samePatch.isSame({ base: id(before[0]), head: id(before[1]) }, { base: id(after[0]), head: id(after[1]) })

  beforeAll(async () => {
    repo = await world.repo(format)
    const start = { text: numbered(40), other: 'o\n', bin: 'a\0b' }
    const changed = numbered(40, { 30: 'thirty' })
    const edits: readonly (readonly [branch: string, from: string, files: Record<string, FileState>])[] = [
      ['main-other', 'main', { other: 'O\n' }],
      ['main-text', 'main', { text: `0\n${numbered(40)}` }],
      ['pull', 'main', { text: changed, bin: 'a\0c' }],
      ['on-other', 'main-other', { text: changed, bin: 'a\0c' }],
      ['on-text', 'main-text', { text: `0\n${changed}`, bin: 'a\0c' }],
      ['space', 'main', { text: numbered(40, { 30: 'thirty ' }), bin: 'a\0c' }],
      ['binary', 'main', { text: changed, bin: 'a\0d' }],
      ['more', 'pull', { more: 'm\n' }],
      ['mode', 'pull', { text: { mode: '100755', content: changed } }],
      ['renamed', 'pull', { bin: undefined, nib: 'a\0c' }],
      ['long', 'main', { text: `${'x'.repeat(200_000)}\n` }],
      ['long-end', 'main', { text: `${'x'.repeat(199_999)}y\n` }],
      ['crlf', 'main', { text: changed.replaceAll('\n', '\r\n'), bin: 'a\0c' }],
    ]
    const stream = commitStream([
      { branch: 'main', files: start },
      ...edits.map(([branch, from, files]) => ({ branch, from, files })),
    ])
    oracle(repo.path, ['fast-import', '--quiet'], stream)
  })

  it('are the same after a rebase onto other files or other lines of the same files', async () => {
    expect(await isSame(['main', 'pull'], ['main', 'pull'])).toBe(true)
    expect(await isSame(['main', 'pull'], ['main-other', 'on-other'])).toBe(true)
    expect(await isSame(['main', 'pull'], ['main-text', 'on-text'])).toBe(true)
    expect(await isSame(['main', 'main'], ['pull', 'pull'])).toBe(true)
  })

  it.each(['space', 'binary', 'more', 'mode', 'renamed', 'crlf', 'main'])(
    'differ when the head changes: %s',
    async (branch) => {
      expect(await isSame(['main', 'pull'], ['main', branch])).toBe(false)
      expect(await isSame(['main', branch], ['main-other', 'on-other'])).toBe(false)
    },
  )

  it('differ at the end of a line of any length', async () => {
    expect(await isSame(['main', 'long'], ['main', 'long-end'])).toBe(false)
  })

  it('differ when a base was changed that the head does not contain', async () => {
    expect(await isSame(['main', 'pull'], ['main-text', 'pull'])).toBe(false)
  })
})
