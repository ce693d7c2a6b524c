import { systemActor } from '../../../src/core/access/viewer.ts'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/platform/clock.ts'
import { framed } from '../../../src/core/platform/ssh/signature.ts'
import { row } from '../../harness/expect.ts'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { ed25519Key, keyFromFiles, rsaKey, sha, signRequest, type RequestKey, type Signing } from './signer.ts'

/** The private key of a file of OpenSSH, as PEM. */
function privatePem(file: Buffer): string {
  const key = ssh2.utils.parseKey(file)
  if (key instanceof Error) throw key
  return key.getPrivatePEM()
}

const seconds = (): number => Math.floor(systemClock.now() / 1000)

describeOnBoth('requests signed with an SSH key', (kind) => {
  let server: TestServer
  let alice: Person
  let key: RequestKey

  beforeAll(async () => {
    server = await startServer({ on: kind })
    alice = await server.world.user('alice')
    key = await registered(ed25519Key())
  })
  afterAll(() => server.close())

  async function registered(made: RequestKey): Promise<RequestKey> {
    expect((await alice.client.post('/user/keys', { title: made.fingerprint, key: made.line })).status).toBe(201)
    return made
  }

  interface Answer {
    readonly status: number
    readonly json: Any
  }

  /** Sends what was signed, or with `sent` something else. */
  async function send(
    by: RequestKey,
    path: string,
    signing: Signing = {},
    sent: {
      readonly path?: string
      readonly body?: string
      readonly headers?: Record<string, string>
      readonly method?: string
    } = {},
  ): Promise<Answer> {
    const headers = {
      ...signRequest(by, `/api/v1${path}`, seconds(), signing),
      ...(signing.body !== undefined && { 'content-type': 'application/json' }),
      ...sent.headers,
    }
    const method = sent.method ?? signing.method ?? 'GET'
    const answer = await fetch(`${server.url}/api/v1${sent.path ?? path}`, {
      method,
      headers,
      body: sent.body ?? signing.body ?? null,
    })
    const text = await answer.text()
    return { status: answer.status, json: text.startsWith('{') ? JSON.parse(text) : undefined }
  }
  const statusOf = async (...given: Parameters<typeof send>): Promise<number> => (await send(...given)).status

  it('authenticate with all scopes', async () => {
    expect((await send(key, '/user')).json.login).toBe('alice')
    expect(await statusOf(key, '/user/keys?fingerprint=x%20y&limit=1')).toBe(200)
    expect(await statusOf(key, '/user/repos', { method: 'POST', body: '{"name":"made","private":true}' })).toBe(201)
    expect(await statusOf(key, '/repos/alice/made', { method: 'DELETE' })).toBe(204)
    expect((await alice.client.get(`/user/keys?fingerprint=${encodeURIComponent(key.fingerprint)}`)).json).toHaveLength(
      1,
    )
  })

  it('by keys of ssh-keygen, and by RSA keys with SHA-256 and SHA-512, are accepted', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'ingot-keys-'))
    try {
      for (const [type, more] of [
        ['ed25519', []],
        ['rsa', ['-b', '3072']],
      ] as const) {
        const path = join(dir, type)
        execFileSync('ssh-keygen', ['-q', '-t', type, ...more, '-N', '', '-C', 'alice@laptop', '-f', path])
        const made = await registered(keyFromFiles(readFileSync(`${path}.pub`, 'utf8'), privatePem(readFileSync(path))))
        expect((await send(made, '/user')).json.login, type).toBe('alice')
        const algorithm = type === 'rsa' ? 'rsa-sha2-512' : 'ssh-ed25519'
        expect(
          await statusOf(made, '/user', { frame: (bytes) => Buffer.concat([framed(algorithm), framed(bytes)]) }),
          type,
        ).toBe(200)
      }
    } finally {
      rmSync(dir, { recursive: true })
    }
    for (const hash of ['sha256', 'sha512'] as const)
      expect(await statusOf(await registered(rsaKey(hash)), '/user')).toBe(200)
    expect(await statusOf(await registered(rsaKey('sha1')), '/user'), 'SHA-1').toBe(401)
  })

  it('by unknown accounts or keys are ignored', async () => {
    const unknown = await send(ed25519Key(), '/user')
    expect([unknown.status, unknown.json.message]).toEqual([401, 'token is required'])
    expect(await statusOf(ed25519Key(), '/user', { keyId: key.fingerprint })).toBe(401)
    expect(await statusOf(ed25519Key(), '/version')).toBe(200)
    expect(await statusOf(ed25519Key(), '/user/repos', { method: 'POST', body: '{' })).toBe(401)
    for (const keyId of ['', 'alice', 'SHA256:', key.fingerprint.toLowerCase(), `${key.fingerprint}'--`])
      expect(await statusOf(key, '/user', { keyId }), keyId).toBe(401)
  })

  it('by deploy keys are ignored', async () => {
    const deploy = ed25519Key()
    await alice.client.post('/user/repos', { name: 'deployed' })
    expect((await alice.client.post('/repos/alice/deployed/keys', { title: 'robot', key: deploy.line })).status).toBe(
      201,
    )
    expect(await statusOf(deploy, '/user')).toBe(401)
  })

  it('are valid only for the signed parts of the request', async () => {
    expect(await statusOf(key, '/user', {}, { path: '/user/keys' })).toBe(401)
    expect(await statusOf(key, '/user/keys', {}, { path: '/user/keys?limit=1' })).toBe(401)
    expect(await statusOf(key, '/user/keys/1', {}, { method: 'DELETE' })).toBe(401)
    expect(await statusOf(key, '/user', { headers: { 'x-thing': 'a' } })).toBe(200)
    expect(await statusOf(key, '/user', { headers: { 'x-thing': 'a' } }, { headers: { 'x-thing': 'b' } })).toBe(401)
    expect(await statusOf(key, '/user', { covered: ['(created)'] })).toBe(401)
    expect(await statusOf(key, '/user', { covered: ['(request-target)'] }), 'no time').toBe(401)
    expect(await statusOf(key, '/user', { covered: ['(request-target)', '(created)', 'x-missing'] })).toBe(401)
  })

  it('expire', async () => {
    const now = seconds()
    expect(await statusOf(key, '/user', { created: now - 60, expires: now + 60 })).toBe(200)
    expect(await statusOf(key, '/user', { created: now - 20, expires: now - 1 }), 'over').toBe(401)
    expect(await statusOf(key, '/user', { created: now - 301, expires: now + 1000 }), 'too old, whatever it says').toBe(
      401,
    )
    expect(await statusOf(key, '/user', { created: now - 301, expires: null })).toBe(401)
    expect(await statusOf(key, '/user', { created: now + 120 }), 'of the future').toBe(401)
    const old = new Date((now - 600) * 1000).toUTCString()
    const fresh = new Date(now * 1000).toUTCString()
    const by = (date: string) =>
      statusOf(key, '/user', { created: null, headers: { date }, covered: ['(request-target)', 'date'] })
    expect([await by(fresh), await by(old), await by('yesterday')]).toEqual([200, 401, 401])
  })

  it('are valid only for the signed body', async () => {
    const body = '{"name":"signed"}'
    const post: Signing = { method: 'POST', body }
    const other = await send(key, '/user/repos', post, { body: '{"name":"forged"}' })
    expect([other.status, other.json.message]).toEqual([401, 'token is required'])
    expect(
      await statusOf(key, '/user/repos', post, { body: 'no JSON at all' }),
      'an unknown key with a wrong body gets the same answer',
    ).toBe(401)
    expect(
      await statusOf(key, '/user/repos', { ...post, covered: ['(request-target)', '(created)', '(expires)'] }),
      'digest not signed',
    ).toBe(401)
    expect(await statusOf(key, '/user/repos', { ...post, digest: 'MD5=CY9rzUYh03PK3k6DJie09g==' })).toBe(401)
    expect(
      await statusOf(key, '/user/repos', { ...post, digest: `${sha('SHA-256', body)},${sha('SHA-512', 'other')}` }),
    ).toBe(401)
    for (const name of ['forged', 'signed']) expect((await alice.client.get(`/repos/alice/${name}`)).status).toBe(404)
    expect(
      await statusOf(key, '/user/repos', { ...post, digest: `${sha('SHA-256', body)},${sha('SHA-512', body)}` }),
    ).toBe(201)
    expect(
      await statusOf(key, '/repos/alice/signed', {
        method: 'DELETE',
        digest: sha('SHA-256', 'a body that was taken off'),
      }),
    ).toBe(401)
    const form = 'name=by-form'
    expect(
      await statusOf(
        key,
        '/user/repos',
        { method: 'POST', body: form },
        { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      ),
    ).toBe(201)
    expect(
      await statusOf(
        key,
        '/user/repos',
        { method: 'POST', body: form },
        { body: 'name=other-form', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      ),
    ).toBe(401)
  })

  it('are valid for uploads, which are stored only when complete', async () => {
    expect((await alice.client.post('/user/repos', { name: 'released', auto_init: true })).status).toBe(201)
    const release = await alice.client.post('/repos/alice/released/releases', { tag_name: 'v1' })
    const path = `/repos/alice/released/releases/${release.json.id}/assets`
    const assets = async (): Promise<string[]> =>
      (await alice.client.get(path)).json.map((asset: { name: string }) => asset.name).toSorted()
    const big = 'x'.repeat(3_000_000)
    const raw = { headers: { 'content-type': 'application/octet-stream' } }
    const form = (text: string): string =>
      `--b\r\ncontent-disposition: form-data; name="attachment"; filename="form.txt"\r\n\r\n${text}\r\n--b\r\ncontent-disposition: form-data; name="name"\r\n\r\nlater\r\n--b--\r\n`
    const link = `--b\r\ncontent-disposition: form-data; name="external_url"\r\n\r\nhttps://files.example.test/a\r\n--b\r\ncontent-disposition: form-data; name="name"\r\n\r\nlink\r\n--b--\r\n`
    const multipart = { headers: { 'content-type': 'multipart/form-data; boundary=b' } }
    const forged: [string, string, string, object][] = [
      [`${path}?name=raw.bin`, big, `${big.slice(1)}y`, raw],
      [path, form(big), form(`${big.slice(1)}y`), multipart],
      [path, form('small'), form('SMALL'), multipart],
      [path, link, link.replace('/a', '/b'), multipart],
    ]
    for (const [to, body, other, sent] of forged)
      expect(await statusOf(key, to, { method: 'POST', body }, { ...sent, body: other })).toBe(401)
    expect(await statusOf(ed25519Key(), path, { method: 'POST', body: form('x') }, multipart)).toBe(401)
    expect(
      await statusOf(
        key,
        path,
        { method: 'POST', body: form('x'), covered: ['(request-target)', '(created)'] },
        multipart,
      ),
    ).toBe(401)
    expect(await assets()).toEqual([])
    for (const [to, body, , sent] of forged) expect(await statusOf(key, to, { method: 'POST', body }, sent)).toBe(201)
    expect(await assets()).toHaveLength(4)
  })

  it('yield to tokens, and are valid with a wrong password', async () => {
    const bob = await server.world.user(`bob-${kind}`)
    const token = { authorization: `token ${await bob.token('read:user')}` }
    expect((await send(key, '/user', {}, { headers: token })).json.login).toBe(bob.name)
    const wrong = { authorization: `Basic ${Buffer.from('alice:wrong').toString('base64')}` }
    expect((await send(key, '/user', {}, { headers: wrong })).json.login).toBe('alice')
    expect((await send(ed25519Key(), '/user', {}, { headers: token })).json.login).toBe(bob.name)
    expect(await statusOf(ed25519Key(), '/user', {}, { headers: wrong })).toBe(401)
  })

  it('do not allow changes of tokens and second factors; administrators may use sudo', async () => {
    expect(await statusOf(key, '/users/alice/tokens')).toBe(401)
    expect(await statusOf(key, '/user/two_factor')).toBe(401)
    expect(await statusOf(key, '/user', {}, { headers: { sudo: 'alice' } })).toBe(403)
  })

  it('are refused for a prohibited account', async () => {
    const eve = await server.world.user(`eve-${kind}`)
    const eves = ed25519Key()
    expect((await eve.client.post('/user/keys', { title: 'key', key: eves.line })).status).toBe(201)
    await server.app.users.edit(systemActor, eve.user, { isLoginProhibited: true })
    expect(await statusOf(eves, '/user')).toBe(403)
  })

  it('are recorded as a use of the key, which is verified from then on', async () => {
    const used = await registered(ed25519Key())
    const isVerified = async () =>
      (await alice.client.get('/user/keys')).json.find((one: { title: string }) => one.title === used.fingerprint)
        .verified
    expect(await isVerified()).toBe(false)
    await send(used, '/user')
    await server.app.keyLogins.flush()
    expect((await row(server, 'user_key', { title: used.fingerprint })).last_used_at).toBeGreaterThan(0)
    expect(await isVerified()).toBe(true)
  })

  it('that are malformed are ignored', async () => {
    const good = signRequest(key, '/api/v1/user', seconds())['signature']!
    const broken = [
      '',
      'x',
      ',',
      'keyId=""',
      good.replace('signature=', 'sig='),
      `${good},created=1`,
      good.replace(/signature="[^"]*"/, 'signature="%%%"'),
      good.replace('headers="', 'headers=" '),
      good.replace(/headers="[^"]*"/, `headers="${'(created) '.repeat(50)}"`),
      good.replace(/"$/, ''),
      'a=1,'.repeat(2000),
    ]
    for (const signature of broken) {
      const answer = await fetch(`${server.url}/api/v1/user`, { headers: { signature } })
      expect(answer.status, signature.slice(0, 80)).toBe(401)
    }
    expect((await fetch(`${server.url}/api/v1/user`, { headers: { signature: good } })).status).toBe(200)
  })
})

describe('behind a proxy that strips a path prefix', () => {
  it('the client signs the path that it requests', async () => {
    const server = await startServer()
    try {
      const alice = await server.world.user('alice')
      const key = ed25519Key()
      await alice.client.post('/user/keys', { title: 'key', key: key.line })
      server.app.setRootUrl('https://example.test/git')
      const ask = async (path: string) =>
        (await fetch(`${server.url}/api/v1/user`, { headers: signRequest(key, path, seconds()) })).status
      expect([await ask('/git/api/v1/user'), await ask('/api/v1/user')]).toEqual([200, 401])
    } finally {
      await server.close()
    }
  })
})
