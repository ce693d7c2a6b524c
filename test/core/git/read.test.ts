import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findCommitOid, type GitRepo, isGitError } from '../../../src/core/git/index.ts'
import { FORMATS, newStorage, oracle, oracleStatus, script, SMALL, startWorld, type World } from './fixture.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

describe('creating', () => {
  it.each(FORMATS)('makes a bare %s repository that git accepts, and only once', async (format) => {
    const storage = newStorage()
    await world.git.createRepo(storage, { objectFormat: format, defaultBranch: 'trunk' })
    const path = world.git.path(storage)
    expect(oracle(path, ['rev-parse', '--is-bare-repository', '--show-object-format'])).toBe(`true\n${format}`)
    expect(oracle(path, ['symbolic-ref', 'HEAD'])).toBe('refs/heads/trunk')
    expect(oracleStatus(path, ['fsck', '--strict'])).toBe(0)
    await expect(world.git.createRepo(storage, { objectFormat: format, defaultBranch: 'main' })).rejects.toMatchObject({
      kind: 'exists',
    })
    expect(await world.git.removeRepo(storage)).toBe(true)
    expect(await world.git.repoExists(storage)).toBe(false)
    expect(await world.git.removeRepo(storage)).toBe(false)
    await expect(world.git.open({ storage, objectFormat: format }).refs.snapshot()).rejects.toMatchObject({
      kind: 'no-repo',
    })
  })

  it.each(['../x/abcdef', 'ab/../../etc', 'ab', 'AB/abcdef', 'ab/abcdef.git'])(
    'refuses the storage key %s',
    async (storage) => {
      expect(() => world.git.path(storage)).toThrow('bad storage key')
    },
  )

  it('refuses a default branch that is no branch name', async () => {
    await expect(
      world.git.createRepo(newStorage(), { objectFormat: 'sha1', defaultBranch: 'a..b' }),
    ).rejects.toMatchObject({ kind: 'invalid' })
  })
})

describe.each(FORMATS)('reading a %s repository', (format) => {
  let repo: GitRepo
  beforeAll(async () => {
    repo = await world.repo(format, SMALL)
  })
  const id = (revision: string): string => oracle(repo.path, ['rev-parse', revision])

  it('reads commits as git prints them', async () => {
    const commit = await repo.objects.commit(id('main'))
    const [tree, parents, author, offset, message] = oracle(repo.path, [
      'log',
      '-1',
      '--date=raw',
      '--format=%T%x00%P%x00%an <%ae> %at%x00%ad%x00%B',
      'main',
    ]).split('\0')
    expect(commit.tree).toBe(tree)
    expect(commit.parents.join(' ')).toBe(parents)
    expect(`${commit.author.name} <${commit.author.email}> ${commit.author.time}`).toBe(author)
    expect(offset).toContain('+0200')
    expect([commit.author.offset, commit.committer.offset]).toEqual([120, -210])
    expect(commit.message.trim()).toBe(message?.trim())
  })

  it('reads trees, blobs and tags', async () => {
    const tree = await repo.objects.tree(id('main^{tree}'))
    expect(tree.map((entry) => `${entry.mode} ${entry.type} ${entry.oid}\t${entry.name}`).join('\n')).toBe(
      oracle(repo.path, ['ls-tree', 'main']),
    )
    expect((await repo.objects.blob(id('main:src/a.ts'))).toString()).toBe('a2\n')
    const tag = await repo.objects.tag(id('v1'))
    expect(tag).toMatchObject({ name: 'v1', type: 'commit', object: id('v1^{}'), message: 'first\n' })
  })

  it('finds paths, and nothing where there is nothing', async () => {
    expect((await repo.revisions.entryAt(id('main'), 'src/deep/b.ts'))?.oid).toBe(id('main:src/deep/b.ts'))
    expect(await repo.revisions.entryAt(id('main'), '')).toMatchObject({ type: 'tree', oid: id('main^{tree}') })
    expect(await repo.revisions.entryAt(id('main'), 'src/nope')).toBeUndefined()
    expect(await repo.revisions.entryAt(id('main'), 'src/a.ts/x')).toBeUndefined()
  })

  it('resolves in the strict form only names and full ids', async () => {
    expect(await repo.revisions.findStrict('main')).toMatchObject({ kind: 'branch', oid: id('main'), type: 'commit' })
    expect(await repo.revisions.findStrict('v1')).toMatchObject({ kind: 'tag', oid: id('v1'), type: 'tag' })
    expect(await repo.revisions.findStrict(id('main'))).toMatchObject({ kind: 'oid' })
    for (const name of ['HEAD', 'refs/heads/main', id('main').slice(0, 10), 'main~1', id('main').toUpperCase(), '']) {
      expect(await repo.revisions.findStrict(name), name).toBeUndefined()
    }
  })

  it('resolves in the loose form what git resolves', async () => {
    for (const name of [
      'HEAD',
      'refs/heads/main',
      'heads/main',
      'main',
      'v1',
      'light',
      'main~2',
      'main^',
      'v1^{commit}',
      'main:src',
      'main:src/a.ts',
      id('main').slice(0, 12),
    ]) {
      expect((await repo.revisions.findLoose(name))?.oid, name).toBe(id(name))
    }
    for (const name of [
      'nope',
      '-x',
      '--help',
      ':/commit',
      'main^{/x}',
      'main@{0}',
      'a..b',
      'a\nb',
      'ffffffffff',
      '',
      '^main',
    ]) {
      expect(await repo.revisions.findLoose(name), name).toBeUndefined()
    }
    expect(await findCommitOid(repo, 'v1')).toBe(id('v1^{commit}'))
    expect(await repo.revisions.findShort(id('main').slice(0, 8))).toBe(id('main'))
  })

  it('says what is wrong with an id', async () => {
    await expect(repo.objects.commit('1'.repeat(id('main').length))).rejects.toMatchObject({ kind: 'missing' })
    await expect(repo.objects.commit('abc')).rejects.toMatchObject({ kind: 'missing' })
    await expect(repo.objects.commit(id('main^{tree}'))).rejects.toMatchObject({ kind: 'wrong-type' })
    await expect(repo.objects.blob(id('main:src/a.ts'), 2)).rejects.toMatchObject({ kind: 'too-large' })
  })

  it('lists history in the order of git log', async () => {
    const ids = async (skip: number, limit: number) =>
      (await repo.history.list({ tip: id('main') }, { skip, limit })).map((commit) => commit.oid)
    expect((await ids(0, 30)).join('\n')).toBe(oracle(repo.path, ['log', '--format=%H', 'main']))
    expect((await ids(1, 2)).join('\n')).toBe(oracle(repo.path, ['log', '--format=%H', '--skip=1', '-2', 'main']))
    expect(await ids(10, 5)).toEqual([])
    const filtered = await repo.history.list({ tip: id('main'), path: 'src' }, { skip: 0, limit: 9 })
    expect(filtered.map((commit) => commit.oid).join('\n')).toBe(
      oracle(repo.path, ['log', '--format=%H', 'main', '--', 'src']),
    )
    const bounded = await repo.history.list(
      { tip: id('main'), not: [id('topic')], since: 1_700_000_060, until: 1_700_000_200 },
      { skip: 0, limit: 9 },
    )
    expect(bounded.map((commit) => commit.oid).join('\n')).toBe(
      oracle(repo.path, ['rev-list', '--max-age=1700000060', '--min-age=1700000200', 'main', '^topic']),
    )
  })

  it('counts, and counts on from an earlier tip', async () => {
    for (const name of ['main~2', 'main', 'topic', 'main']) {
      expect(await repo.history.count({ tip: id(name) }), name).toBe(
        Number(oracle(repo.path, ['rev-list', '--count', name])),
      )
    }
    expect(await repo.history.count({ tip: id('main'), path: 'docs' })).toBe(1)
    expect(await repo.history.mergeBase(id('main~2'), id('topic'))).toBe(id('light'))
    expect(await repo.history.isAncestor(id('topic'), id('main'))).toBe(true)
    expect(await repo.history.isAncestor(id('main'), id('topic'))).toBe(false)
  })
})

describe('readers', () => {
  it('survive the death of their process in the middle of many questions', async () => {
    const commits = Array.from({ length: 300 }, (_, index) => ({
      branch: 'main',
      files: { [`f${index}`]: 'x'.repeat(5000) + index },
    }))
    const repo = await world.repo('sha1', script(commits))
    const tip = oracle(repo.path, ['rev-parse', 'main'])
    const blobs = oracle(repo.path, ['ls-tree', '--format=%(objectname)', tip]).split('\n')
    const pool = world.git.readerPids(repo.storage)
    expect(pool).toEqual([])
    const reading = Promise.all(blobs.map((oid) => repo.objects.blob(oid)))
    await expect.poll(() => world.git.readerPids(repo.storage).length).toBeGreaterThan(0)
    for (const pid of world.git.readerPids(repo.storage)) process.kill(pid, 'SIGKILL')
    expect((await reading).map((blob) => blob.length).every((length) => length > 5000)).toBe(true)
  })

  it('are bounded in all and end when idle', async () => {
    const small = await startWorld({ maxReaders: 2, idleReader: 60 })
    try {
      const repos = await Promise.all(Array.from({ length: 6 }, () => small.repo('sha1', SMALL)))
      for (const repo of repos) oracle(repo.path, ['gc', '--quiet'])
      const tips = repos.map((repo) => oracle(repo.path, ['rev-parse', 'main']))
      const commits = await Promise.all(repos.map((repo, index) => repo.objects.commit(tips[index]!)))
      expect(commits.length).toBe(6)
      const count = () => repos.flatMap((repo) => small.git.readerPids(repo.storage)).length
      expect(count()).toBeLessThanOrEqual(2)
      await expect.poll(count).toBe(0)
    } finally {
      small.end()
    }
  })

  it('see objects that arrive in a new pack, and objects after a repack', async () => {
    const repo = await world.repo('sha1', SMALL)
    const tip = oracle(repo.path, ['rev-parse', 'main'])
    await repo.objects.commit(tip)
    const blob = oracle(repo.path, ['hash-object', '-w', '--stdin'], 'later\n')
    expect((await repo.objects.blob(blob)).toString()).toBe('later\n')
    oracle(repo.path, ['repack', '-adfq', '--depth=1'])
    const old = oracle(repo.path, ['rev-parse', 'light'])
    expect((await repo.objects.commit(old)).message).toBe('commit 1\n')
  })

  it('keep repositories apart in the cache', async () => {
    const [one, two] = [await world.repo('sha1', SMALL), await world.repo('sha1')]
    const tip = oracle(one.path, ['rev-parse', 'main'])
    await one.objects.commit(tip)
    const error: unknown = await two.objects.commit(tip).catch((caught: unknown) => caught)
    expect(isGitError(error, 'missing')).toBe(true)
  })
})
