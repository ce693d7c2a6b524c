import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { refusalOf, UPLOADS } from './uploads.ts'

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

const REACHED = 'the packages of ann have reached their quota: delete versions that are not needed'

describeOnBoth('packages of an owner with a quota', (kind) => {
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    server = await startServer({ on: kind, settings: { 'quota.enabled': 'true' } })
    ann = await server.world.user('ann')
    const { client } = await server.world.admin()
    const rule = { name: 'packages', limit: 1000, subjects: ['size:assets:packages:all'] }
    expect((await client.post('/admin/quota/groups', { name: 'small', rules: [rule] })).status).toBe(201)
    expect((await client.post('/admin/users/ann/quota/groups', { groups: ['small'] })).status).toBe(204)
  })
  afterAll(() => server.close())

  const call = (method: string, path: string, body?: string, type = 'application/octet-stream') =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Basic ${btoa(`ann:${PASSWORD}`)}`, 'content-type': type },
      ...(body !== undefined && { body }),
    })
  const generic = (path: string): string => `/api/packages/ann/generic/${path}`
  const versions = async (): Promise<string[]> =>
    (await ann.client.get('/packages/ann')).json.map(
      (one: { name: string; version: string }) => `${one.name} ${one.version}`,
    )

  it('are refused in the form of the client when it is reached in the middle, and nothing half-made is listed', async () => {
    const started = await call('POST', '/v2/ann/app/blobs/uploads/')
    expect(started.status).toBe(202)
    const upload = started.headers.get('location')!
    const layer = 'a layer'
    expect((await call('PATCH', upload, layer)).status).toBe(202)
    expect((await call('PUT', generic('tool/1.0/f'), 'x'.repeat(1001))).status).toBe(201)
    const finished = await call('PUT', `${upload}?digest=${digestOf(layer)}`)
    expect([finished.status, await finished.json()]).toEqual([413, { errors: [{ code: 'DENIED', message: REACHED }] }])
    const refused = await call('PUT', generic('tool/1.0/g'), 'more')
    expect([refused.status, await refused.text()]).toEqual([413, expect.stringContaining('quota')])
    const npm = await call('PUT', '/api/packages/ann/npm/tool', '{}', 'application/json')
    expect([npm.status, await npm.json()]).toEqual([413, { error: expect.stringContaining('quota') }])
    expect(await versions()).toEqual(['tool 1.0'])
    expect((await ann.client.get('/packages/ann/generic/tool/1.0/files')).json).toHaveLength(1)
    expect((await call('DELETE', generic('tool/1.0'))).status).toBe(204)
    expect((await call('PUT', `${upload}?digest=${digestOf(layer)}`)).status).toBe(201)
    const config = {
      mediaType: 'application/vnd.oci.image.config.v1+json',
      digest: digestOf(layer),
      size: layer.length,
    }
    const manifest = JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, config, layers: [] })
    expect((await call('PUT', '/v2/ann/app/manifests/1.0', manifest, MANIFEST)).status).toBe(201)
    expect(await versions()).toEqual(['app 1.0'])
  })

  it('are refused in the form of each client', async () => {
    expect((await call('PUT', generic('full/1.0/f'), 'x'.repeat(1001))).status).toBe(201)
    for (const [type, [method, path]] of Object.entries(UPLOADS)) {
      const answer = await call(method, `/api/packages/ann/${type}${path}`, 'x')
      expect([type, answer.status, await answer.text()]).toEqual([
        type,
        413,
        refusalOf(type, 413, REACHED, 'package_quota_exceeded'),
      ])
    }
    expect(Object.keys(UPLOADS).toSorted()).toEqual(
      server.app.packageTypes.filter((one) => one !== 'container').toSorted(),
    )
    expect((await call('DELETE', generic('full/1.0'))).status).toBe(204)
  })

  it('count layers once that several images of the owner have, also without a manifest', async () => {
    const used = async (): Promise<number> =>
      (await ann.client.get('/user/quota')).json.used.size.assets.packages.all as number
    const before = await used()
    const layer = 'l'.repeat(300)
    const push = async (image: string): Promise<void> => {
      const blobs = `/v2/ann/${image}/blobs`
      expect((await call('POST', `${blobs}/uploads/?digest=${digestOf(layer)}`, layer)).status).toBe(201)
    }
    await push('one')
    expect(await used()).toBe(before + 300)
    await push('two')
    const config = { mediaType: 'application/x.config', digest: digestOf(layer), size: layer.length }
    const manifest = JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, config, layers: [] })
    for (const address of ['one/manifests/1', 'one/manifests/2', 'two/manifests/1'])
      expect((await call('PUT', `/v2/ann/${address}`, manifest, MANIFEST)).status).toBe(201)
    expect(await used()).toBe(before + 300 + manifest.length)
  })

  it('are sent whole to who downloads them while they are deleted', async () => {
    const owner = await server.world.user('bob')
    const headers = { authorization: `Basic ${btoa(`${owner.name}:${PASSWORD}`)}` }
    const address = `${server.url}/api/packages/bob/generic/large/1.0/f`
    const size = 48 * 1024 * 1024
    expect((await fetch(address, { method: 'PUT', headers, body: Buffer.alloc(size, 'x') })).status).toBe(201)
    const answer = await fetch(address)
    const reader = answer.body!.getReader()
    let received = (await reader.read()).value!.length
    expect((await fetch(address, { method: 'DELETE', headers })).status).toBe(204)
    await server.app.packageContents.sweep(new AbortController().signal)
    expect((await fetch(address)).status).toBe(404)
    for (let part = await reader.read(); !part.done; part = await reader.read()) received += part.value.length
    expect(received).toBe(size)
  })
})
