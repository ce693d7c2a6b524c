import { afterAll, beforeAll, expect, it } from 'vitest'
import { oracle, oracleBytes, startWorld, type World } from '../fixture.ts'
import { commitStream } from './diff-fixture.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

it('caches short texts of diffs and streams long ones', async () => {
  const repo = await world.repo('sha1')
  const stream = commitStream([
    { branch: 'base', files: { a: 'a\n', bin: 'a\0b' } },
    { branch: 'short', from: 'base', files: { a: 'b\n', bin: 'a\0c' } },
    { branch: 'long', from: 'base', files: { a: 'long line\n'.repeat(40_000) } },
  ])
  oracle(repo.path, ['fast-import', '--quiet'], stream)
  const id = (branch: string): string => oracle(repo.path, ['rev-parse', branch])
  const base = id('base')
  const short = { base, head: id('short') }
  const args = { diff: ['diff'], binary: ['diff', '--binary'], mails: ['format-patch', '--stdout'] }
  for (const kind of ['diff', 'binary', 'mails'] as const) {
    const text = await repo.diffTexts.read(kind, short)
    expect(text).toEqual(oracleBytes(repo.path, [...args[kind], 'base..short']))
    expect(await repo.diffTexts.read(kind, short)).toBe(text)
  }
  const long = await repo.diffTexts.read('diff', { base, head: id('long') })
  expect(Buffer.isBuffer(long)).toBe(false)
  expect(Buffer.concat(await Array.fromAsync(long as AsyncIterable<Buffer>))).toEqual(
    oracleBytes(repo.path, ['diff', 'base..long']),
  )
  await expect(repo.diffTexts.read('diff', { base, head: '--output=x' })).rejects.toMatchObject({ kind: 'invalid' })
})
