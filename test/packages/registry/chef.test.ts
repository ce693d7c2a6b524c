import { constants, createHash, generateKeyPairSync, type KeyObject, privateEncrypt, sign } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { tarOf } from './archives.ts'

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 3072 })
const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()

interface Signing {
  readonly key?: KeyObject
  readonly user?: string
  readonly version?: '1.0' | '1.1' | '1.2' | '1.3'
  readonly minutesAgo?: number
  /** The path that is signed, where it is not that of the request. */
  readonly path?: string
  readonly method?: string
  /** The file that is sent in place of the signed one. */
  readonly sent?: Buffer
}

/** The headers of mixlib-authentication. */
function signedHeaders(key: KeyObject, path: string, content: Uint8Array, { method = 'GET', ...signing }: Signing) {
  const { version = '1.3', user = 'ann', minutesAgo = 0 } = signing
  const digest = (text: string | Uint8Array): string =>
    createHash(version === '1.3' ? 'sha256' : 'sha1')
      .update(text)
      .digest('base64')
  const timestamp = new Date(Date.now() - minutesAgo * 60_000).toISOString().replace(/\.\d+/, '')
  const contentHash = digest(content)
  const shownUser = version === '1.1' || version === '1.2' ? digest(user) : user
  const lines =
    version === '1.3'
      ? [
          `Method:${method}`,
          `Path:${path}`,
          `X-Ops-Content-Hash:${contentHash}`,
          'X-Ops-Sign:version=1.3',
          `X-Ops-Timestamp:${timestamp}`,
          `X-Ops-UserId:${user}`,
          'X-Ops-Server-API-Version:1',
        ]
      : [
          `Method:${method}`,
          `Hashed Path:${digest(path)}`,
          `X-Ops-Content-Hash:${contentHash}`,
          `X-Ops-Timestamp:${timestamp}`,
          `X-Ops-UserId:${shownUser}`,
        ]
  const text = Buffer.from(lines.join('\n'))
  const hash = { '1.0': undefined, '1.1': undefined, '1.2': 'sha1', '1.3': 'sha256' }[version]
  const signature =
    hash === undefined ? privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, text) : sign(hash, text, key)
  const parts = signature.toString('base64').match(/.{1,60}/g)!
  return {
    'x-ops-sign': version === '1.3' ? 'algorithm=sha256;version=1.3' : `algorithm=sha1;version=${version}`,
    'x-ops-userid': user,
    'x-ops-timestamp': timestamp,
    'x-ops-content-hash': contentHash,
    ...(version === '1.3' && { 'x-ops-server-api-version': '1' }),
    ...Object.fromEntries(parts.map((part, index) => [`x-ops-authorization-${index + 1}`, part])),
  }
}

describeOnBoth('the Chef registry', (kind) => {
  let server: TestServer
  let [ann, bob] = [] as unknown as Person[]
  const key = newKey()
  const other = newKey()

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ;[ann, bob] = await Promise.all(['ann', 'bob'].map((name) => server.world.user(name)))
    expect((await ann!.client.post('/user/keys', { title: 'knife', key: pem(key.publicKey) })).status).toBe(201)
    expect((await bob!.client.post('/user/keys', { title: 'knife', key: pem(other.publicKey) })).status).toBe(201)
  })
  afterAll(() => server.close())

  const PATH = '/api/packages/ann/chef/api/v1'
  async function call(method: string, path: string, signing?: Signing, tarball?: Buffer) {
    const sent = signing?.sent ?? tarball
    const whole = `${PATH}${path}`
    const form = new FormData()
    if (sent !== undefined) {
      form.append('cookbook', '{"category":"Other"}')
      form.append('tarball', new Blob([new Uint8Array(sent)]), 'x.tgz')
    }
    const signed = signing && { method, key: key.privateKey, path: whole.split('?')[0]!, ...signing }
    const answer = await fetch(`${server.url}${whole}`, {
      method,
      ...(sent !== undefined && { body: form }),
      headers: signed ? signedHeaders(signed.key, signed.path, tarball ?? Buffer.alloc(0), signed) : {},
    })
    const text = await answer.text()
    return { status: answer.status, json: text.startsWith('{') ? JSON.parse(text) : text }
  }
  const cookbookOf = async (metadata: object | string, more: Record<string, string> = {}) => {
    const text = typeof metadata === 'string' ? metadata : JSON.stringify(metadata)
    return gzipSync(await tarOf({ 'tool/README.md': 'read', 'tool/metadata.json': text, ...more }))
  }
  const tool = (version: string, more: object = {}) => cookbookOf({ name: 'tool', version, ...more })

  it('takes cookbooks by each version of the signatures and shows them', async () => {
    const dependencies = { apt: '>= 1.0.0' }
    const versions = { '1.0': '1.9.0', '1.1': '1.10.0', '1.2': '1.2.0', '1.3': '0.1' } as const
    for (const [version, ofTool] of Object.entries(versions)) {
      const tarball = await tool(ofTool, { dependencies, description: 'A tool', maintainer: 'Ann' })
      const signing = { version: version as keyof typeof versions }
      const base = `${server.url}${PATH}`
      expect(await call('POST', '/cookbooks', signing, tarball)).toEqual({
        status: 201,
        json: { uri: `${base}/cookbooks/tool` },
      })
    }
    expect((await call('POST', '/cookbooks', {}, await tool('1.9.0'))).status).toBe(409)
    const base = `${server.url}${PATH}/cookbooks/tool`
    const found = (await call('GET', '/cookbooks/tool')).json
    expect(found.latest_version).toBe(`${base}/versions/1.10.0`)
    expect(found.versions).toEqual(['1.10.0', '1.9.0', '1.2.0', '0.1'].map((version) => `${base}/versions/${version}`))
    const newest = (await call('GET', '/cookbooks/tool/versions/1_10_0')).json
    expect(newest).toMatchObject({ version: '1.10.0', dependencies, cookbook: base })
    expect((await call('GET', '/cookbooks/tool/versions/latest')).json).toEqual(newest)
    const file = await fetch(newest.file)
    const sent = await tool('1.10.0', { dependencies, description: 'A tool', maintainer: 'Ann' })
    expect(Buffer.from(await file.arrayBuffer()).equals(sent)).toBe(true)
    expect((await call('GET', '/universe')).json.tool['0.1']).toEqual({
      location_type: 'opscode',
      location_path: `${server.url}${PATH}`,
      download_url: `${base}/versions/0.1/download`,
      dependencies,
    })
    const item = { cookbook_name: 'tool', cookbook_maintainer: 'Ann', cookbook_description: 'A tool', cookbook: base }
    expect((await call('GET', '/cookbooks?start=0&items=5')).json).toEqual({ start: 0, total: 1, items: [item] })
    expect((await call('GET', '/cookbooks?start=1')).json).toEqual({ start: 1, total: 1, items: [] })
    expect((await call('GET', '/search?q=TOO')).json.total).toBe(1)
    expect((await call('GET', '/search?q=none')).json.total).toBe(0)
    expect((await call('GET', '/cookbooks?items=many')).status).toBe(400)
  })

  it('refuses signatures that are not of this request, these minutes, this file or this user', async () => {
    const tarball = await tool('7.0.0')
    const wrong: Signing[] = [
      { key: other.privateKey },
      { key: newKey().privateKey },
      { user: 'nobody' },
      { minutesAgo: 16 },
      { minutesAgo: -16 },
      { path: `${PATH}/cookbooks/tool` },
      { method: 'DELETE' },
      { key: other.privateKey, version: '1.1' },
      { path: `${PATH}/cookbooks/tool`, version: '1.2' },
      { minutesAgo: 16, version: '1.0' },
    ]
    for (const signing of wrong) expect((await call('POST', '/cookbooks', signing, tarball)).status).toBe(401)
    expect((await call('POST', '/cookbooks', undefined, tarball)).status).toBe(401)
    const refused = await call('POST', '/cookbooks', { key: other.privateKey, user: 'bob' }, tarball)
    expect(refused).toEqual({ status: 401, json: { error_messages: ['reqPackageAccess'] } })
    for (const version of ['1.1', '1.3'] as const)
      expect((await call('POST', '/cookbooks', { version, sent: await tool('7.0.1') }, tarball)).status).toBe(400)
    expect((await call('GET', '/cookbooks/tool/versions/7_0_0')).status).toBe(404)
    expect((await call('GET', '/cookbooks/tool/versions/7_0_1')).status).toBe(404)
  })

  it('refuses an invalid cookbook', async () => {
    const hostile = [
      Buffer.from('garbage'),
      gzipSync(await tarOf({ 'metadata.json': '{"name":"tool","version":"8.0.0"}' })),
      gzipSync(await tarOf({ 'tool/metadata.json': '->/etc/passwd' })),
      gzipSync(await tarOf({ 'tool/other.json': '{}' })),
      await cookbookOf('[[['),
      await cookbookOf(`{"name":"tool","version":"8.0.0","x":"${'x'.repeat(2 * 1024 * 1024)}"}`),
      await cookbookOf({ name: '../tool', version: '8.0.0' }),
      await cookbookOf({ name: 'tool', version: '8' }),
      await cookbookOf({ name: 'Tool', version: '8.0.0' }),
      await cookbookOf({ name: 'tool', version: '8.0.0-rc1' }),
      await cookbookOf({ name: 'tool', version: '8.0.0', dependencies: { '../x': '1' } }),
    ]
    for (const tarball of hostile) {
      const { status, json } = await call('POST', '/cookbooks', {}, tarball)
      expect([status, json.error_messages]).toEqual([400, [expect.any(String)]])
    }
    const { json } = await call('GET', '/cookbooks')
    expect(json.items.map((one: { cookbook_name: string }) => one.cookbook_name)).toEqual(['tool'])
  })

  it('deletes versions and cookbooks, and reads those of a private owner by signatures', async () => {
    expect((await call('DELETE', '/cookbooks/tool/versions/0.1')).status).toBe(401)
    expect((await call('DELETE', '/cookbooks/tool/versions/0.1', {})).status).toBe(200)
    expect((await call('DELETE', '/cookbooks/tool/versions/0.1', {})).status).toBe(404)
    await server.world.org('vault', { owner: ann!, visibility: 'private' })
    const path = '/api/packages/vault/chef/api/v1/universe'
    expect((await fetch(`${server.url}${path}`)).status).toBe(401)
    const headers = signedHeaders(key.privateKey, path, Buffer.alloc(0), {})
    const answer = await fetch(`${server.url}${path}`, { headers })
    expect([answer.status, await answer.json()]).toEqual([200, {}])
    expect((await call('DELETE', '/cookbooks/tool', {})).status).toBe(200)
    expect((await call('GET', '/cookbooks/tool')).status).toBe(404)
    expect((await call('GET', '/universe')).json).toEqual({})
    const login = await fetch(`${server.url}${PATH}/cookbooks`, {
      headers: { authorization: `Basic ${btoa(`ann:${PASSWORD}`)}` },
    })
    expect(login.status).toBe(200)
  })
})
