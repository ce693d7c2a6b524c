import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GitRepo, Quarantine } from '../../index.ts'
import { isPlainlyConnected } from './quick-connectivity.ts'
import { setChildPath } from '../../../platform/process/process.ts'
import { git, tempDir } from '../../../../../test/core/git/wire/client.ts'
import { startWireServer, type WireServer } from '../../../../../test/core/git/wire/server.ts'

const dir = tempDir()
let server: WireServer

beforeAll(async () => {
  server = await startWireServer({ dir: dir.path })
})
afterAll(async () => {
  await server.close()
  dir.remove()
})

describe('the in-process connectivity check of a push', () => {
  let repo: GitRepo
  let quarantine: Quarantine
  let base: string
  let made = 0
  const into = (place: 'repo' | 'quarantine') => ({
    env: { GIT_DIR: repo.path, ...(place === 'quarantine' && { GIT_OBJECT_DIRECTORY: quarantine.path }) },
  })
  const blob = (place: 'repo' | 'quarantine', text: string): Promise<string> =>
    git(repo.path, ['hash-object', '-w', '--stdin'], { ...into(place), input: text })
  const tree = (place: 'repo' | 'quarantine', lines: readonly string[]): Promise<string> =>
    git(repo.path, ['mktree', '--missing'], { ...into(place), input: lines.map((line) => `${line}\n`).join('') })
  const commit = (place: 'repo' | 'quarantine', of: string, ...parents: string[]): Promise<string> =>
    git(repo.path, ['commit-tree', '-m', String(made++), ...parents.flatMap((oid) => ['-p', oid]), of], into(place))
  const isPlain = (...tips: string[]): Promise<boolean> => isPlainlyConnected(repo, tips, quarantine.path)

  beforeAll(async () => {
    repo = await server.repo('quick')
    quarantine = await repo.quarantine()
    const inner = await tree('repo', [`100644 blob ${await blob('repo', 'deep')}\tdeep`])
    base = await commit(
      'repo',
      await tree('repo', [`100644 blob ${await blob('repo', 'a')}\ta`, `040000 tree ${inner}\tsub`]),
    )
    await git(repo.path, ['update-ref', 'refs/heads/main', base])
  })

  it('sees what is new on top of a ref, commits in a row, merges, tags', async () => {
    const { tree: root } = await repo.objects.commit(base)
    const [, sub] = await repo.objects.tree(root)
    const inner = await tree('quarantine', [
      `100644 blob ${await blob('repo', 'deep')}\tdeep`,
      `100644 blob ${await blob('quarantine', 'new')}\tnew`,
    ])
    const one = await commit('quarantine', await tree('quarantine', [`040000 tree ${inner}\tsub`]), base)
    const two = await commit(
      'quarantine',
      await tree('quarantine', [`040000 tree ${sub!.oid}\tsub`, `100644 blob ${await blob('quarantine', 'b')}\tb`]),
      base,
    )
    const merge = await commit(
      'quarantine',
      await tree('quarantine', [`100644 blob ${await blob('quarantine', 'b')}\tb`, `040000 tree ${inner}\tsub`]),
      one,
      two,
    )
    const tag = await git(repo.path, ['mktag'], {
      ...into('quarantine'),
      input: `object ${merge}\ntype commit\ntag v1\ntagger T <t@example.org> 1 +0000\n\nx\n`,
    })
    expect(await isPlain(base, one, merge, tag)).toBe(true)
    expect(await isPlain(await commit('quarantine', root))).toBe(false) // without a parent nothing says that its old tree is whole
  })

  it('leaves to git what may lead to something that is not there', async () => {
    const { tree: root } = await repo.objects.commit(base)
    const loose = await commit('repo', root, base)
    expect(await isPlain(loose)).toBe(false)
    expect(await isPlain(await commit('quarantine', root, loose))).toBe(false)
    const stray = await blob('repo', 'stray')
    const gone = '1'.repeat(40)
    for (const entry of [`100644 blob ${stray}\tc`, `100644 blob ${gone}\tc`, `040000 tree ${gone}\tsub`]) {
      expect(await isPlain(await commit('quarantine', await tree('quarantine', [entry]), base))).toBe(false)
    }
    expect(await isPlain(gone)).toBe(false)
  })
})

it('takes a push of one commit with one process', async () => {
  const repo = await server.repo('counted')
  const work = join(dir.path, 'counted-work')
  await git(dir.path, ['init', '-q', '-b', 'main', work])
  const commit = async (file: string): Promise<void> => {
    writeFileSync(join(work, file), file)
    await git(work, ['add', '.'])
    await git(work, ['commit', '-qm', file])
  }
  await commit('a')
  await git(work, ['push', '-q', `${server.url}/counted.git`, 'main'])
  await repo.objects.commit((await repo.refs.snapshot()).get('refs/heads/main')!.oid)
  const log = join(dir.path, 'started')
  const wrapper = join(dir.path, 'wrapper')
  const real = (await git(dir.path, ['--exec-path'])).replace(/$/, '/git')
  mkdirSync(wrapper)
  writeFileSync(join(wrapper, 'git'), `#!/bin/sh\necho "$*" >>'${log}'\nexec '${real}' "$@"\n`)
  chmodSync(join(wrapper, 'git'), 0o755)
  writeFileSync(log, '')
  setChildPath(`${wrapper}:${process.env['PATH']}`)
  try {
    await commit('b')
    await git(work, ['push', '-q', `${server.url}/counted.git`, 'main'])
  } finally {
    setChildPath(process.env['PATH']!)
  }
  const started = readFileSync(log, 'utf8').trim().split('\n')
  expect(started).toEqual([expect.stringContaining('unpack-objects')])
  rmSync(log)
  await git(repo.path, ['fsck', '--strict'])
})
