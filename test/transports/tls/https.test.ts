import { execFile, spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git, tempDir } from '../../core/git/wire/client.ts'
import { freePort } from '../../harness/free-port.ts'
import { hasProgram } from '../../harness/gpg.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { certificateFolder, type CertificateFolder, handshake, portOf, send } from './fixture.ts'

let folder: CertificateFolder
let server: TestServer
let alice: Person
let httpPort: number
let dir: ReturnType<typeof tempDir>
beforeAll(async () => {
  dir = tempDir()
  folder = await certificateFolder()
  httpPort = await freePort()
  server = await startServer({
    ssh: true,
    settings: { ...folder.settings, 'tls.http_port': String(httpPort), 'metrics.enabled': 'true' },
  })
  alice = await server.world.user('alice')
})
afterAll(async () => {
  await server.close()
  folder.remove()
  dir.remove()
})

const get = (path: string, headers: Record<string, string> = {}) =>
  send(server.url + path, { ca: folder.authority.pem, headers })
const basic = { authorization: `Basic ${Buffer.from(`alice:${PASSWORD}`).toString('base64')}` }

describe('the HTTPS server', () => {
  it('has an https URL, which its responses contain, and requires browsers to use only HTTPS', async () => {
    expect(server.url).toMatch(/^https:/)
    await server.world.repo({ owner: alice, name: 'urls' })
    const answer = await get('/api/v1/repos/alice/urls')
    expect(JSON.parse(answer.text)).toMatchObject({ clone_url: `${server.url}/alice/urls.git` })
    const transfer = await get('/alice/urls.git/info/refs?service=git-upload-pack')
    const missing = await get('/api/v1/nothing')
    for (const [{ status, headers }, expected] of [
      [answer, 200],
      [transfer, 200],
      [missing, 404],
    ] as const)
      expect({ status, hsts: headers['strict-transport-security'] }).toEqual({
        status: expected,
        hsts: 'max-age=15552000',
      })
  })

  it('sets cookies that browsers send only over HTTPS', async () => {
    const { headers } = await get('/user/login')
    expect(headers['set-cookie']?.join()).toMatch(/^__Host-.*; Secure/)
  })

  it('exports when the certificate expires', async () => {
    const [, value] = /^ingot_certificate_expires_at_seconds (\S+)$/m.exec((await get('/metrics')).text)!
    expect(Math.round((Number(value) * 1000 - Date.now()) / 86_400_000)).toBe(90)
  })

  it.each([
    ['TLS 1.1', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }],
    ['a cipher without authentication of the data', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' }],
    ['HTTP/2 alone', { ALPNProtocols: ['h2'] }],
    ['a challenge that is not running', { ALPNProtocols: ['acme-tls/1'] }],
  ] as const)('refuses %s', async (_, options) => {
    await expect(handshake(server.url, { ca: folder.authority.pem, ...options } as object)).rejects.toThrow(/alert/)
  })

  it.each([
    ['TLS 1.2', { maxVersion: 'TLSv1.2' }, null],
    ['TLS 1.3 and a choice of protocols', { minVersion: 'TLSv1.3', ALPNProtocols: ['h2', 'http/1.1'] }, 'http/1.1'],
  ] as const)('accepts %s', async (_, options, protocol) => {
    const socket = await handshake(server.url, { ca: folder.authority.pem, ...options } as object)
    expect(socket.alpnProtocol || null).toBe(protocol)
    socket.destroy()
  })

  it('ends a connection that speaks HTTP without TLS', async () => {
    const socket = connect(portOf(server.url), '127.0.0.1').on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(await text(socket).catch(() => '')).not.toContain('HTTP')
  })

  it('serves clones and pushes of git', async () => {
    await server.world.repo({ owner: alice, name: 'hello', autoInit: true })
    const url = new URL(`${server.url}/alice/hello.git`)
    Object.assign(url, { username: 'alice', password: PASSWORD })
    const trusting = ['-c', `http.sslCAInfo=${folder.caFile}`]
    await git(dir.path, [...trusting, 'clone', '-q', url.href, 'hello'])
    await git(`${dir.path}/hello`, ['commit', '-q', '--allow-empty', '-m', 'over TLS'])
    await git(`${dir.path}/hello`, [...trusting, 'push', '-q', 'origin', 'HEAD'])
    const { text: commits } = await get('/api/v1/repos/alice/hello/commits', basic)
    expect(JSON.parse(commits)[0].commit.message).toContain('over TLS')
    await expect(git(dir.path, ['clone', '-q', url.href, 'untrusting'])).rejects.toThrow(/certificate/)
  })

  it.skipIf(!hasProgram('curl', '--version'))('serves curl', async () => {
    const run = promisify(execFile)
    const { stdout } = await run('curl', ['-sS', '--cacert', folder.caFile, `${server.url}/api/v1/version`])
    expect(JSON.parse(stdout)).toHaveProperty('version')
  })
})

describe('the redirects of HTTP', () => {
  const plain = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${httpPort}${path}`, { redirect: 'manual', ...init })

  it.each([
    ['/', '/'],
    ['/alice/hello?tab=a%20b&x', '/alice/hello?tab=a%20b&x'],
    ['//evil.test/x', '//evil.test/x'],
    ['/api/v1/version', '/api/v1/version'],
  ])('sends %s to the same path of the root URL', async (path, location) => {
    for (const method of ['GET', 'POST', 'PUT']) {
      const answer = await plain(path, {
        method,
        headers: { 'x-forwarded-host': 'evil.test' },
        ...(method !== 'GET' && { body: 'x' }),
      })
      expect([answer.status, answer.headers.get('location')]).toEqual([308, server.url + location])
    }
  })

  it.each([
    ['GET http://evil.test/a?b HTTP/1.1', '/a?b'],
    ['OPTIONS * HTTP/1.1', '/'],
    ['GET http://evil.test HTTP/1.1', '/'],
  ])('answers %s with an address of the server', async (line, location) => {
    const socket = connect(httpPort, '127.0.0.1')
    socket.write(`${line}\r\nHost: evil.test\r\n\r\n`)
    expect(await text(socket)).toContain(`\r\nlocation: ${server.url}${location}\r\n`)
  })

  it('does not redirect requests of ACME servers', async () => {
    for (const token of ['abc', 'a'.repeat(200), '..%2Faccount.pem'])
      expect((await plain(`/.well-known/acme-challenge/${token}`)).status, token).toBe(token === 'abc' ? 404 : 308)
  })

  it('are followed by git', async () => {
    await server.world.repo({ owner: alice, name: 'moved', autoInit: true })
    await git(dir.path, [
      '-c',
      `http.sslCAInfo=${folder.caFile}`,
      'clone',
      '-q',
      `http://127.0.0.1:${httpPort}/alice/moved.git`,
    ])
    expect(spawnSync('ls', [`${dir.path}/moved`], { encoding: 'utf8' }).stdout).toContain('README')
  })
})

it('a slow handshake ends after the time for headers and delays no other client', async () => {
  const slow = await startServer({ settings: folder.settings, tuning: { http: { receiveTimeoutMs: 1000 } } })
  try {
    const silent = Array.from({ length: 50 }, () => connect(portOf(slow.url), '127.0.0.1'))
    const ended = Promise.all(silent.map((socket) => once(socket.on('error', () => {}).resume(), 'close')))
    const began = performance.now()
    expect((await send(`${slow.url}/api/v1/version`, { ca: folder.authority.pem })).status).toBe(200)
    expect(performance.now() - began).toBeLessThan(900)
    await ended
    expect(performance.now() - began).toBeGreaterThan(900)
  } finally {
    await slow.close()
  }
})
