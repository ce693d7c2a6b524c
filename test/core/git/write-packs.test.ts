import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GitRepo, type Identity, MODE } from '../../../src/core/git/index.ts'
import { FORMATS, oracle, oracleBytes, oracleStatus, startWorld, type World } from './fixture.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

const who: Identity = { name: 'Ann', email: 'ann@example.com', time: 1_700_000_000, offset: 0 }
/** Around the sizes at which the header of a pack entry gets another byte. */
const SIZES = [0, 1, 15, 16, 17, 2047, 2048, 2049, 262_143, 262_144, 262_145, 3_000_000]

const packsOf = (repo: GitRepo): string[] =>
  readdirSync(join(repo.path, 'objects/pack'))
    .filter((name) => !name.endsWith('.keep'))
    .map((name) => name.replace(/^pack-[0-9a-f]+/, 'pack'))

describe.each(FORMATS)('many objects written to a %s repository', (format) => {
  async function commitBlobs(repo: GitRepo, contents: readonly Buffer[]): Promise<string> {
    const writer = repo.writer()
    const tree = writer.tree(
      contents.map((content, index) => ({
        mode: MODE.file,
        type: 'blob',
        name: `f${index}`,
        oid: writer.blob(content),
      })),
    )
    const commit = writer.commit({ tree, parents: [], author: who, committer: who, message: 'many\n' })
    const tag = writer.tag({ object: commit, type: 'commit', name: 'v1', tagger: who, message: 'one\n' })
    await writer.flush()
    await repo.refs.update([
      { ref: 'refs/heads/main', new: commit },
      { ref: 'refs/tags/v1', new: tag },
    ])
    return commit
  }

  it('are one pack with an index that git accepts', async () => {
    const repo = await world.repo(format)
    const contents = [...SIZES, ...Array.from({ length: 300 }, (_, index) => index * 7)].map((size) =>
      Buffer.alloc(size, `${size} bytes\n`),
    )
    await commitBlobs(repo, contents)
    expect(packsOf(repo).toSorted()).toEqual(['pack.idx', 'pack.pack'])
    expect(readdirSync(join(repo.path, 'objects')).toSorted()).toEqual(['info', 'pack'])
    expect(oracleStatus(repo.path, ['fsck', '--full', '--strict'])).toBe(0)
    const index = readdirSync(join(repo.path, 'objects/pack')).find((name) => name.endsWith('.idx'))!
    expect(oracleStatus(repo.path, ['verify-pack', join('objects/pack', index)])).toBe(0)
    for (const [at, content] of contents.entries())
      if (at < SIZES.length)
        expect(oracleBytes(repo.path, ['cat-file', 'blob', `main:f${at}`]).equals(content)).toBe(true)
  })

  it('are read back by a process that was there before them', async () => {
    const repo = await world.repo(format)
    const first = await commitBlobs(repo, [Buffer.from('first\n')])
    await repo.objects.ask(first)
    const contents = Array.from({ length: 100 }, (_, index) => Buffer.alloc(40_000, `${index}\n`))
    const second = await commitBlobs(repo, contents)
    const entry = await repo.revisions.entryAt(second, 'f42')
    expect((await repo.objects.blob(entry!.oid)).equals(contents[42]!)).toBe(true)
  })

  it('are loose objects when they are few', async () => {
    const repo = await world.repo(format)
    await commitBlobs(repo, [Buffer.from('a\n'), Buffer.from('b\n')])
    expect(packsOf(repo)).toEqual([])
    expect(oracle(repo.path, ['cat-file', 'blob', 'main:f1'])).toBe('b')
  })

  it('leave no temporary files when they cannot be written', async () => {
    const contents = Array.from({ length: 100 }, (_, index) => Buffer.from(`${index}`))
    const model = await world.repo(format)
    await commitBlobs(model, contents)
    const name = readdirSync(join(model.path, 'objects/pack')).find((file) => file.endsWith('.pack'))!
    const repo = await world.repo(format)
    mkdirSync(join(repo.path, 'objects/pack', name, 'in-the-way'), { recursive: true })
    await expect(commitBlobs(repo, contents)).rejects.toThrow(name)
    expect(readdirSync(join(repo.path, 'objects/pack'))).toEqual([name])
    expect((await repo.refs.snapshot()).list('refs/')).toEqual([])
  })
})
