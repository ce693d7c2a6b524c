import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { rows } from '../../harness/expect.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const INDEX = 'application/vnd.oci.image.index.v1+json'
const digestOf = (text: string, algorithm = 'sha256'): string =>
  `${algorithm}:${createHash(algorithm).update(text).digest('hex')}`

describeOnBoth('the container registry', (kind) => {
  let server: TestServer
  let [ann, bob] = [] as unknown as Person[]
  let now = Date.UTC(2026, 0, 1)

  beforeAll(async () => {
    server = await startServer({ on: kind, clock: { now: () => now } })
    ;[ann, bob] = await Promise.all(['ann', 'bob'].map((name) => server.world.user(name)))
  })
  afterAll(() => server.close())

  const basic = ({ name }: Person): string => `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`

  async function call(
    method: string,
    path: string,
    { by = ann, headers = {}, body }: { by?: Person | string; headers?: Record<string, string>; body?: string } = {},
  ) {
    const authorization = typeof by === 'string' ? by : by === undefined ? '' : basic(by)
    const answer = await fetch(`${server.url}/v2/${path}`, {
      method,
      headers: { ...(authorization !== '' && { authorization }), ...headers },
      body: body ?? null,
    })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const codeOf = (text: string): string => JSON.parse(text).errors[0].code
  const pushBlob = async (image: string, content: string, by = ann): Promise<string> => {
    const digest = digestOf(content)
    const options = { body: content, ...(by && { by }) }
    const answer = await call('POST', `${image}/blobs/uploads/?digest=${digest}`, options)
    expect(answer.status).toBe(201)
    return digest
  }
  const descriptor = (content: string, mediaType = 'application/octet-stream') => ({
    mediaType,
    digest: digestOf(content),
    size: Buffer.byteLength(content),
  })
  const manifestOf = (layers: string[], more: object = {}): string =>
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: descriptor('{}', 'application/vnd.oci.image.config.v1+json'),
      layers: layers.map((layer) => descriptor(layer)),
      ...more,
    })
  const putManifest = (image: string, reference: string, body: string, type = MANIFEST) =>
    call('PUT', `${image}/manifests/${reference}`, { headers: { 'content-type': type }, body })
  const pushImage = async (image: string, tag: string, layer: string, more: object = {}): Promise<string> => {
    for (const content of ['{}', layer]) await pushBlob(image, content)
    const manifest = manifestOf([layer], more)
    expect((await putManifest(image, tag, manifest)).status).toBe(201)
    return digestOf(manifest)
  }
  const versionsOf = async (image: string): Promise<string[]> => {
    const name = image.slice(image.indexOf('/') + 1)
    const answer = await ann!.client.get(`/packages/ann/container/${encodeURIComponent(name)}`)
    return answer.status === 404 ? [] : answer.json.map((one: { version: string }) => one.version)
  }

  it('challenges requests without credentials and gives tokens for credentials and for nobody', async () => {
    const challenge = await call('GET', '', { by: '' })
    expect([challenge.status, codeOf(challenge.text)]).toEqual([401, 'UNAUTHORIZED'])
    expect(challenge.headers.get('www-authenticate')).toBe(
      `Bearer realm="${server.url}/v2/token",service="container_registry",scope="*"`,
    )
    expect(challenge.headers.get('docker-distribution-api-version')).toBe('registry/2.0')
    const token = async (by: Person | string): Promise<string> =>
      `Bearer ${JSON.parse((await call('GET', 'token?service=x', { by })).text).token}`
    expect((await call('GET', '', { by: await token(ann!) })).status).toBe(200)
    await pushImage('ann/open', 'v1', 'layer')
    const anonymous = await token('')
    expect((await call('GET', 'ann/open/manifests/v1', { by: anonymous })).status).toBe(200)
    const write = await call('POST', 'ann/open/blobs/uploads/', { by: anonymous })
    expect([write.status, codeOf(write.text)]).toEqual([401, 'UNAUTHORIZED'])
    const other = await call('POST', 'ann/open/blobs/uploads/', { by: await token(bob!) })
    expect([other.status, codeOf(other.text)]).toEqual([403, 'DENIED'])
    expect((await call('GET', 'token', { by: 'Basic YW5uOndyb25n' })).status).toBe(401)
    expect((await call('GET', '', { by: 'Bearer forged.token.value' })).status).toBe(401)
  })

  it('ends a token with the access token that it was issued for', async () => {
    const value = await ann!.token('write:package')
    const by = `Basic ${Buffer.from(`x:${value}`).toString('base64')}`
    const token = `Bearer ${JSON.parse((await call('GET', 'token', { by })).text).token}`
    expect((await call('GET', '', { by: token })).status).toBe(200)
    const { json } = await ann!.client.get('/users/ann/tokens')
    for (const { id } of json) await ann!.client.delete(`/users/ann/tokens/${id}`)
    expect((await call('GET', '', { by: token })).status).toBe(401)
  })

  it('stores blobs in one request, in chunks in order, and by sha512', async () => {
    const digest = await pushBlob('ann/blobs', 'whole')
    const found = await call('GET', `ann/blobs/blobs/${digest}`, { headers: { range: 'bytes=1-2' } })
    expect([found.status, found.text, found.headers.get('docker-content-digest')]).toEqual([206, 'ho', digest])
    const started = await call('POST', 'ann/blobs/blobs/uploads/')
    const at = started.headers.get('location')!.slice('/v2/'.length)
    const chunk = (range: string, body: string) => call('PATCH', at, { headers: { 'content-range': range }, body })
    expect((await chunk('3-5', 'def')).status).toBe(416)
    expect((await chunk('0-2', 'abc')).headers.get('range')).toBe('0-2')
    const wrong = await chunk('0-2', 'abc')
    expect([wrong.status, wrong.headers.get('range'), codeOf(wrong.text)]).toEqual([416, '0-2', 'BLOB_UPLOAD_INVALID'])
    expect((await call('GET', at)).headers.get('range')).toBe('0-2')
    const bad = await call('PUT', `${at}?digest=${digestOf('else')}`)
    expect([bad.status, codeOf(bad.text)]).toEqual([400, 'DIGEST_INVALID'])
    const sha512 = digestOf('abcdef', 'sha512')
    expect((await call('PUT', `${at}?digest=${sha512}`, { body: 'def' })).status).toBe(201)
    expect((await call('GET', `ann/blobs/blobs/${sha512}`)).text).toBe('abcdef')
    expect((await call('GET', at)).status).toBe(404)
    const whole = digestOf('at once', 'sha512')
    const put = (named: string, body: string) => call('POST', `ann/blobs/blobs/uploads/?digest=${named}`, { body })
    expect((await put(whole, 'at once')).status).toBe(201)
    expect((await call('GET', `ann/blobs/blobs/${whole}`)).text).toBe('at once')
    const next = (await call('POST', 'ann/blobs/blobs/uploads/')).headers.get('location')!.slice('/v2/'.length)
    const lies = [
      ...[digest, whole].map((named) => put(named, 'lie')),
      call('PUT', `${next}?digest=${digest}`, { body: 'lie' }),
    ]
    for (const refused of await Promise.all(lies))
      expect([refused.status, codeOf(refused.text)]).toEqual([400, 'DIGEST_INVALID'])
    expect((await call('PUT', `${next}?digest=${digest}`, { body: 'whole' })).status).toBe(201)
  })

  it('mounts blobs only from images that the caller may read', async () => {
    await server.world.org('vault', { owner: ann!, visibility: 'private' })
    const digest = await pushBlob('vault/inner', 'secret layer')
    const mount = (by: Person, from = '') =>
      call('POST', `${by.name}/copy/blobs/uploads/?mount=${digest}${from}`, { by })
    for (const from of ['', '&from=vault/inner'])
      expect((await mount(bob!, from)).headers.get('docker-upload-uuid')).not.toBeNull()
    expect((await call('HEAD', `bob/copy/blobs/${digest}`, { by: bob! })).status).toBe(404)
    expect((await mount(ann!, '&from=vault/inner')).status).toBe(201)
    expect((await call('GET', `ann/copy/blobs/${digest}`)).text).toBe('secret layer')
  })

  it('refuses manifests that are invalid or name what the image lacks', async () => {
    await pushBlob('ann/strict', '{}')
    const put = async (body: string, type = MANIFEST, reference = 'v1') => {
      const { status, text } = await putManifest('ann/strict', reference, body, type)
      return [status, codeOf(text)]
    }
    expect(await put('[')).toEqual([400, 'MANIFEST_INVALID'])
    expect(await put('{"schemaVersion":1}')).toEqual([400, 'MANIFEST_INVALID'])
    expect(await put(manifestOf(['missing']))).toEqual([404, 'BLOB_UNKNOWN'])
    expect(await put(manifestOf([]), INDEX)).toEqual([400, 'MANIFEST_INVALID'])
    expect(await put(manifestOf([]), MANIFEST, digestOf('else'))).toEqual([400, 'DIGEST_INVALID'])
    expect(await put(manifestOf([]), MANIFEST, '-bad')).toEqual([400, 'MANIFEST_INVALID'])
    const wrongSize = manifestOf([]).replace('"size":2', '"size":3')
    expect(await put(wrongSize)).toEqual([400, 'SIZE_INVALID'])
    const index = JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [descriptor('none', MANIFEST)] })
    expect(await put(index, INDEX)).toEqual([404, 'MANIFEST_BLOB_UNKNOWN'])
    expect((await call('POST', 'ann/Upper/blobs/uploads/')).status).toBe(400)
    expect(await versionsOf('ann/strict')).toEqual([])
  })

  it('shows a version for each tag and for each manifest that nothing else names', async () => {
    const first = await pushImage('ann/app/web', 'v1', 'one')
    expect(await versionsOf('ann/app/web')).toEqual(['v1'])
    const second = await pushImage('ann/app/web', 'v1', 'two')
    expect(await versionsOf('ann/app/web')).toEqual([first, 'v1'])
    const files = await ann!.client.get(`/packages/ann/container/app%2Fweb/v1/files`)
    expect(files.json.map((file: { name: string }) => file.name)).toEqual([
      'manifest.json',
      digestOf('{}').replace(':', '_'),
      digestOf('two').replace(':', '_'),
    ])
    const index = JSON.stringify({
      schemaVersion: 2,
      mediaType: INDEX,
      manifests: [
        { ...descriptor(manifestOf(['one']), MANIFEST), platform: { os: 'linux', architecture: 'amd64' } },
        descriptor(manifestOf(['two']), MANIFEST),
      ],
    })
    expect((await putManifest('ann/app/web', 'multi', index, INDEX)).status).toBe(201)
    expect((await versionsOf('ann/app/web')).toSorted()).toEqual(['multi', 'v1'])
    const named = await call('DELETE', `ann/app/web/manifests/${second}`)
    expect([named.status, codeOf(named.text)]).toEqual([405, 'UNSUPPORTED'])
    expect((await call('DELETE', 'ann/app/web/manifests/v1')).status).toBe(202)
    expect((await call('GET', `ann/app/web/manifests/${second}`)).status).toBe(200)
    expect(await versionsOf('ann/app/web')).toEqual(['multi'])
    expect((await call('DELETE', `ann/app/web/manifests/${digestOf(index)}`)).status).toBe(202)
    expect((await versionsOf('ann/app/web')).toSorted()).toEqual([first, second].toSorted())
  })

  it('reports what was pushed as created, and what was deleted as deleted', async () => {
    const first = await pushImage('ann/told', 'v1', 'one')
    const second = await pushImage('ann/told', 'v1', 'two')
    const index = JSON.stringify({
      schemaVersion: 2,
      mediaType: INDEX,
      manifests: [descriptor(manifestOf(['one']), MANIFEST)],
    })
    await putManifest('ann/told', 'multi', index, INDEX)
    for (const reference of ['v1', digestOf(index), second])
      expect((await call('DELETE', `ann/told/manifests/${reference}`)).status).toBe(202)
    expect(await versionsOf('ann/told')).toEqual([first])
    const events = (await rows(server, 'event')).filter(({ kind: name }) => name.startsWith('package.'))
    const told = events.map((event) => ({ kind: event.kind, ...JSON.parse(event.payload) }))
    expect(told.filter(({ name }) => name === 'told').map((one) => `${one.kind} ${one.version}`)).toEqual([
      'package.created v1',
      'package.created multi',
      'package.deleted v1',
      'package.deleted multi',
      `package.deleted ${second}`,
    ])
  })

  it('deletes tags and manifests with the versions that the API deletes', async () => {
    const digest = await pushImage('ann/gone', 'v1', 'one')
    await pushImage('ann/gone', 'v2', 'two')
    expect((await ann!.client.delete('/packages/ann/container/gone/v1')).status).toBe(204)
    expect((await call('GET', 'ann/gone/manifests/v1')).status).toBe(404)
    expect((await call('GET', `ann/gone/manifests/${digest}`)).status).toBe(404)
    expect(await versionsOf('ann/gone')).toEqual(['v2'])
    expect((await ann!.client.delete('/packages/ann/container/gone')).status).toBe(204)
    expect((await call('GET', 'ann/gone/tags/list')).status).toBe(404)
  })

  it('lists tags, images and referrers by pages', async () => {
    const digest = await pushImage('ann/pages', 'b', 'one')
    for (const tag of ['a', 'c', 'B']) await putManifest('ann/pages', tag, manifestOf(['one']))
    const page = await call('GET', 'ann/pages/tags/list?n=2')
    expect(JSON.parse(page.text)).toEqual({ name: 'ann/pages', tags: ['B', 'a'] })
    expect(page.headers.get('link')).toBe('</v2/ann/pages/tags/list?last=a&n=2>; rel="next"')
    const rest = await call('GET', 'ann/pages/tags/list?n=2&last=a')
    expect([JSON.parse(rest.text).tags, rest.headers.get('link')]).toEqual([['b', 'c'], null])
    const subject = { ...descriptor(manifestOf(['one']), MANIFEST) }
    const more = { subject, artifactType: 'application/x.sbom', annotations: { a: 'b' } }
    const pushed = await putManifest('ann/pages', digestOf(manifestOf([], more)), manifestOf([], more))
    expect([pushed.status, pushed.headers.get('oci-subject')]).toEqual([201, digest])
    const referrers = await call('GET', `ann/pages/referrers/${digest}?artifactType=application/x.sbom`)
    expect(referrers.headers.get('content-type')).toBe(INDEX)
    expect(referrers.headers.get('oci-filters-applied')).toBe('artifactType')
    expect(JSON.parse(referrers.text).manifests).toMatchObject([
      { artifactType: 'application/x.sbom', annotations: { a: 'b' }, digest: digestOf(manifestOf([], more)) },
    ])
    const none = await call('GET', `ann/pages/referrers/${digestOf('unknown')}`)
    expect([none.status, JSON.parse(none.text).manifests]).toEqual([200, []])
    const catalog = JSON.parse((await call('GET', '_catalog?n=1000', { by: bob! })).text).repositories as string[]
    expect(catalog).toContain('ann/pages')
    expect(catalog.filter((name) => name.startsWith('vault/'))).toEqual([])
    const first = await call('GET', '_catalog?n=1')
    const next = await call('GET', first.headers.get('link')!.slice('</v2/'.length).split('>')[0]!)
    expect(JSON.parse(next.text).repositories[0] > JSON.parse(first.text).repositories[0]).toBe(true)
  })

  it('lists no images for a token without the scope', async () => {
    await pushImage('ann/listed', 'v1', 'one')
    const by = `token ${await ann!.token('read:repository')}`
    const refused = await call('GET', '_catalog', { by })
    expect([refused.status, codeOf(refused.text)]).toEqual([403, 'DENIED'])
    expect((await call('GET', '_catalog', { by: `token ${await ann!.token('read:package')}` })).status).toBe(200)
  })

  it('keeps no owner and no name for images whose push was not completed or that were deleted', async () => {
    const club = await server.world.org('club', { owner: ann! })
    expect((await call('POST', `${club.name}/begun/blobs/uploads/`)).status).toBe(202)
    const digest = await pushImage('ann/emptied', 'v1', 'one')
    expect((await call('DELETE', `ann/emptied/manifests/${digest}`)).status).toBe(202)
    const images = async () => (await rows(server, 'package', { type: 'container' })).map(({ name }) => name)
    expect(await images()).toEqual(expect.arrayContaining(['begun', 'emptied']))
    now += 2 * 24 * 60 * 60 * 1000
    await pushImage('ann/open', 'v2', 'new')
    expect((await call('POST', 'ann/continued/blobs/uploads/')).status).toBe(202)
    expect((await call('POST', `${club.name}/begun/blobs/uploads/`)).status).toBe(202)
    const root = await server.world.admin()
    expect((await root.client.post('/admin/cron/clear_container_uploads')).status).toBe(204)
    await server.drain()
    expect(await images()).toEqual(expect.arrayContaining(['begun', 'open', 'continued']))
    expect(await images()).not.toContain('emptied')
    expect((await ann!.client.delete('/orgs/club')).status).toBe(204)
    expect(await images()).not.toContain('begun')
  })

  it('keeps bytes of images and of running uploads in the sweep', async () => {
    await pushImage('ann/swept', 'v1', 'kept layer')
    const started = await call('POST', 'ann/swept/blobs/uploads/')
    const at = started.headers.get('location')!.slice('/v2/'.length)
    await call('PATCH', at, { body: 'half ' })
    await server.app.packageContents.sweep(new AbortController().signal)
    expect((await call('GET', `ann/swept/blobs/${digestOf('kept layer')}`)).text).toBe('kept layer')
    expect((await call('PUT', `${at}?digest=${digestOf('half done')}`, { body: 'done' })).status).toBe(201)
  })
})

it('lists no images for anonymous clients where sign-in is required', async () => {
  const server = await startServer({ settings: { 'service.require_signin_view': 'true' } })
  try {
    const { token } = (await (await fetch(`${server.url}/v2/token`)).json()) as { token: string }
    const answer = await fetch(`${server.url}/v2/_catalog`, { headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(401)
  } finally {
    await server.close()
  }
})
