import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { type FakeUpstream, startUpstream } from './upstreams.ts'

const MINUTE = 60_000
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const digestOf = (text: string, algorithm = 'sha256'): string =>
  `${algorithm}:${createHash(algorithm).update(text).digest('hex')}`
const descriptor = (content: string, mediaType = 'application/octet-stream') => ({
  mediaType,
  digest: digestOf(content),
  size: Buffer.byteLength(content),
})
const manifestOf = (layer: string): string =>
  JSON.stringify({
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: descriptor('{}', 'application/vnd.oci.image.config.v1+json'),
    layers: [descriptor(layer)],
  })
const basicOf = (name: string, password = PASSWORD): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

describeOnBoth('the upstream of a container registry', (kind) => {
  let server: TestServer
  let upstream: FakeUpstream
  let now = Date.parse('2027-01-01T00:00:00Z')
  let count = 0
  let ann: Person

  beforeAll(async () => {
    const settings = { 'packages.upstream_hosts': '127.0.0.1/32' }
    server = await startServer({ on: kind, clock: { now: () => now }, settings })
    upstream = await startUpstream()
  })
  afterAll(async () => {
    await server.close()
    await upstream.close()
  })
  beforeEach(async () => {
    ann = await server.world.user(`ann${count++}`)
    upstream.asked.splice(0)
    upstream.headers.splice(0)
  })

  async function save(more: object = {}): Promise<void> {
    const sent = { url: `${upstream.url}/v2/library`, ...more }
    const { status, text } = await ann.client.put(`/packages/${ann.name}/-/upstreams/container`, sent)
    expect(status, text).toBe(200)
  }
  async function call(method: string, path: string, { at = server, name = ann.name, body = '', type = MANIFEST } = {}) {
    const answer = await fetch(`${at.url}/v2/${name}/${path}`, {
      method,
      headers: { authorization: basicOf(name), ...(body !== '' && { 'content-type': type }) },
      body: body === '' ? null : body,
    })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const statusOf = async (path: string): Promise<number> => (await call('GET', path)).status
  async function push(at: TestServer, name: string, layer: string, image = 'app'): Promise<void> {
    for (const body of ['{}', layer]) {
      const path = `${image}/blobs/uploads/?digest=${digestOf(body)}`
      expect((await call('POST', path, { at, name, body, type: 'application/octet-stream' })).status).toBe(201)
    }
    const pushed = await call('PUT', `${image}/manifests/v1`, { at, name, body: manifestOf(layer) })
    expect(pushed.status, pushed.text).toBe(201)
  }
  /** What the upstream has, by the path below its address. */
  const serve = (files: Readonly<Record<string, string>>): void =>
    upstream.answer(({ url = '' }, response) => {
      const file = files[url.replace('/v2/library/', '')]
      if (file === undefined) response.writeHead(404).end()
      else response.end(file)
    })

  it('serves images of another server, whose tags may move', async () => {
    const other = await startServer({ on: kind })
    await other.world.user('eve')
    await push(other, 'eve', 'layer one')
    await save({ url: `${other.url}/v2/eve` })
    const shown = await call('GET', 'app/manifests/v1')
    expect([shown.status, shown.text, shown.headers.get('content-type')]).toEqual([
      200,
      manifestOf('layer one'),
      MANIFEST,
    ])
    const digest = digestOf(manifestOf('layer one'))
    expect(shown.headers.get('docker-content-digest')).toBe(digest)
    const head = await call('HEAD', `app/manifests/${digest}`)
    expect([head.status, head.headers.get('content-type'), head.headers.get('docker-content-digest')]).toEqual([
      200,
      MANIFEST,
      digest,
    ])
    const blob = await call('GET', `app/blobs/${digestOf('layer one')}`)
    expect([blob.status, blob.text]).toEqual([200, 'layer one'])
    for (const path of ['app/manifests/none', 'none/manifests/v1', `app/blobs/${digestOf('none')}`])
      expect(await statusOf(path)).toBe(404)
    await push(other, 'eve', 'layer two')
    expect((await call('GET', 'app/manifests/v1')).text).toBe(manifestOf('layer one'))
    now += 6 * MINUTE
    expect((await call('GET', 'app/manifests/v1')).text).toBe(manifestOf('layer two'))
    await other.close()
    now += 6 * MINUTE
    expect((await call('GET', 'app/manifests/v1')).text).toBe(manifestOf('layer two'))
    expect((await call('GET', `app/manifests/${digest}`)).text).toBe(manifestOf('layer one'))
    expect((await call('GET', `app/blobs/${digestOf('layer one')}`)).text).toBe('layer one')
  })

  it('is not believed when it sends other bytes than those of the digest', async () => {
    const [layer, manifest] = ['layer', manifestOf('layer')]
    serve({
      [`app/blobs/${digestOf(layer)}`]: 'other bytes',
      [`app/manifests/${digestOf(manifest)}`]: manifestOf('other bytes'),
      [`app/blobs/${digestOf(layer, 'sha512')}`]: layer,
      'app/manifests/page': '<html>no manifest</html>',
      'app/manifests/plain': JSON.stringify({ schemaVersion: 2, manifests: [] }),
    })
    await save()
    expect(await statusOf(`app/blobs/${digestOf(layer)}`)).toBe(503)
    expect(await statusOf(`app/manifests/${digestOf(manifest)}`)).toBe(503)
    expect(await statusOf('app/manifests/page')).toBe(503)
    expect((await call('GET', `app/blobs/${digestOf(layer, 'sha512')}`)).text).toBe(layer)
    const index = 'application/vnd.oci.image.index.v1+json'
    expect((await call('GET', 'app/manifests/plain')).headers.get('content-type')).toBe(index)
    serve({ [`app/blobs/${digestOf(layer)}`]: layer, 'app/manifests/plain': '<html>away</html>' })
    expect((await call('GET', `app/blobs/${digestOf(layer)}`)).text).toBe(layer)
    now += 6 * MINUTE
    const old = await call('GET', 'app/manifests/plain')
    expect([old.status, old.headers.get('content-type')], 'a page replaces no manifest').toEqual([200, index])
  })

  it('is not requested for images of the owner, names that are not allowed and invalid tags', async () => {
    serve({})
    await save({ allow: ['open/*', 'app'] })
    await push(server, ann.name, 'mine')
    const paths = ['app/manifests/v2', `app/blobs/${digestOf('x')}`, 'closed/manifests/v1', 'open/a/tags/list']
    for (const path of paths) expect(await statusOf(path), path).toBe(404)
    for (const path of [
      'open/a/manifests/-x',
      'open/a/manifests/%2e%2e',
      'open/../b/manifests/v1',
      'open/a/blobs/sha256:1',
    ])
      expect([400, 404], path).toContain(await statusOf(path))
    expect(upstream.asked).toEqual([])
    expect(await statusOf('open/a/manifests/v1')).toBe(404)
    expect(upstream.asked).toEqual(['GET /v2/library/open/a/manifests/v1'])
  })

  it('gets its credentials at its own server of tokens, and a server elsewhere does not', async () => {
    const elsewhere = await startUpstream()
    const give = ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
      const given = url === '/token?service=registry&scope=repository%3Aapp%3Apull'
      response.end(JSON.stringify({ token: given ? 'T0KEN' : 'no' }))
    }
    elsewhere.answer(give)
    let realm = `${upstream.url}/token`
    let accepted = 'Bearer T0KEN'
    upstream.answer((request, response) => {
      if (request.url!.startsWith('/token')) return give(request, response)
      if (request.headers.authorization === accepted) return void response.end(manifestOf('layer'))
      const challenge = `Bearer realm="${realm}",service="registry",scope="repository:app:pull"`
      return void response.writeHead(401, { 'www-authenticate': challenge }).end()
    })
    await save({ username: 'me', password: 'S3CRET' })
    expect(await statusOf('app/manifests/v1')).toBe(200)
    const basic = basicOf('me', 'S3CRET')
    expect(upstream.headers.map(({ authorization }) => authorization)).toEqual([basic, basic, 'Bearer T0KEN'])
    expect(upstream.headers.at(-1)!.accept).toContain(MANIFEST)
    realm = `${elsewhere.url}/token`
    expect(await statusOf('app/manifests/v2')).toBe(200)
    expect(elsewhere.headers.map(({ authorization }) => authorization)).toEqual([undefined])
    accepted = 'Bearer other'
    expect(await statusOf('app/manifests/v3')).toBe(404)
    const asked = upstream.asked.length + elsewhere.asked.length
    for (const wrong of [elsewhere.url.replace('127.0.0.1', '127.0.0.2'), 'file:///etc/passwd', 'none']) {
      realm = wrong
      expect(await statusOf('app/manifests/v4'), wrong).toBe(503)
    }
    expect(upstream.asked.length + elsewhere.asked.length).toBe(asked + 3)
    await elsewhere.close()
  })

  it('cannot have a server that it redirects to ask for its credentials', async () => {
    const elsewhere = await startUpstream()
    elsewhere.answer((_, response) =>
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${elsewhere.url}/token"` }).end(),
    )
    upstream.answer((_, response) => response.writeHead(302, { location: `${elsewhere.url}/x` }).end())
    await save({ username: 'me', password: 'S3CRET' })
    expect(await statusOf('app/manifests/v1')).toBe(503)
    expect([elsewhere.asked, elsewhere.headers[0]!.authorization]).toEqual([['GET /x'], undefined])
    await elsewhere.close()
  })
})
