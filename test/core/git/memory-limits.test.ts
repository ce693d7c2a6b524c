import { Readable, Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GitRepo, serveUploadArchive } from '../../../src/core/git/index.ts'
import { emptyTreeOid } from '../../../src/core/git/engine/object/format.ts'
import { FORMATS, oracle, startWorld, type World } from './fixture.ts'
import { processesWith, until } from './wire/client.ts'
import { MEASURED } from '../../harness/measured.ts'

const MANY = 400_000

describe.each(FORMATS)('commands on a %s repository that would exceed the memory limit', (format) => {
  let world: World
  let repo: GitRepo
  let large: string
  let small: string

  beforeAll(async () => {
    world = await startWorld({ maxMemory: 64 * 1024 * 1024 })
    repo = await world.repo(format)
    const blob = oracle(repo.path, ['hash-object', '-w', '--stdin'], 'x\n')
    const files = Array.from({ length: 1000 }, (_, index) => `100644 blob ${blob}\tf${index}\n`).join('')
    const inner = oracle(repo.path, ['mktree'], files)
    const tree = oracle(
      repo.path,
      ['mktree'],
      Array.from({ length: MANY / 1000 }, (_, index) => `040000 tree ${inner}\td${index}\n`).join(''),
    )
    large = oracle(repo.path, ['commit-tree', '-m', 'large', tree])
    small = oracle(repo.path, ['commit-tree', '-m', 'small', '-p', large, inner])
    oracle(repo.path, ['update-ref', 'refs/heads/main', large])
    const base = oracle(repo.path, ['commit-tree', '-m', 'base', inner])
    small = oracle(repo.path, [
      'commit-tree',
      '-m',
      'small',
      '-p',
      base,
      oracle(repo.path, ['mktree'], `100644 blob ${blob}\tonly\n`),
    ])
  })
  afterAll(() => world.end())

  it('leave out the one commit that is too large, and say what the others changed', MEASURED, async () => {
    const sets = await repo.changes.ofCommits([large, small])
    expect(sets.has(large)).toBe(false)
    expect(sets.get(small)?.files).toHaveLength(1001)
    const times: number[] = []
    // NOTE: a machine that is busy otherwise delays some; a git process would delay all.
    for (let attempt = 0; attempt < 5; attempt++) {
      const again = performance.now()
      expect((await repo.changes.ofCommits([large])).has(large)).toBe(false)
      times.push(performance.now() - again)
    }
    expect(Math.min(...times)).toBeLessThan(50)
  })

  it('are ended when they serve an archive to a client, with what they started', async () => {
    const packet = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text
    const input = Readable.from([Buffer.from(`${packet('argument --format=zip\n')}${packet('argument main\n')}0000`)])
    const output = new Writable({ write: (_chunk, _encoding, done) => done() })
    const exchange = {
      repo,
      client: 'account 1',
      input,
      output,
      protocol: undefined,
      signal: new AbortController().signal,
    }
    await expect(
      serveUploadArchive(exchange, { idleMs: 60_000, deadlineMs: 60_000, maxMemory: 8 * 1024 * 1024 }),
    ).rejects.toMatchObject({ kind: 'too-large' })
    await until('nothing is left of it', async () => (await processesWith('upload-archive', process.pid)) === 0)
  })

  it('are not started for commits and trees that inflate beyond the memory limit', MEASURED, async () => {
    const tree = oracle(repo.path, ['rev-parse', `${small}^{tree}`])
    const head = `tree ${tree}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n`
    const huge = oracle(
      repo.path,
      ['hash-object', '-t', 'commit', '-w', '--stdin'],
      Buffer.concat([Buffer.from(head), Buffer.alloc(100 * 1024 * 1024, 'x')]),
    )
    oracle(repo.path, ['update-ref', 'refs/heads/huge', huge])
    const before = process.memoryUsage.rss()
    for (let tries = 0; tries < 3; tries++) {
      const asked = [
        repo.objects.commit(huge),
        repo.objects.raw(huge),
        repo.history.list({ tip: huge }, { skip: 0, limit: 5 }),
      ]
      for (const answer of await Promise.allSettled(asked))
        expect(answer).toMatchObject({ status: 'rejected', reason: { kind: 'too-large' } })
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024)
    expect((await repo.objects.findInfo(huge))?.size).toBeGreaterThan(100 * 1024 * 1024)
    expect((await repo.objects.commit(small)).oid).toBe(small)
  })

  it('are ended, and end what reads them', async () => {
    const read = async (): Promise<void> => {
      for await (const _ of repo.diffs.commitDiff(large)) continue
    }
    await expect(read()).rejects.toMatchObject({ kind: 'too-large' })
    await expect(repo.changedFiles.list(emptyTreeOid(repo.objectFormat), large)).rejects.toMatchObject({
      kind: 'too-large',
    })
  })
})
