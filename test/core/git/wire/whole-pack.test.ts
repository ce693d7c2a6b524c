import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GitRepo } from '../../../../src/core/git/index.ts'
import { git, tempDir, tryGit } from './client.ts'
import { startWireServer, type WireServer } from './server.ts'

const dir = tempDir()
let server: WireServer
let count = 0

beforeAll(async () => {
  server = await startWireServer({ dir: dir.path, cache: true })
})
afterAll(async () => {
  await server.close()
  dir.remove()
})

/** Answers that had to be computed. */
const computed = (): number => readdirSync(join(dir.path, 'cache')).filter((name) => name.endsWith('.answer')).length
const packsOf = (path: string): string[] =>
  readdirSync(join(path, 'objects/pack')).filter((name) => name.endsWith('.pack'))

interface Place {
  readonly repo: GitRepo
  readonly work: string
  commit(branch: string, bytes?: number): Promise<string>
  push(...refs: string[]): Promise<string>
  clone(...options: string[]): Promise<string>
}

/** Fifty commits of text that hardly compresses, larger than the least that is packed with a bitmap. */
function history(): string {
  const commits = Array.from({ length: 50 }, (_, i) => {
    const text = randomBytes(25_000).toString('hex')
    return `commit refs/heads/main\ncommitter T <t@example.org> ${1_700_000_000 + i} +0000\ndata 3\n${String(i).padStart(3, '0')}\nM 100644 inline f${i}\ndata ${text.length}\n${text}\n`
  })
  return `${commits.join('\n')}\n`
}

/** A repository large enough to be packed with a bitmap: main, a branch ahead of it, a tag. */
async function setUp(format: 'sha1' | 'sha256' = 'sha1'): Promise<Place> {
  const name = `whole${count++}-${format}`
  const repo = await server.repo(name, format)
  const work = join(dir.path, `${name}-work`)
  await git(dir.path, ['init', '-q', '-b', 'main', `--object-format=${format}`, work])
  await git(work, ['remote', 'add', 'origin', `${server.url}/${name}.git`])
  let clones = 0
  const place: Place = {
    repo,
    work,
    async commit(branch, bytes = 2000) {
      const file = randomBytes(6).toString('hex')
      await git(work, ['checkout', '-q', '-B', branch])
      writeFileSync(join(work, file), randomBytes(bytes))
      await git(work, ['add', '.'])
      await git(work, ['commit', '-qm', `${branch} ${file}`])
      return git(work, ['rev-parse', 'HEAD'])
    },
    push: (...refs) => git(work, ['push', '-q', 'origin', ...refs]),
    async clone(...options) {
      const path = join(dir.path, `${name}-${clones++}.git`)
      await git(dir.path, ['clone', '-q', '--bare', ...options, `${server.url}/${name}.git`, path])
      await git(path, ['fsck', '--strict'])
      return path
    },
  }
  await git(work, ['fast-import', '--quiet'], { input: history() })
  await git(work, ['reset', '-q', '--hard'])
  await git(work, ['tag', '-am', 'v1', 'v1'])
  await place.commit('topic')
  await place.push('main', 'topic', 'v1')
  await server.git.maintain(repo, 'full')
  return place
}

describe.each(['sha1', 'sha256'] as const)('clones of a packed %s repository', (format) => {
  it('get its pack as it is, and what has come since', async () => {
    const place = await setUp(format)
    const before = computed()
    expect(packsOf(await place.clone())).toEqual(packsOf(place.repo.path))
    const news = [await place.commit('topic'), await place.commit('fresh', 20_000)]
    await git(place.work, ['tag', '-am', 'v2', 'v2'])
    await place.push('topic', 'fresh', 'v2')
    for (let i = 0; i < 2; i++) {
      const clone = await place.clone()
      expect(await git(clone, ['rev-parse', 'topic', 'fresh'])).toBe(news.join('\n'))
      expect(await git(clone, ['for-each-ref'])).toBe(await git(place.repo.path, ['for-each-ref']))
      expect(
        await git(clone, ['-c', 'transfer.fsckObjects=true', 'cat-file', '--batch-all-objects', '--batch-check']),
      ).toBe(await git(place.repo.path, ['cat-file', '--batch-all-objects', '--batch-check']))
    }
    expect(computed()).toBe(before)
  })
})

describe('clones of a packed repository', () => {
  it('that want nearly all of it get all of it', async () => {
    const place = await setUp()
    const before = computed()
    const clone = await place.clone('--no-tags', '--single-branch', '--branch=topic')
    expect(await git(clone, ['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/topic')
    expect(computed()).toBe(before)
  })

  it('never get what no ref that they see leads to any more', async () => {
    const place = await setUp()
    const secret = await git(place.work, ['rev-parse', 'topic'])
    await place.push(':topic')
    expect((await tryGit(await place.clone(), ['cat-file', '-e', secret])).code).not.toBe(0)
    await place.push(`${secret}:refs/heads/topic`)
    expect((await tryGit(await place.clone(), ['cat-file', '-e', secret])).code).toBe(0)
    await git(place.repo.path, ['update-ref', 'refs/ingot/kept', secret])
    await place.push(':topic')
    expect((await tryGit(await place.clone(), ['cat-file', '-e', secret])).code).not.toBe(0)
  })

  it('that are shallow, partial or of a small part of it get what they ask for', async () => {
    const place = await setUp()
    await git(place.work, ['checkout', '-q', '--orphan', 'alone'])
    await git(place.work, ['rm', '-rqf', '.'])
    await place.commit('alone')
    await place.push('alone')
    await server.git.maintain(place.repo, 'full')
    expect(await git(await place.clone('--depth=1', '--branch=topic'), ['rev-list', '--count', 'topic'])).toBe('1')
    expect(
      await git(await place.clone('--single-branch', '--branch=alone', '--no-tags'), ['count-objects', '-v']),
    ).toMatch(/in-pack: 3\n/)
    const partial = join(dir.path, 'partial.git')
    await git(dir.path, [
      'clone',
      '-q',
      '--bare',
      '--filter=blob:none',
      await git(place.work, ['remote', 'get-url', 'origin']),
      partial,
    ])
    expect(readdirSync(join(partial, 'objects/pack')).some((name) => name.endsWith('.promisor'))).toBe(true)
  })

  it('are computed while there is no such pack', async () => {
    const place = await setUp()
    const record = join(place.repo.path, 'objects/info/whole-pack.json')
    const known = readFileSync(record, 'utf8')
    await place.push(':topic')
    await server.git.maintain(place.repo, 'full')
    const made = readFileSync(record, 'utf8')
    expect(JSON.parse(made).name).not.toBe(JSON.parse(known).name)
    const before = computed()
    for (const text of [known, '{"name":']) {
      writeFileSync(record, text)
      await place.clone()
    }
    expect(computed()).toBe(before + 1)
    await server.git.maintain(place.repo, 'push')
    expect(existsSync(record)).toBe(true)
  })
})
