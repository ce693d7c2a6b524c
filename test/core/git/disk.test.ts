import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GitRepo } from '../../../src/core/git/index.ts'
import {
  FORMATS,
  newStorage,
  oracle,
  oracleBytes,
  oracleStatus,
  script,
  SMALL,
  startWorld,
  type World,
} from './fixture.ts'
import { until } from './wire/client.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

const who = { name: 'Ann', email: 'ann@example.com', time: 1_700_000_000, offset: 0 }
const healthy = (repo: GitRepo): boolean => oracleStatus(repo.path, ['fsck', '--strict', '--connectivity-only']) === 0
const many = (count: number): string =>
  script(
    Array.from({ length: count }, (_, index) => ({
      branch: 'main',
      files: { [`d${index % 7}/f${index % 31}`]: `text ${index}\n`.repeat(40) },
    })),
  )

async function fork(from: GitRepo): Promise<GitRepo> {
  const to = newStorage()
  await world.git.forkRepo(from, to, { defaultBranch: 'main' })
  return world.git.open({ storage: to, objectFormat: from.objectFormat })
}

async function commitTo(repo: GitRepo, text: string): Promise<string> {
  const tip = oracle(repo.path, ['rev-parse', 'main'])
  const writer = repo.writer()
  const tree = writer.tree([{ name: text, mode: '100644', type: 'blob', oid: writer.blob(text) }])
  const commit = writer.commit({ tree, parents: [tip], author: who, committer: who, message: `${text}\n` })
  await writer.flush()
  await repo.refs.update([{ ref: 'refs/heads/main', new: commit, old: tip }])
  return commit
}

describe.each(FORMATS)('forks of a %s repository', (format) => {
  it('share objects, and outlive their source and each other', async () => {
    const source = await world.repo(format, SMALL)
    await commitTo(source, 'loose in the source')
    oracle(source.path, ['update-ref', 'refs/pull/1/head', 'main'])
    const one = await fork(source)
    const own = await commitTo(one, 'only in one')
    const two = await fork(one)
    expect((await one.refs.snapshot()).get('refs/pull/1/head')).toBeUndefined()
    expect(oracle(two.path, ['rev-parse', 'main'])).toBe(own)
    expect((await world.git.measureRepo(two.storage)).looseObjects).toBe(0)
    await world.git.maintain(source, 'full')
    await world.git.maintain(one, 'full')
    expect(await world.git.removeRepo(source.storage)).toBe(true)
    expect(await world.git.removeRepo(one.storage)).toBe(true)
    await world.git.cleanUp()
    expect(healthy(two)).toBe(true)
    expect((await two.objects.commit(own)).message).toBe('only in one\n')
    await commitTo(two, 'still writable')
    await world.git.maintain(two, 'full')
    expect(healthy(two)).toBe(true)
    expect((await two.history.list({ tip: own }, { skip: 0, limit: 50 })).length).toBe(7)
  })

  it('leave no pool when all are deleted', async () => {
    const alone = await startWorld()
    try {
      const source = await alone.repo(format, SMALL)
      const to = newStorage()
      await alone.git.forkRepo(source, to, { defaultBranch: 'main' })
      await alone.git.removeRepo(to)
      await alone.git.removeRepo(source.storage)
      expect(await alone.git.cleanUp()).toEqual({ deleted: 3, pools: 1 })
      expect(readdirSync(join(alone.root, 'trash'))).toEqual([])
      expect(
        readdirSync(join(alone.root, 'pools')).flatMap((folder) => readdirSync(join(alone.root, 'pools', folder))),
      ).toEqual([])
    } finally {
      alone.end()
    }
  })
})

describe.each(FORMATS)('maintenance of a %s repository', (format) => {
  it('packs and indexes without changing what can be read, while readers read', async () => {
    const repo = await world.repo(format, many(150))
    for (let index = 0; index < 3; index++) await commitTo(repo, `later ${index}`)
    const tip = oracle(repo.path, ['rev-parse', 'main'])
    const before = oracle(repo.path, ['rev-list', '--objects', '--all'])
    const reading = Promise.all(
      Array.from({ length: 40 }, (_, skip) => repo.history.list({ tip }, { skip, limit: 20 })),
    )
    await world.git.maintain(repo, 'full')
    await reading
    expect((await world.git.measureRepo(repo.storage)).looseObjects).toBe(0)
    expect(existsSync(join(repo.path, 'objects/info/commit-graphs'))).toBe(true)
    expect(readdirSync(join(repo.path, 'objects/pack')).some((name) => name.endsWith('.bitmap'))).toBe(true)
    expect(oracle(repo.path, ['rev-list', '--objects', '--all'])).toBe(before)
    expect(await repo.history.count({ tip })).toBe(153)
    expect(healthy(repo)).toBe(true)
    await commitTo(repo, 'after')
    await world.git.maintain(repo, 'push')
    expect(healthy(repo)).toBe(true)
  })

  it('removes leftovers of dead processes, and nothing of a push that is under way', async () => {
    const repo = await world.repo(format, SMALL)
    const old = join(repo.path, 'objects/tmp_objdir-incoming-dead')
    mkdirSync(old)
    writeFileSync(join(repo.path, 'packed-refs.lock'), '')
    for (const path of [old, join(repo.path, 'packed-refs.lock')]) utimesSync(path, 1_600_000_000, 1_600_000_000)
    await repo.writing(async () => {
      const quarantine = await repo.quarantine()
      utimesSync(quarantine.path, 1_600_000_000, 1_600_000_000)
      await world.git.maintain(repo, 'push')
      expect([existsSync(old), existsSync(quarantine.path)]).toEqual([true, true])
      await quarantine.discard()
    })
    await world.git.maintain(repo, 'push')
    expect([existsSync(old), existsSync(join(repo.path, 'packed-refs.lock'))]).toEqual([false, false])
  })
})

describe('a killed process', () => {
  it('leaves the lock of a ref, which the clean-up deletes without a push or maintenance', async () => {
    const repo = await world.repo('sha1', SMALL)
    const [dead, fresh] = ['refs/heads/main.lock', 'refs/tags/v1.lock'].map((name) => join(repo.path, name))
    for (const lock of [dead!, fresh!]) writeFileSync(lock, '')
    utimesSync(dead!, 1_600_000_000, 1_600_000_000)
    await world.git.cleanUp()
    expect([existsSync(dead!), existsSync(fresh!)]).toEqual([false, true])
  })

  it.each(['full', 'push'] as const)(
    'in the middle of %s maintenance loses nothing, and the next one cleans up',
    async (reason) => {
      const repo = await world.repo('sha1', many(600))
      const reachable = oracle(repo.path, ['rev-list', '--objects', '--all'])
      for (let round = 0; round < 5; round++) {
        for (let index = 0; index < 5; index++) await commitTo(repo, `${round} ${index}`)
        const tip = oracle(repo.path, ['rev-parse', 'main'])
        let isOver = false
        const maintaining = world.git
          .maintain(repo, reason)
          .catch(() => {})
          .finally(() => (isOver = true))
        await until('git is at work', () => isOver || ownGit().length > 0)
        const later = performance.now() + round * 20
        await until('some of it is done', () => isOver || performance.now() > later)
        for (const pid of ownGit()) kill(pid)
        await maintaining
        expect(oracleStatus(repo.path, ['fsck', '--strict', '--no-dangling'])).toBe(0)
        expect(await repo.history.count({ tip })).toBe(600 + (round + 1) * 5)
        await repo.refs.update([{ ref: `refs/heads/after-${round}`, new: tip }])
      }
      for (const path of temporaries(repo.path)) utimesSync(path, 1_600_000_000, 1_600_000_000)
      await world.git.maintain(repo, 'full')
      expect(temporaries(repo.path)).toEqual([])
      expect(oracle(repo.path, ['rev-list', '--objects', '--all'])).toContain(reachable.split('\n')[0]!)
      expect(healthy(repo)).toBe(true)
    },
  )

  it('between quarantine and refs loses nothing that was acknowledged and leaves a clean repository', async () => {
    const repo = await world.repo('sha1', SMALL)
    const donor = await world.repo('sha1', many(200))
    const pack = join(world.root, 'donor.pack')
    writeFileSync(pack, oracleBytes(donor.path, ['pack-objects', '--all', '--stdout', '-q']))
    const program = `
      import { createQuarantine } from ${JSON.stringify(new URL('../../../src/core/git/disk/quarantine.ts', import.meta.url).pathname)}
      import { spawnSync } from 'node:child_process'
      import { readFileSync } from 'node:fs'
      for (;;) {
        const q = await createQuarantine(${JSON.stringify(repo.path)}, new Set())
        spawnSync('git', ['unpack-objects', '-q'], { input: readFileSync(${JSON.stringify(pack)}), env: { PATH: process.env.PATH, GIT_DIR: ${JSON.stringify(repo.path)}, ...q.env } })
        process.stdout.write('m')
        await q.migrate()
        process.stdout.write('d')
      }`
    for (let round = 0; round < 4; round++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let written = 0
      await new Promise<void>((resolve) =>
        child.stdout.on('data', (chunk: Buffer) => (written += chunk.length) > round && resolve()),
      )
      const gone = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGKILL')
      await gone
      expect(oracleStatus(repo.path, ['fsck', '--strict', '--no-dangling'])).toBe(0)
    }
    for (const name of readdirSync(join(repo.path, 'objects')).filter((entry) => entry.startsWith('tmp_'))) {
      utimesSync(join(repo.path, 'objects', name), 1_600_000_000, 1_600_000_000)
    }
    await world.git.maintain(repo, 'push')
    expect(readdirSync(join(repo.path, 'objects')).filter((name) => name.startsWith('tmp_'))).toEqual([])
    expect(healthy(repo)).toBe(true)
  })
})

/** Processes of git that work for this one: maintenance and what it starts, readers aside. */
function ownGit(): number[] {
  const lines = spawnSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).stdout.trim().split('\n')
  const all = lines
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)!)
    .map(([, pid, parent, args]) => ({ pid: Number(pid), parent: Number(parent), args: args! }))
  const mine = all
    .filter(({ parent, args }) => parent === process.pid && /^git (?:repack|pack-refs|commit-graph)/.test(args))
    .map(({ pid }) => pid)
  return [...mine, ...all.filter(({ parent }) => mine.includes(parent)).map(({ pid }) => pid)]
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** What git writes before it gives things their names. */
const temporaries = (path: string): string[] =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?:^|\/)(?:tmp_|\.tmp-)|\.lock$/.test(name))
    .map((name) => join(path, name))
