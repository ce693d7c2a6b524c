import { afterAll, beforeAll, expect, it } from 'vitest'
import { sha256Hex } from '../../../src/core/platform/crypto/crypto.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

describeOnBoth('the cargo registry', (kind) => {
  let server: TestServer
  let ann: Person
  let token: string

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
    token = await ann.token('write:package')
    await server.world.org('vault', { owner: ann, visibility: 'private' })
  })
  afterAll(() => server.close())

  const base = (owner = 'ann') => `${server.url}/api/packages/${owner}/cargo`
  async function call(method: string, path: string, body?: Buffer) {
    const answer = await fetch(`${base()}/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      body: body === undefined ? null : new Uint8Array(body),
    })
    return { status: answer.status, text: await answer.text(), headers: answer.headers }
  }
  const length = (count: number): Buffer => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(count)
    return bytes
  }
  const framed = (metadata: string, crate: string): Buffer =>
    Buffer.concat([length(metadata.length), Buffer.from(metadata), length(crate.length), Buffer.from(crate)])
  const publish = (metadata: object, crate = 'crate') =>
    call('PUT', 'api/v1/crates/new', framed(JSON.stringify(metadata), crate))
  const detail = (text: string): string => JSON.parse(text).errors[0].detail

  it('publishes crates and shows them in the sparse index', async () => {
    const dependency = {
      name: 'serde',
      version_req: '^1',
      features: ['derive'],
      optional: true,
      default_features: false,
      target: null,
      kind: 'normal',
      registry: null,
      explicit_name_in_toml: 'other',
    }
    const features = { default: ['std'], std: [], extra: ['dep:other'] }
    const first = await publish({ name: 'Hello-Lib', vers: '1.0.0', deps: [dependency], features, description: 'Says' })
    expect([first.status, JSON.parse(first.text).ok]).toEqual([200, true])
    expect((await publish({ name: 'Hello-Lib', vers: '1.1.0+b1', deps: [], features: {}, links: 'z' })).status).toBe(
      200,
    )
    const again = await publish({ name: 'hello-lib', vers: '1.0.0', deps: [], features: {} })
    expect([again.status, detail(again.text)]).toEqual([409, 'package version already exists'])
    const index = await call('GET', 'he/ll/hello-lib')
    expect(
      index.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        name: 'Hello-Lib',
        vers: '1.0.0',
        deps: [
          {
            name: 'other',
            req: '^1',
            features: ['derive'],
            optional: true,
            default_features: false,
            target: null,
            kind: 'normal',
            registry: null,
            package: 'serde',
          },
        ],
        features: { default: ['std'], std: [] },
        features2: { extra: ['dep:other'] },
        v: 2,
        cksum: sha256Hex('crate'),
        yanked: false,
      },
      {
        name: 'Hello-Lib',
        vers: '1.1.0+b1',
        deps: [],
        features: {},
        links: 'z',
        cksum: sha256Hex('crate'),
        yanked: false,
      },
    ])
    expect((await call('GET', 'api/v1/crates/hello-lib/1.0.0/download')).text).toBe('crate')
    const found = JSON.parse((await call('GET', 'api/v1/crates?q=LIB')).text)
    expect(found).toEqual({
      crates: [{ name: 'Hello-Lib', max_version: '1.1.0+b1', description: '' }],
      meta: { total: 1 },
    })
    expect(JSON.parse((await call('GET', 'api/v1/crates/hello-lib/owners')).text).users).toMatchObject([
      { login: 'ann' },
    ])
  })

  it('marks withdrawn versions, which stay', async () => {
    await publish({ name: 'abc', vers: '0.1.0', deps: [], features: {} })
    const etag = (await call('GET', '3/a/abc')).headers.get('etag')
    const isYanked = async (): Promise<boolean> => JSON.parse((await call('GET', '3/a/abc')).text).yanked
    expect((await call('DELETE', 'api/v1/crates/abc/0.1.0/yank')).status).toBe(200)
    expect(await isYanked()).toBe(true)
    expect((await call('GET', '3/a/abc')).headers.get('etag')).not.toBe(etag)
    expect((await call('GET', 'api/v1/crates/abc/0.1.0/download')).status).toBe(200)
    expect((await call('PUT', 'api/v1/crates/abc/0.1.0/unyank')).status).toBe(200)
    expect(await isYanked()).toBe(false)
    expect((await call('DELETE', 'api/v1/crates/abc/9.0.0/yank')).status).toBe(404)
  })

  it('requires credentials for the configuration of a private owner', async () => {
    expect(JSON.parse((await call('GET', 'config.json')).text)).toEqual({
      dl: `${base()}/api/v1/crates`,
      api: base(),
      'auth-required': false,
    })
    const at = `${base('vault')}/config.json`
    expect((await fetch(at)).status).toBe(401)
    const answer = await fetch(at, { headers: { authorization: `Bearer ${token}` } })
    expect(await answer.json()).toMatchObject({ 'auth-required': true })
  })

  it('refuses bodies that are invalid, and publishes nothing', async () => {
    const whole = framed('{"name":"bad","vers":"1.0.0","deps":[],"features":{}}', 'crate')
    const refused = [
      [framed('{"name":"1bad","vers":"1.0.0"}', 'x'), 400, 'package name is invalid'],
      [framed('{"name":"bad","vers":"1"}', 'x'), 400, 'package version is invalid'],
      [framed('{', 'x'), 400, 'the metadata of the crate are not JSON'],
      [whole.subarray(0, whole.length - 1), 400, 'the crate is not complete'],
      [Buffer.from('ab'), 400, 'the crate is not complete'],
      [length(0xffffffff), 413, 'the metadata of a crate have at most 1048576 bytes'],
    ] as const
    for (const [body, status, message] of refused) {
      const answer = await call('PUT', 'api/v1/crates/new', body)
      expect([answer.status, detail(answer.text)]).toEqual([status, message])
    }
    expect((await call('GET', '3/b/bad')).status).toBe(404)
  })
})
