import { randomBytes } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { byHand, objectHead } from './pack-by-hand.ts'
import { git, processesWith, tempDir, tryGit, until } from './client.ts'
import { startWireServer, type WireServer } from './server.ts'
import { MEASURED } from '../../../harness/measured.ts'

const dir = tempDir()
let server: WireServer
let count = 0

beforeAll(async () => {
  server = await startWireServer({ dir: dir.path })
})
afterAll(async () => {
  await server.close()
  dir.remove()
})

const zero = '0'.repeat(40)
const pkt = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text

const { pack, sealed: seal, commitOf, oid } = byHand('sha1')
async function post(name: string, body: Buffer, service = 'git-receive-pack'): Promise<string> {
  const answer = await fetch(`${server.url}/${name}.git/${service}`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'git-protocol': 'version=2' },
  })
  return answer.text()
}

const command = (newOid: string, ref = 'refs/heads/main', caps = 'report-status'): Buffer =>
  Buffer.from(`${pkt(`${zero} ${newOid} ${ref}\0${caps}`)}0000`)

async function expectUntouched(path: string): Promise<void> {
  expect(readdirSync(join(path, 'objects')).sort()).toEqual(['info', 'pack'])
  expect(readdirSync(join(path, 'objects', 'pack'))).toEqual([])
  expect(await git(path, ['for-each-ref'])).toBe('')
}

describe('malicious pushes', () => {
  it('refuses a delta that claims to be huge', async () => {
    const repo = await server.repo(`evil${count}`)
    const base = Buffer.alloc(100_000, 'x')
    // A delta of a few bytes: base size, a result of 8 GiB, copies of the base.
    const size = (value: number): number[] => {
      const bytes = []
      for (let rest = value; ; rest = Math.floor(rest / 128)) {
        if (rest < 128) return [...bytes, rest]
        bytes.push((rest & 127) | 128)
      }
    }
    const delta = Buffer.from([
      ...size(base.length),
      ...size(8 * 1024 ** 3),
      0x80 | 0x10 | 0x20 | 0x40,
      0xff,
      0xff,
      0x00,
    ])
    const ref = Buffer.concat([objectHead(7, delta.length), Buffer.from(oid('blob', base), 'hex'), deflateSync(delta)])
    const bomb = seal([objectHead(3, base.length), deflateSync(base), ref], 2)
    const answer = await post(`evil${count++}`, Buffer.concat([command('ab'.repeat(20)), bomb]))
    expect(answer).toContain('unpacker error')
    await expectUntouched(repo.path)
  })

  it.each([
    ['truncated', (whole: Buffer) => whole.subarray(0, -25)],
    ['corrupted', (whole: Buffer) => Buffer.concat([whole.subarray(0, 20), randomBytes(8), whole.subarray(28)])],
    [
      'empty, with a wrong sum',
      () => Buffer.concat([Buffer.from('PACK'), Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]), Buffer.alloc(20)]),
    ],
  ])('refuses a pack that is %s', async (_, damage) => {
    const repo = await server.repo(`evil${count}`)
    const commit = commitOf(oid('tree', Buffer.alloc(0)))
    const answer = await post(
      `evil${count++}`,
      Buffer.concat([
        command(oid('commit', commit)),
        damage(
          pack([
            ['tree', Buffer.alloc(0)],
            ['commit', commit],
          ]),
        ),
      ]),
    )
    expect(answer).toContain('ng refs/heads/main unpacker error')
    await expectUntouched(repo.path)
  })

  it('refuses history with holes', async () => {
    const repo = await server.repo(`evil${count}`)
    const commit = commitOf('ab'.repeat(20))
    const answer = await post(
      `evil${count++}`,
      Buffer.concat([command(oid('commit', commit)), pack([['commit', commit]])]),
    )
    expect(answer).toMatch(/ng refs\/heads\/main/)
    await expectUntouched(repo.path)
  })

  it.each([
    'HEAD',
    'heads/x',
    'refs/heads/../x',
    'refs/heads/a..b',
    'refs/heads/x.lock',
    'refs/heads/a b',
    'refs/heads/-\u0007',
  ])('refuses the ref name %j', async (ref) => {
    const repo = await server.repo(`evil${count}`)
    const commit = commitOf(oid('tree', Buffer.alloc(0)))
    const answer = await post(
      `evil${count++}`,
      Buffer.concat([
        command(oid('commit', commit), ref),
        pack([
          ['tree', Buffer.alloc(0)],
          ['commit', commit],
        ]),
      ]),
    )
    expect(answer).toContain(`ng ${ref} funny refname`)
    await expectUntouched(repo.path)
  })

  it.each([
    ['nothing', ''],
    ['a lone flush', '0000'],
    ['half a packet', '00'],
    ['no packet', 'zzzz'],
    ['a bad command', `${pkt('hello')}0000`],
    ['no pack', command('ab'.repeat(20)).toString('latin1')],
    ['ids of another format', `${pkt(`${'0'.repeat(64)} ${'1'.repeat(64)} refs/heads/x\0object-format=sha256`)}0000`],
    [
      'too many options',
      `${pkt(`${zero} ${'1'.repeat(40)} refs/heads/x\0push-options`)}0000${pkt('o').repeat(200)}0000`,
    ],
  ])('answers %s calmly', async (_, body) => {
    const name = `evil${count++}`
    const repo = await server.repo(name)
    for (const service of ['git-receive-pack', 'git-upload-pack'])
      await post(name, Buffer.from(body, 'latin1'), service)
    await expectUntouched(repo.path)
    expect(server.active()).toBe(0)
  })
})

describe('clients that leave', () => {
  it('in the middle of a push leave no process and no file', async () => {
    const name = `gone${count++}`
    const repo = await server.repo(name)
    const objects = Array.from({ length: 300 }, () => ['blob', randomBytes(4000)] as const)
    const body = Buffer.concat([command('ab'.repeat(20)), pack(objects)])
    const request = httpRequest(`${server.url}/${name}.git/git-receive-pack`, { method: 'POST' })
    request.on('error', () => {})
    request.write(body.subarray(0, 600_000))
    await until('a quarantine is filled', () =>
      readdirSync(join(repo.path, 'objects')).some((entry) => entry.startsWith('tmp_')),
    )
    request.destroy()
    await until('the push is over', () => server.active() === 0)
    await until('no process is left', async () => (await processesWith(repo.path)) === 0)
    await expectUntouched(repo.path)
  })

  it('in the middle of a clone leave no process', async () => {
    const { name, path } = await large()
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.write(await cloneRequest(name, path))
    await until('the pack flows', () => socket.bytesRead > 100_000 || socket.readableLength > 10_000)
    expect(server.active()).toBeGreaterThan(0)
    socket.destroy()
    await until('the clone is over', () => server.active() === 0)
    await until('no process is left', async () => (await processesWith(path)) === 0)
  })

  it('or read nothing do not fill the memory', MEASURED, async () => {
    const { name, path } = await large()
    const before = process.memoryUsage.rss()
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.pause()
    socket.write(await cloneRequest(name, path))
    await until('git waits for the client', async () => (await processesWith(path)) > 0)
    const start = performance.now()
    let peak = 0
    await until('time passes', () => {
      peak = Math.max(peak, process.memoryUsage.rss())
      return performance.now() - start > 1500
    })
    expect(peak - before).toBeLessThan(25 * 1024 * 1024)
    socket.destroy()
    await until('no process is left', async () => (await processesWith(path)) === 0)
  })
})

let cached: { name: string; path: string } | undefined

/** A repo of 40 MB that does not compress. */
async function large(): Promise<{ name: string; path: string }> {
  if (cached) return cached
  const name = `large${count++}`
  const repo = await server.repo(name)
  const work = join(dir.path, `${name}-work`)
  await git(dir.path, ['init', '-q', '-b', 'main', work])
  for (let i = 0; i < 5; i++) writeFileSync(join(work, `f${i}`), randomBytes(8_000_000))
  // Stored whole and in one pack, so that sending it is copying it.
  const whole = ['-c', 'core.bigFileThreshold=1m']
  await git(work, [...whole, 'add', '.'])
  await git(work, [...whole, 'commit', '-qm', 'large'])
  await git(repo.path, ['fetch', '-q', work, 'main:main'])
  await git(repo.path, [...whole, 'repack', '-adq'])
  cached = { name, path: repo.path }
  return cached
}

async function cloneRequest(name: string, path: string): Promise<string> {
  const tip = await git(path, ['rev-parse', 'main'])
  const body = `${pkt('command=fetch\n')}${pkt('object-format=sha1\n')}0001${pkt(`want ${tip}\n`)}${pkt('done\n')}0000`
  const head = `POST /${name}.git/git-upload-pack HTTP/1.1\r\nHost: x\r\nGit-Protocol: version=2\r\nContent-Length: ${body.length}\r\n\r\n`
  return head + body
}

it('combines a few filters of a fetch and refuses many, because each one takes memory of git', async () => {
  const name = `filters${count++}`
  const repo = await server.repo(name)
  const work = join(dir.path, `${name}-work`)
  await git(dir.path, ['init', '-q', '-b', 'main', work])
  await git(work, ['commit', '-q', '--allow-empty', '-m', 'c'])
  await git(work, ['push', '-q', `${server.url}/${name}.git`, 'main'])
  const tip = await git(repo.path, ['rev-parse', 'main'])
  const ask = async (version: number, body: string): Promise<string> => {
    const headers = { 'git-protocol': `version=${version}` }
    const answer = await fetch(`${server.url}/${name}.git/git-upload-pack`, { method: 'POST', headers, body })
    return answer.text()
  }
  const combined = (parts: number): string => `filter combine:${'tree:1+'.repeat(parts - 1)}tree:1\n`
  const v2 = (parts: number, before = ''): Promise<string> =>
    ask(2, `${pkt('command=fetch\n')}0001${before}${pkt(`want ${tip}\n`)}${pkt(combined(parts))}${pkt('done\n')}0000`)
  expect(await v2(2)).toContain('packfile')
  expect(await v2(100)).toContain('ERR too many filters are combined')
  const beyondBuffer = pkt(`have ${'a'.repeat(40)}\n`).repeat(22_000)
  expect(await v2(100, beyondBuffer)).toContain('ERR too many filters are combined')
  const v0 = `${pkt(`want ${tip} filter\n`)}${pkt(combined(2))}0000${pkt('done\n')}`
  expect(await ask(0, v0)).toMatch(/^....ERR |filter 'combine' not supported/)
  await until('no process is left', async () => (await processesWith(repo.path)) === 0)
})

describe('shallow clients', () => {
  it('push onto what the server has, and not what it lacks', async () => {
    const name = `shallow${count++}`
    const repo = await server.repo(name)
    const url = `${server.url}/${name}.git`
    const work = join(dir.path, `${name}-work`)
    await git(dir.path, ['init', '-q', '-b', 'main', work])
    for (let i = 0; i < 3; i++) await git(work, ['commit', '-q', '--allow-empty', '-m', `c${i}`])
    await git(work, ['push', '-q', url, 'main'])
    const clone = join(dir.path, `${name}-clone`)
    await git(dir.path, ['clone', '-q', '--depth=1', url, clone])
    await git(clone, ['commit', '-q', '--allow-empty', '-m', 'on top'])
    await git(clone, ['push', '-q', 'origin', 'main'])
    expect(await git(repo.path, ['rev-list', '--count', 'main'])).toBe('4')
    await server.repo(`${name}-other`)
    const { code, stderr } = await tryGit(clone, ['push', `${server.url}/${name}-other.git`, 'main'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('shallow update not allowed')
  })
})
