import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { zipOf } from './zip.ts'

const MEDIA = 'application/vnd.swift.registry.v1'
const MANIFEST = '// swift-tools-version:5.7\nimport PackageDescription\n'

describeOnBoth('the Swift registry', (kind) => {
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
  })
  afterAll(() => server.close())

  const base = () => `${server.url}/api/packages/ann/swift`
  const authorization = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`
  async function get(path: string, media = 'json', headers: Record<string, string> = {}) {
    const answer = await fetch(`${base()}/${path}`, {
      redirect: 'manual',
      headers: { accept: `${MEDIA}+${media}`, ...headers },
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(answer.headers.get('content-version')).toBe('1')
    return { status: answer.status, headers: answer.headers, bytes, json: () => JSON.parse(bytes.toString()) }
  }
  /** Parts without file names, as `swift package-registry publish` sends them. */
  async function publish(
    path: string,
    parts: Readonly<Record<string, Buffer | string>>,
    headers: Record<string, string> = { authorization },
  ) {
    const body = Object.entries(parts).flatMap(([name, content]) => [
      Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/zip\r\n`),
      Buffer.from('Content-Transfer-Encoding: binary\r\n\r\n'),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ])
    const answer = await fetch(`${base()}/${path}`, {
      method: 'PUT',
      headers: { accept: `${MEDIA}+json`, 'content-type': 'multipart/form-data;boundary="b"', ...headers },
      body: new Uint8Array(Buffer.concat([...body, Buffer.from('--b--\r\n')])),
    })
    const text = await answer.text()
    expect(answer.headers.get('content-version')).toBe('1')
    return { status: answer.status, headers: answer.headers, detail: text && JSON.parse(text).detail, text }
  }
  const archiveOf = (more: Readonly<Record<string, string>> = {}) =>
    zipOf({ 'LinkedList/Package.swift': MANIFEST, 'LinkedList/Sources/a.swift': 'let a = 1\n', ...more })

  it('publishes releases with metadata and signature, and lists them, the highest first', async () => {
    const archive = archiveOf()
    const metadata = { repositoryURLs: ['https://git.example.com/mona/LinkedList.git'], author: { name: 'Mona' } }
    const sent = await publish('mona/LinkedList/1.9.0', {
      'source-archive': archive,
      metadata: JSON.stringify(metadata),
    })
    expect([sent.status, sent.text, sent.headers.get('location')]).toEqual([201, '', `${base()}/mona/LinkedList/1.9.0`])
    const signed = await publish(
      'mona/LinkedList/1.10.0',
      { 'source-archive': archive, 'source-archive-signature': 'signature', metadata: JSON.stringify(metadata) },
      { authorization, 'x-swift-package-signature-format': 'cms-1.0.0' },
    )
    expect(signed.status).toBe(201)
    expect(await publish('MONA/linkedlist/1.9.0', { 'source-archive': archive })).toMatchObject({
      status: 409,
      detail: 'package version already exists',
    })
    const url = (version: string) => `${base()}/mona/LinkedList/${version}`
    for (const path of ['mona/LinkedList', 'MONA/linkedlist', 'mona/LinkedList.json']) {
      const list = await get(path)
      expect([list.status, list.headers.get('content-type')]).toEqual([
        200,
        expect.stringMatching(/^application\/json/),
      ])
      expect(list.headers.get('link')).toBe(`<${url('1.10.0')}>; rel="latest-version"`)
      expect(Object.entries(list.json().releases)).toEqual([
        ['1.10.0', { url: url('1.10.0') }],
        ['1.9.0', { url: url('1.9.0') }],
      ])
    }
    const checksum = createHash('sha256').update(archive).digest('hex')
    const signing = {
      signatureBase64Encoded: Buffer.from('signature').toString('base64'),
      signatureFormat: 'cms-1.0.0',
    }
    const newest = await get('mona/LinkedList/1.10.0')
    expect(newest.json()).toEqual({
      id: 'mona.LinkedList',
      version: '1.10.0',
      resources: [{ name: 'source-archive', type: 'application/zip', checksum, signing }],
      metadata,
      publishedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(newest.headers.get('link')).toBe(
      `<${url('1.10.0')}>; rel="latest-version", <${url('1.9.0')}>; rel="predecessor-version"`,
    )
    expect((await get('mona/LinkedList/1.9.0')).headers.get('link')).toContain(
      `<${url('1.10.0')}>; rel="successor-version"`,
    )
    const download = await get('mona/LinkedList/1.10.0.zip', 'zip')
    expect(download.bytes.equals(archive)).toBe(true)
    expect(Object.fromEntries(download.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': expect.stringContaining('filename="LinkedList-1.10.0.zip"'),
      digest: `sha-256=${createHash('sha256').update(archive).digest('base64')}`,
      'x-swift-package-signature': signing.signatureBase64Encoded,
      'x-swift-package-signature-format': 'cms-1.0.0',
    })
    const identifiers = await get('identifiers?url=https://git.example.com/mona/linkedlist')
    expect(identifiers.json()).toEqual({ identifiers: ['mona.LinkedList'] })
    expect((await get('identifiers?url=https://git.example.com/mona/other')).status).toBe(404)
    expect((await get('identifiers')).status).toBe(400)
    await ann.client.delete('/packages/ann/swift/mona.LinkedList/1.10.0')
    expect(Object.keys((await get('mona/LinkedList')).json().releases)).toEqual(['1.9.0'])
    expect((await get('mona/LinkedList/1.10.0.zip', 'zip')).status).toBe(404)
  })

  it('serves the manifest for a version of Swift, and names all of them', async () => {
    const older = '// swift-tools-version: 5\n'
    const archive = archiveOf({
      'LinkedList/Package@swift-5.6.swift': older,
      'LinkedList/Sub/Package@swift-4.swift': older,
    })
    expect((await publish('mona/Tools/1.0.0', { 'source-archive': archive })).status).toBe(201)
    const address = 'mona/Tools/1.0.0/Package.swift'
    const plain = await get(address, 'swift')
    expect([plain.bytes.toString(), plain.headers.get('content-type')]).toEqual([MANIFEST, 'text/x-swift'])
    expect(plain.headers.get('content-disposition')).toContain('filename="Package.swift"')
    expect(plain.headers.get('link')).toBe(
      `<${base()}/${address}?swift-version=5.6>; rel="alternate"; ` +
        'filename="Package@swift-5.6.swift"; swift-tools-version="5.0"',
    )
    expect((await get(`${address}?swift-version=5.6`, 'swift')).bytes.toString()).toBe(older)
    const other = await get(`${address}?swift-version=4`, 'swift')
    expect([other.status, other.headers.get('location')]).toEqual([303, `${base()}/${address}`])
    expect((await get('mona/Tools/9.0.0/Package.swift', 'swift')).status).toBe(404)
  })

  it('checks credentials, rights and the media type of requests', async () => {
    const login = async (headers: Record<string, string>) =>
      (await fetch(`${base()}/login`, { method: 'POST', headers })).status
    expect(await login({})).toBe(401)
    expect(await login({ authorization: 'Bearer wrong' })).toBe(401)
    expect(await login({ authorization: `Bearer ${await ann.token('read:package')}` })).toBe(200)
    const parts = { 'source-archive': archiveOf() }
    expect(await publish('mona/Rights/1.0.0', parts, {})).toMatchObject({ status: 401, detail: 'reqPackageAccess' })
    const eve = await server.world.user('eve')
    const bearer = { authorization: `Bearer ${await eve.token('write:package')}` }
    const refused = await publish('mona/Rights/1.0.0', parts, bearer)
    expect([refused.status, refused.headers.get('content-type')]).toEqual([401, 'application/problem+json'])
    expect(refused.headers.get('www-authenticate')).toMatch(/^Basic/)
    expect((await publish('mona/Rights/1.0.0', parts, { authorization, accept: 'application/json' })).status).toBe(400)
    expect((await get('mona/Rights')).status).toBe(404)
    expect((await publish('mona/Rights/1.0.0', parts)).status).toBe(201)
    for (const [path, accept] of [
      ['mona/Rights', 'application/json'],
      ['mona/Rights', `${MEDIA}`],
      ['mona/Rights/1.0.0', `${MEDIA.replace('v1', 'v2')}+json`],
      ['mona/Rights/1.0.0.zip', `${MEDIA}+json`],
    ] as const) {
      const answer = await get(path, '', { accept })
      expect([answer.status, answer.json()]).toEqual([
        400,
        { status: 400, detail: expect.stringMatching(/^the header Accept is not application\/vnd/) },
      ])
    }
  })

  it('refuses an invalid release, and publishes nothing', async () => {
    const archive = archiveOf()
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`a/Package@swift-${at}.swift`, MANIFEST]))
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    const refused = [
      ['mona/Bad/1.0.0', {}, /no part source-archive/],
      ['mona/Bad/1.0.0', { 'source-archive': 'garbage' }, /not a valid zip/],
      ['mona/Bad/1.0.0', { 'source-archive': archive.subarray(0, 100) }, /not a valid zip/],
      ['mona/Bad/1.0.0', { 'source-archive': zipOf({ 'a/b/Package.swift': MANIFEST }) }, /no Package.swift/],
      ['mona/Bad/1.0.0', { 'source-archive': zipOf({ '../Package.swift': MANIFEST }) }, /not a valid zip/],
      ['mona/Bad/1.0.0', { 'source-archive': zipOf({ 'Package.swift': 'let a' }) }, /swift-tools-version/],
      ['mona/Bad/1.0.0', { 'source-archive': zipOf({ 'Package.swift': Buffer.alloc(200_000) }) }, /131072 bytes/],
      ['mona/Bad/1.0.0', { 'source-archive': zipOf({ 'a/Package.swift': MANIFEST, ...many }) }, /too many manifests/],
      ['mona/Bad/1.0.0', { 'source-archive': archive, metadata: '[]' }, /not a JSON object/],
      ['mona/Bad/1.0.0', { 'source-archive': archive, metadata: '{' }, /not a JSON object/],
      ['mona/Bad/1.0.0', { 'source-archive': archive, metadata: deep(10_000) }, /nested too deeply/],
      // So deep that the process that has read it can send it, and the server end when it receives it.
      ['mona/Bad/1.0.0', { 'source-archive': archive, metadata: deep(2_600) }, /nested too deeply/],
      ['mona/Bad/1.0.0', { 'source-archive': archive, 'source-archive-signature': 's' }, /Signature-Format/],
      ['mona/Bad/1.0', { 'source-archive': archive }, /version is invalid/],
      ['mona/Bad/v1.0.0', { 'source-archive': archive }, /version is invalid/],
      ['mona/Bad_/1.0.0', { 'source-archive': archive }, /name is invalid/],
      ['mo--na/Bad/1.0.0', { 'source-archive': archive }, /name is invalid/],
    ] as const
    for (const [path, parts, message] of refused)
      expect(await publish(path, parts)).toMatchObject({ status: 400, detail: expect.stringMatching(message) })
    const long = { 'source-archive': archive, metadata: JSON.stringify({ description: 'x'.repeat(70_000) }) }
    expect(await publish('mona/Bad/1.0.0', long)).toMatchObject({ status: 413 })
    expect((await get('mona/Bad')).status).toBe(404)
  })
})
