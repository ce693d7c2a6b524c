import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git, tempDir, tryGit } from './client.ts'
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

/** A repo with five commits, two branches, a lightweight and an annotated tag and a pull ref. */
async function filled(name: string, format: 'sha1' | 'sha256'): Promise<{ work: string; path: string }> {
  const repo = await server.repo(name, format)
  const work = join(dir.path, `${name}-work`)
  await git(dir.path, ['init', '-q', '-b', 'main', `--object-format=${format}`, work])
  for (let i = 1; i <= 5; i++) {
    writeFileSync(join(work, `file${i}.txt`), `content ${i}\n`.repeat(i))
    await git(work, ['add', '.'])
    await git(work, ['commit', '-qm', `commit ${i}`])
  }
  await git(work, ['branch', 'other', 'HEAD~2'])
  await git(work, ['tag', 'light'])
  await git(work, ['tag', '-a', '-m', 'annotated', 'v1', 'HEAD~1'])
  await git(work, [
    'push',
    '-q',
    repo.path,
    'main',
    'other',
    'light',
    'v1',
    'main:refs/pull/1/head',
    'main:refs/ingot/secret',
  ])
  return { work, path: repo.path }
}

describe.each(['sha1', 'sha256'] as const)('fetching from a %s repo', (format) => {
  const name = format === 'sha1' ? 'fetch' : 'fetch256'
  let work = ''
  let url = ''
  let path = ''
  beforeAll(async () => {
    ;({ work, path } = await filled(name, format))
    url = `${server.url}/${name}.git`
  })

  describe.each(['0', '1', '2'])('with protocol v%s', (version) => {
    const v = ['-c', `protocol.version=${version}`]
    const target = (what: string): string => join(dir.path, `${name}-v${version}-${what}`)

    it('lists refs as git does', async () => {
      const ours = await git(dir.path, [...v, 'ls-remote', '--symref', url])
      const theirs = await git(dir.path, [...v, 'ls-remote', '--symref', path])
      expect(ours).toBe(
        theirs
          .split('\n')
          .filter((line) => !line.includes('refs/ingot/'))
          .join('\n'),
      )
    })

    it('clones', async () => {
      await git(dir.path, [...v, 'clone', '-q', url, target('clone')])
      expect(await git(target('clone'), ['log', '--format=%s'])).toBe(await git(work, ['log', '--format=%s', 'main']))
      expect(await git(target('clone'), ['symbolic-ref', 'HEAD'])).toBe('refs/heads/main')
      expect(await git(target('clone'), ['tag'])).toBe('light\nv1')
      await git(target('clone'), ['fsck', '--strict'])
    })

    it('fetches what is new and pull refs', async () => {
      const before = await git(work, ['rev-parse', 'HEAD~3'])
      await git(dir.path, ['init', '-q', `--object-format=${format}`, target('part')])
      await git(target('part'), ['fetch', '-q', work, `${before}:refs/heads/old`])
      await git(target('part'), [...v, 'fetch', '-q', url, 'main:refs/heads/main', 'refs/pull/1/head:refs/heads/pull'])
      expect(await git(target('part'), ['rev-parse', 'pull'])).toBe(await git(work, ['rev-parse', 'main']))
    })

    it('clones shallow, deepens and unshallows', async () => {
      await git(dir.path, [...v, 'clone', '-q', '--depth=1', url, target('shallow')])
      expect(await git(target('shallow'), ['rev-list', '--count', 'HEAD'])).toBe('1')
      await git(target('shallow'), [...v, 'fetch', '-q', '--deepen=2'])
      expect(await git(target('shallow'), ['rev-list', '--count', 'HEAD'])).toBe('3')
      await git(target('shallow'), [...v, 'fetch', '-q', '--unshallow'])
      expect(await git(target('shallow'), ['rev-list', '--count', 'HEAD'])).toBe('5')
    })

    it('clones partially and fetches blobs when they are needed', async () => {
      await git(dir.path, [...v, 'clone', '-q', '--no-checkout', '--filter=blob:none', url, target('partial')])
      await git(target('partial'), [...v, 'checkout', '-q', 'main'])
      expect(existsSync(join(target('partial'), 'file5.txt'))).toBe(true)
    })

    it('fetches any commit by its id', async () => {
      const id = await git(work, ['rev-parse', 'HEAD~4'])
      await git(dir.path, ['init', '-q', `--object-format=${format}`, target('any')])
      await git(target('any'), [...v, 'fetch', '-q', '--depth=1', url, id])
      expect(await git(target('any'), ['rev-parse', 'FETCH_HEAD'])).toBe(id)
    })

    it('refuses an object that is not there, with the reason', async () => {
      await git(dir.path, ['init', '-q', `--object-format=${format}`, target('missing')])
      const result = await tryGit(target('missing'), [
        ...v,
        'fetch',
        '-q',
        url,
        'ab'.repeat(format === 'sha1' ? 20 : 32),
      ])
      expect(result.code).not.toBe(0)
      expect(result.stderr).toContain('not our ref')
    })
  })

  it('clones an empty repo', async () => {
    await server.repo(`empty-${name}`, format)
    for (const version of ['0', '1', '2']) {
      const target = join(dir.path, `empty-${name}-${version}`)
      await git(dir.path, [
        '-c',
        `protocol.version=${version}`,
        'clone',
        '-q',
        `${server.url}/empty-${name}.git`,
        target,
      ])
      expect(await git(target, ['symbolic-ref', 'HEAD'])).toMatch(/^refs\/heads\/ma/)
    }
  })

  it('accepts compressed request bodies', async () => {
    const target = join(dir.path, `${name}-gzip`)
    await git(dir.path, ['init', '-q', `--object-format=${format}`, target])
    for (let i = 0; i < 60; i++) await git(target, ['commit', '-q', '--allow-empty', '-m', `local ${i}`])
    server.requests.length = 0
    await git(target, ['fetch', '-q', url, 'main'])
    expect(server.requests.some((request) => request.encoding === 'gzip')).toBe(true)
  })
})
