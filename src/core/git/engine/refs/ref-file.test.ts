import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { GitRepo } from '../../index.ts'
import { setChildPath } from '../../../platform/process/process.ts'
import { loosePath } from '../read/loose-object.ts'
import { moveRefFile } from './ref-file.ts'
import { FORMATS, oracle, SMALL, startWorld, type World } from '../../../../../test/core/git/fixture.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

const withoutGit = (): void => setChildPath('/nonexistent')
const withGit = (): void => setChildPath(process.env['PATH']!)
afterEach(withGit)

describe.each(FORMATS)('a move of one ref of a %s repository', (format) => {
  let repo: GitRepo
  let tip: string
  let old: string
  beforeEach(async () => {
    repo = await world.repo(format, SMALL)
    tip = oracle(repo.path, ['rev-parse', 'main'])
    old = oracle(repo.path, ['rev-parse', 'main~1'])
    for (const oid of [tip, old]) await repo.objects.commit(oid)
  })
  afterEach(() => {
    const names = readdirSync(join(repo.path, 'refs'), { recursive: true }).map(String)
    expect(names.filter((name) => name.endsWith('.lock'))).toEqual([])
  })
  const valueOf = (ref: string): string => oracle(repo.path, ['rev-parse', '--verify', ref])
  const stored = (type: string, text: string): string =>
    oracle(repo.path, ['hash-object', '-t', type, '-w', '--stdin'], text)

  it('starts no process, whether the ref is new, in a file or packed', async () => {
    const loose = stored('commit', oracle(repo.path, ['cat-file', 'commit', tip]).replace(/\n\n[^]*$/, '\n\nloose\n'))
    oracle(repo.path, ['pack-refs', '--all', '--prune'])
    withoutGit()
    await repo.refs.update([{ ref: 'refs/heads/main', new: loose, old: tip }])
    await repo.refs.update([{ ref: 'refs/pull/7/head', new: loose, old: repo.zeroOid }])
    await repo.refs.update([{ ref: 'refs/pull/7/head', new: loose, old: loose }])
    withGit()
    expect([valueOf('refs/heads/main'), valueOf('refs/pull/7/head')]).toEqual([loose, loose])
    oracle(repo.path, ['fsck', '--strict'])
  })

  it('compares the value while the ref is locked', async () => {
    const ref = 'refs/heads/main'
    const move = (check: (loose: string | undefined) => Promise<void>, confirm = async (): Promise<void> => {}) =>
      moveRefFile({ path: repo.path, ref, oid: old, check, confirm })
    const refused = new Error('refused')
    const check = async (loose: string | undefined): Promise<void> => {
      expect(loose).toBe(tip)
      expect(existsSync(join(repo.path, `${ref}.lock`))).toBe(true)
      throw refused
    }
    await expect(move(check)).rejects.toBe(refused)
    await expect(
      move(
        async () => {},
        () => Promise.reject(refused),
      ),
    ).rejects.toBe(refused)
    expect(valueOf(ref)).toBe(tip)
    expect(await move(async () => {})).toBe(true)
    expect(valueOf(ref)).toBe(old)
  })

  it('waits for a process that holds the lock', async () => {
    const lock = join(repo.path, 'refs/heads/main.lock')
    writeFileSync(lock, '')
    const moved = repo.refs.update([{ ref: 'refs/heads/main', new: old, old: tip }])
    setTimeout(() => rmSync(lock), 200)
    await moved
    expect(valueOf('refs/heads/main')).toBe(old)
  })

  it('replaces a symbolic ref and an empty directory', async () => {
    oracle(repo.path, ['symbolic-ref', 'refs/heads/alias', 'refs/heads/main'])
    await repo.refs.update([{ ref: 'refs/heads/alias', new: old, old: tip }])
    mkdirSync(join(repo.path, 'refs/heads/empty/deep'), { recursive: true })
    await repo.refs.update([{ ref: 'refs/heads/empty', new: old }])
    expect(['alias', 'empty', 'main'].map((name) => valueOf(`refs/heads/${name}`))).toEqual([old, old, tip])
    expect(readFileSync(join(repo.path, 'refs/heads/alias'), 'utf8')).toBe(`${old}\n`)
  })

  it('is refused for an object that no longer exists, and for a branch that would not be a commit', async () => {
    const blob = stored('blob', 'a blob')
    await repo.refs.update([{ ref: 'refs/tags/blob', new: blob }])
    await expect(repo.refs.update([{ ref: 'refs/heads/blob', new: blob }])).rejects.toMatchObject({ kind: 'missing' })
    const gone = stored('blob', 'gone')
    expect(await repo.objects.findInfo(gone)).toMatchObject({ type: 'blob' })
    rmSync(loosePath(join(repo.path, 'objects'), gone))
    await expect(repo.refs.update([{ ref: 'refs/tags/gone', new: gone }])).rejects.toMatchObject({ kind: 'missing' })
    expect((await repo.refs.snapshot()).get('refs/tags/gone')).toBeUndefined()
  })
})
