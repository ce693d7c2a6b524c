import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git, tempDir, until } from './client.ts'
import { startWireServer, type WireServer } from './server.ts'

const dir = tempDir()
let server: WireServer

beforeAll(async () => {
  server = await startWireServer({ dir: dir.path, cache: true })
})
afterAll(async () => {
  await server.close()
  dir.remove()
})

const answers = (): number => readdirSync(join(dir.path, 'cache')).filter((name) => name.endsWith('.answer')).length

async function repoWith(name: string, bytes: number): Promise<{ path: string; work: string; url: string }> {
  const repo = await server.repo(name)
  const work = join(dir.path, `${name}-work`)
  await git(dir.path, ['init', '-q', '-b', 'main', work])
  writeFileSync(join(work, 'data'), randomBytes(bytes))
  await git(work, ['add', '.'])
  await git(work, ['commit', '-qm', 'one'])
  await git(work, ['tag', '-am', 'v1', 'v1'])
  await git(work, ['push', '-q', repo.path, 'main', 'v1'])
  return { path: repo.path, work, url: `${server.url}/${name}.git` }
}

describe('answers to identical clones', () => {
  it('are computed once for eight clients at once and for those who come later', async () => {
    const { work, url } = await repoWith('eight', 3_000_000)
    const before = answers()
    await Promise.all(Array.from({ length: 8 }, (_, i) => git(dir.path, ['clone', '-q', url, `eight-${i}`])))
    await git(dir.path, ['clone', '-q', url, 'eight-later'])
    expect(answers() - before).toBe(1)
    const tip = await git(work, ['rev-parse', 'HEAD'])
    for (const i of [0, 7]) expect(await git(join(dir.path, `eight-${i}`), ['rev-parse', 'HEAD'])).toBe(tip)
    await git(join(dir.path, 'eight-later'), ['fsck', '--strict'])
  })

  it('are kept apart by depth, filter and repo, and never stale', async () => {
    const { path, work, url } = await repoWith('kinds', 10_000)
    const before = answers()
    for (const round of ['a', 'b']) {
      await git(dir.path, ['clone', '-q', url, `kinds-${round}`])
      await git(dir.path, ['clone', '-q', '--depth=1', url, `kinds-shallow-${round}`])
      await git(dir.path, ['clone', '-q', '--no-checkout', '--filter=blob:none', url, `kinds-partial-${round}`])
    }
    expect(answers() - before).toBe(3)
    await git(work, ['commit', '-q', '--allow-empty', '-m', 'two'])
    await git(work, ['tag', '-am', 'v2', 'v2'])
    await git(work, ['push', '-q', path, 'main', 'v2'])
    await git(dir.path, ['clone', '-q', url, 'kinds-new'])
    expect(await git(join(dir.path, 'kinds-new'), ['tag'])).toBe('v1\nv2')
    expect(await git(join(dir.path, 'kinds-new'), ['rev-parse', 'HEAD'])).toBe(await git(work, ['rev-parse', 'HEAD']))
  })

  it('are not kept when git refuses, and the next request runs git again', async () => {
    const { url } = await repoWith('refused', 1000)
    const before = answers()
    const body = `0012command=fetch\n0017object-format=sha1\n0001${'0032want '}${'ab'.repeat(20)}\n0009done\n0000`
    for (let i = 0; i < 2; i++) {
      const answer = await fetch(`${url}/git-upload-pack`, {
        method: 'POST',
        body,
        headers: { 'git-protocol': 'version=2' },
      })
      expect(await answer.text()).toContain('not our ref')
    }
    expect(answers()).toBe(before)
  })

  it('are cancelled when no client is waiting for them', async () => {
    const { url } = await repoWith('left', 30_000_000)
    const before = answers()
    const abort = new AbortController()
    const cloning = git(dir.path, ['clone', '-q', url, 'left-clone'], { signal: abort.signal }).catch(() => undefined)
    await until(
      'the answer is on its way',
      () => readdirSync(join(dir.path, 'cache')).filter((name) => name.endsWith('.part')).length > before,
    )
    abort.abort()
    await cloning
    await until('it is over', () => server.active() === 0)
    await until('nothing is left but whole answers', () => {
      const names = readdirSync(join(dir.path, 'cache'))
      return (
        names.filter((name) => name.endsWith('.part')).length ===
        names.filter((name) => name.endsWith('.answer')).length
      )
    })
  })
})

describe('when too many fetch at once', () => {
  it('the others get a progress line that they wait, and then their pack', async () => {
    const own = tempDir()
    const busy = await startWireServer({ dir: own.path, cache: true, upload: { maxFetches: 1, maxFetchesPerKey: 1 } })
    try {
      const names = ['one', 'two', 'three']
      for (const name of names) {
        const repo = await busy.repo(name)
        const work = join(own.path, `${name}-work`)
        await git(own.path, ['init', '-q', '-b', 'main', work])
        writeFileSync(join(work, 'data'), randomBytes(6_000_000))
        await git(work, ['add', '.'])
        await git(work, ['commit', '-qm', name])
        await git(work, ['push', '-q', repo.path, 'main'])
      }
      const fetchOne = async (name: string): Promise<string> => {
        const tip = await git(join(own.path, `${name}-work`), ['rev-parse', 'HEAD'])
        const body = `0012command=fetch\n0017object-format=sha1\n00010032want ${tip}\n0009done\n0000`
        const answer = await fetch(`${busy.url}/${name}.git/git-upload-pack`, {
          method: 'POST',
          body,
          headers: { 'git-protocol': 'version=2' },
        })
        return Buffer.from(await answer.arrayBuffer()).toString('latin1')
      }
      const bodies = await Promise.all(names.map(fetchOne))
      expect(bodies.some((body) => body.includes('Waiting for other transfers'))).toBe(true)
      for (const body of bodies) {
        expect(body.startsWith('000dpackfile\n')).toBe(true)
        expect(body.match(/000dpackfile\n/g)).toHaveLength(1)
        expect(body.endsWith('0000')).toBe(true)
      }
    } finally {
      await busy.close()
      own.remove()
    }
  })
})
