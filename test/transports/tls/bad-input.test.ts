import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { KeyPair } from '../../../src/core/http/tls/certificate.ts'
import { loadConfig } from '../../../src/core/config/index.ts'
import { freePort } from '../../harness/free-port.ts'
import { makeDataDir, runCommand, serveHere, type Folder, temporaryFolder } from '../../harness/process.ts'
import { certificateFolder, type CertificateFolder, serialIn, serialOf } from './fixture.ts'

let folder: CertificateFolder
let data: Folder
let good: KeyPair
beforeAll(async () => {
  folder = await certificateFolder()
  data = temporaryFolder()
  makeDataDir(join(data.path, 'data'))
  good = await folder.authority.issue()
})
afterAll(() => {
  folder.remove()
  data.remove()
})
beforeEach(() => folder.write(good))

const options = (settings: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries({ ...folder.settings, ...settings }).flatMap(([name, value]) => ['--set', `${name}=${value}`])
const run = (command: string, settings: Readonly<Record<string, string>> = {}) =>
  runCommand([command, '--data-dir', join(data.path, 'data'), ...options({ 'log.level': 'error', ...settings })])

const encrypted = (key: string): string =>
  createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString()
const otherKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()

describe('a certificate that cannot be used', () => {
  it.each<[string, (pair: KeyPair) => Partial<KeyPair>, RegExp]>([
    ['is another file', () => ({ cert: 'x' }), /cert\.pem and .*key\.pem: there is no certificate in PEM form/],
    ['is empty', () => ({ cert: '' }), /there is no certificate in PEM form/],
    ['has no key', () => ({ key: '' }), /there is no private key in PEM form/],
    ['has the certificate as its key', ({ cert }) => ({ key: cert }), /there is no private key in PEM form/],
    ['has the key of another one', () => ({ key: otherKey() }), /the private key does not belong to the \(first\)/],
    ['has an encrypted key', ({ key }) => ({ key: encrypted(key) }), /the private key is encrypted: .*openssl pkey/],
  ])('%s: the start fails with a message', async (_, alter, message) => {
    folder.write(alter(good))
    const { code, stderr } = await run('serve')
    expect(stderr).toMatch(message)
    expect(code).toBe(1)
    expect((await run('doctor')).stdout).toMatch(message)
  })

  it('is missing or unreadable: the start fails with a message', async () => {
    const missing = join(folder.path, 'missing.pem')
    expect((await run('serve', { 'tls.key_file': missing })).stderr).toMatch(/missing\.pem: ENOENT/)
    expect((await run('serve', { 'tls.cert_file': folder.path })).stderr).toMatch(/EISDIR/)
  })
})

describe('settings that contradict each other', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ['a certificate without a key', { 'tls.key_file': '' }, /tls\.cert_file needs tls\.key_file/],
    ['a key without a certificate', { 'tls.cert_file': '' }, /tls\.key_file needs tls\.cert_file/],
    ['files and ACME', { 'tls.acme': 'true' }, /tls\.acme and tls\.cert_file exclude each other/],
    ['an http URL', { 'server.root_url': 'http://git.test' }, /must begin with https/],
    ['one port for both', { 'server.port': '7', 'tls.http_port': '7' }, /must differ/],
  ])('%s: the start fails with a message', async (_, settings, message) => {
    const { code, stderr } = await run('serve', settings)
    expect(stderr).toMatch(message)
    expect(code).toBe(1)
  })

  it.each<[string, Record<string, string>, RegExp]>([
    ['no name', {}, /set server\.root_url to https:\/\/NAME, or tls\.acme_domains/],
    ['an address', { 'server.root_url': 'https://192.0.2.1' }, /host names only, not for 192\.0\.2\.1/],
    ['an IPv6 address', { 'server.root_url': 'https://[2001:db8::1]' }, /host names only/],
    ['a wildcard', { 'tls.acme_domains': '*.git.test' }, /a list of strings that match/],
    ['an upper case name', { 'tls.acme_domains': 'Git.test' }, /a list of strings that match/],
    ['http', { 'server.root_url': 'https://git.test', 'tls.acme_directory': 'http://acme.test' }, /\^https:/],
    ['no address of mail', { 'server.root_url': 'https://git.test', 'tls.acme_email': 'me' }, /acme_email is "me"/],
  ])('ACME for %s: the start fails with a message', async (_, settings, message) => {
    const { code, stderr } = await run('serve', {
      'tls.cert_file': '',
      'tls.key_file': '',
      'tls.acme': 'true',
      ...settings,
    })
    expect(stderr).toMatch(message)
    expect(code).not.toBe(0)
  })
})

it('a redirect port that is taken: the start fails with a message that names its setting', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { code, stderr } = await run('serve', { 'tls.http_port': String(port) })
  server.close()
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(new RegExp(`port ${port} of 127\\.0\\.0\\.1 is in use .*tls\\.http_port`)),
  ])
})

describe('a certificate that clients refuse', () => {
  it.each<[string, object, RegExp]>([
    ['has expired', { from: -30, to: -1 }, /expired at/],
    ['is of the future', { from: 1, to: 30 }, /not valid before .* or the clock is wrong/],
    ['is for other names', { names: ['a.test', 'b.test'] }, /is for a\.test, b\.test, not for git\.test/],
  ])('%s: it is served, and the doctor reports it', async (_, issue, message) => {
    const pair = await folder.authority.issue({ names: ['git.test'], ...issue })
    folder.write(pair)
    const settings = { 'server.root_url': 'https://git.test' }
    const port = String(await freePort())
    const server = await serveHere(join(data.path, 'data'), [
      ...options({ ...settings, 'log.level': 'error' }),
      '--port',
      port,
    ])
    expect(server.url).toBe('https://git.test')
    expect(await serialOf(`https://127.0.0.1:${port}`)).toBe(serialIn(pair.cert))
    await server.stop()
    const { code, stdout } = await run('doctor', settings)
    expect(stdout).toMatch(message)
    expect(code).toBe(1)
  })
})

it('the doctor reports for how long a good certificate is valid', async () => {
  folder.write(await folder.authority.issue({ names: ['git.test', 'code.test'] }))
  const { stdout } = await run('doctor', { 'server.root_url': 'https://git.test' })
  expect(stdout).toContain('note  for git.test, code.test: valid for another 89 days')
})

it('two lines are enough: the address and the ports follow', () => {
  const file = join(folder.path, 'two.toml')
  writeFileSync(file, 'server.root_url = "https://git.test"\ntls.acme = true\n')
  expect(loadConfig({ file }).server).toMatchObject({ host: '0.0.0.0', port: 443 })
  const flags = { 'server.host': '127.0.0.1', 'server.port': '3000' }
  expect(loadConfig({ file, flags }).server).toMatchObject({ host: '127.0.0.1', port: 3000 })
  expect(loadConfig({ flags: { 'tls.cert_file': 'x' } }).server.port).toBe(443)
  expect(loadConfig().server).toMatchObject({ host: '127.0.0.1', port: 3000 })
})
