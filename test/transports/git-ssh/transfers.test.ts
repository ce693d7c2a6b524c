import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Person } from '../../harness/world.ts'
import { git, processesWith, until } from '../../core/git/wire/client.ts'
import { startSshFixture, type SshFixture, type SshKey } from './fixture.ts'
import { MEASURED } from '../../harness/measured.ts'

let ssh: SshFixture
let alice: Person
let key: SshKey
let count = 0

beforeAll(async () => {
  ssh = await startSshFixture()
  alice = await ssh.server.world.user('alice')
  key = await ssh.keyOf(alice)
})
afterAll(() => ssh.close())

async function work(name = `w${count++}`): Promise<string> {
  const path = join(ssh.dir, name)
  await git(ssh.dir, ['init', '-q', '-b', 'main', path])
  return path
}

async function commit(path: string, file: string, content: string | Buffer = `${file} ${count++}\n`): Promise<string> {
  writeFileSync(join(path, file), content)
  await git(path, ['add', '.'])
  await git(path, ['commit', '-qm', file])
  return git(path, ['rev-parse', 'HEAD'])
}

/** A repository with `commits` commits and one tag, pushed over SSH. */
async function pushed(commits = 5): Promise<{ name: string; url: string; path: string; head: string }> {
  const name = `repo${count++}`
  const repo = await ssh.server.world.repo({ owner: alice, name })
  const path = await work()
  let head = ''
  for (let i = 0; i < commits; i++) head = await commit(path, `f${i}`)
  await git(path, ['tag', '-a', 't1', '-m', 't1'])
  await ssh.git(path, key, 'push', '-q', ssh.url(`alice/${name}.git`), 'main', 't1')
  return { name, url: ssh.url(`alice/${name}.git`), path: ssh.server.app.git.path(repo.storage), head }
}

/** Processes of this process, whose test server they serve. */
const ownProcessesWith = (text: string): Promise<number> => processesWith(text, process.pid)

describe('git over SSH', () => {
  it('clones what was pushed in every version of the protocol', async () => {
    const { url, head } = await pushed()
    for (const version of ['0', '1', '2']) {
      const to = join(ssh.dir, `c${count++}`)
      await ssh.git(ssh.dir, key, '-c', `protocol.version=${version}`, 'clone', '-q', url, to)
      expect(await git(to, ['rev-parse', 'HEAD'])).toBe(head)
      expect(await git(to, ['tag'])).toBe('t1')
    }
  })

  it('supports fetches of many rounds, and pushes that change, force and delete', async () => {
    const { url } = await pushed(3)
    const one = join(ssh.dir, `c${count++}`)
    const two = join(ssh.dir, `c${count++}`)
    for (const to of [one, two]) await ssh.git(ssh.dir, key, 'clone', '-q', url, to)
    for (let i = 0; i < 60; i++) await git(two, ['commit', '-q', '--allow-empty', '-m', `local ${i}`])
    const next = await commit(one, 'next')
    await ssh.git(one, key, 'push', '-q', 'origin', 'HEAD:main', 'HEAD:refs/heads/side')
    for (const version of ['0', '2'])
      await ssh.git(two, key, '-c', `protocol.version=${version}`, 'fetch', '-q', 'origin')
    expect(await git(two, ['rev-parse', 'origin/main'])).toBe(next)
    expect((await ssh.tryGit(two, key, 'push', 'origin', 'HEAD:main')).stderr).toContain('rejected')
    await ssh.git(two, key, 'push', '-q', '-f', 'origin', 'HEAD:side')
    const shown = await ssh.tryGit(one, key, 'push', 'origin', ':side')
    expect(shown.stderr).toContain('remote: Processed 1 reference in total')
    expect(await ssh.git(one, key, 'ls-remote', '--heads', 'origin')).toBe(`${next}\trefs/heads/main`)
  })

  it('supports shallow and partial clones and archives', async () => {
    const { url, head } = await pushed()
    const shallow = join(ssh.dir, `c${count++}`)
    await ssh.git(ssh.dir, key, 'clone', '-q', '--depth', '2', url, shallow)
    expect(await git(shallow, ['rev-list', '--count', 'HEAD'])).toBe('2')
    await ssh.git(shallow, key, 'fetch', '-q', '--unshallow')
    expect(await git(shallow, ['rev-list', '--count', 'HEAD'])).toBe('5')
    const partial = join(ssh.dir, `c${count++}`)
    await ssh.git(ssh.dir, key, 'clone', '-q', '--filter=blob:none', url, partial)
    expect(readFileSync(join(partial, 'f4'), 'utf8')).toContain('f4')
    await ssh.git(ssh.dir, key, 'archive', `--remote=${url}`, '-o', join(ssh.dir, 'a.tar'), 'main')
    expect(statSync(join(ssh.dir, 'a.tar')).size).toBeGreaterThan(1000)
    const lost = await ssh.tryGit(ssh.dir, key, 'archive', `--remote=${url}`, head.replace(/.$/, 'z'))
    expect(lost.code).not.toBe(0)
  })

  it('transfers large files both ways and records the use of the key', async () => {
    const { url } = await pushed(1)
    const to = join(ssh.dir, `c${count++}`)
    await ssh.git(ssh.dir, key, 'clone', '-q', url, to)
    const bytes = randomBytes(20 * 1024 * 1024)
    await commit(to, 'big', bytes)
    await ssh.git(to, key, 'push', '-q', 'origin', 'main')
    const again = join(ssh.dir, `c${count++}`)
    await ssh.git(ssh.dir, key, 'clone', '-q', url, again)
    expect(readFileSync(join(again, 'big')).equals(bytes)).toBe(true)
    await ssh.server.app.keyLogins.flush()
    const page = await ssh.server.app.sshKeys.list(alice.user.id, undefined, { page: 1, limit: 10, offset: 0 })
    expect(page.items[0]!.lastUsedAt).toBeGreaterThan(0)
  })

  it(
    'a client that reads nothing uses no memory and blocks no other; killing it leaves nothing',
    MEASURED,
    async () => {
      const { url, path } = await pushed(1)
      const big = await work()
      await commit(big, 'big', randomBytes(30 * 1024 * 1024))
      await ssh.git(big, key, 'push', '-q', url, 'HEAD:refs/heads/big')
      const { GIT_SSH_COMMAND } = ssh.env(key)
      const words = GIT_SSH_COMMAND!.split(' ').slice(1)
      const name = new URL(url).pathname
      const child = spawn(
        'ssh',
        [
          '-p',
          String(ssh.port),
          ...words,
          '-o',
          'SetEnv=GIT_PROTOCOL=version=1',
          'git@127.0.0.1',
          `git-upload-pack '${name}'`,
        ],
        { stdio: ['pipe', 'pipe', 'ignore'] },
      )
      const tip = (await ssh.git(ssh.dir, key, 'ls-remote', url, 'big')).slice(0, 40)
      const line = `want ${tip} side-band-64k\n`
      child.stdin.write(`${(line.length + 4).toString(16).padStart(4, '0')}${line}00000009done\n`)
      await new Promise((resolve) => child.stdout.once('readable', resolve)) // NOTE: reads nothing more: the pipe fills.
      await until('git serves it', async () => (await processesWith(`upload-pack --strict --timeout=600 ${path}`)) > 0)
      const before = process.memoryUsage().rss
      for (let round = 0; round < 20; round++) await ssh.git(ssh.dir, key, 'ls-remote', url)
      expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024)
      expect(await processesWith(path)).toBeGreaterThan(0)
      child.kill('SIGKILL')
      await until('git is gone', async () => (await processesWith(path)) === 0)
    },
  )

  it('an interrupted push leaves neither processes nor quarantines nor refs', async () => {
    const { url, path } = await pushed(1)
    const files = () => readdirSync(path, { recursive: true }).map(String).toSorted()
    const before = files()
    const words = ssh.env(key)['GIT_SSH_COMMAND']!.split(' ').slice(1)
    const child = spawn(
      'ssh',
      ['-p', String(ssh.port), ...words, 'git@127.0.0.1', `git-receive-pack '${new URL(url).pathname}'`],
      { stdio: ['pipe', 'ignore', 'ignore'] },
    )
    const oid = '1'.repeat(40)
    const line = `${'0'.repeat(40)} ${oid} refs/heads/cut\0report-status side-band-64k\n`
    child.stdin.write(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`)
    // 1024 objects are announced; the first is a blob of 1000 bytes that never ends.
    const start = Buffer.from([
      0x50,
      0x41,
      0x43,
      0x4b,
      0,
      0,
      0,
      2,
      0,
      0,
      4,
      0,
      0x80 | (3 << 4) | (1000 & 15),
      1000 >> 4,
    ])
    child.stdin.write(Buffer.concat([start, deflateSync(randomBytes(1000)).subarray(0, 500)]))
    await until('git takes the pack', async () => (await ownProcessesWith('index-pack')) > 0)
    child.kill('SIGKILL')
    await until('git is gone', async () => (await ownProcessesWith('index-pack')) === 0)
    await until('nothing is left', () => {
      try {
        return files().join() === before.join()
      } catch (error) {
        // A directory was deleted while it was read.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
        throw error
      }
    })
    expect(await ssh.git(ssh.dir, key, 'ls-remote', url, 'cut')).toBe('')
  })

  it('is at the address in API responses', async () => {
    const { name } = await pushed(1)
    const { json } = await alice.client.get(`/repos/alice/${name}`)
    expect(json.ssh_url).toBe(ssh.url(`alice/${name}.git`))
    await ssh.git(ssh.dir, key, 'ls-remote', json.ssh_url)
  })
})

describe('an account whose clients stop in the middle of a transfer', () => {
  it('does not keep other accounts from fetching', async () => {
    const bob = await ssh.server.world.user('bob')
    const bobs = await ssh.keyOf(bob)
    const repos = [await pushed(1), await pushed(1), await pushed(1)]
    const words = ssh.env(key)['GIT_SSH_COMMAND']!.split(' ').slice(1)
    const stopped = Array.from({ length: 16 }, (_, index) =>
      spawn(
        'ssh',
        ['-p', String(ssh.port), ...words, 'git@127.0.0.1', `git-upload-pack 'alice/${repos[index % 2]!.name}'`],
        { stdio: ['pipe', 'pipe', 'ignore'] },
      ),
    )
    const ended = stopped.map((child) => new Promise((resolve) => child.on('close', resolve)))
    let begun = 0
    for (const child of stopped) child.stdout.once('data', () => begun++)
    try {
      await until('half of all fetches are of the account', () => begun >= 8)
      const fetched = await ssh.git(ssh.dir, bobs, '-c', 'protocol.version=0', 'ls-remote', repos[2]!.url, 'HEAD')
      expect(fetched).toBe(`${repos[2]!.head}\tHEAD`)
      expect(begun).toBe(8)
    } finally {
      for (const child of stopped) child.kill()
      await Promise.all(ended)
    }
  })
})

describe('a server that stops', () => {
  it('finishes running transfers and accepts no new connection', async () => {
    const other = await startSshFixture()
    const bob = await other.server.world.user('bob')
    const bobs = await other.keyOf(bob)
    await other.server.world.repo({ owner: bob, name: 'r', autoInit: true })
    const words = other.env(bobs)['GIT_SSH_COMMAND']!.split(' ').slice(1)
    const child = spawn('ssh', ['-p', String(other.port), ...words, 'git@127.0.0.1', "git-upload-pack 'bob/r'"], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    const closed = other.close()
    await until(
      'no user may sign in',
      () =>
        new Promise<boolean>((resolve) => {
          const probe = connect(other.port, '127.0.0.1', () => resolve((probe.destroy(), false))).on('error', () =>
            resolve(true),
          )
        }),
    )
    child.stdin.end('0000')
    expect(await ended).toBe(0)
    await closed
  })
})
