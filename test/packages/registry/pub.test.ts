import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { tarOf } from './archives.ts'

const JSON_TYPE = 'application/vnd.pub.v2+json'

describeOnBoth('the pub registry', (kind) => {
  let server: TestServer
  let ann: Person
  let token: string

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
    token = await ann.token('write:package')
    await server.world.org('guild', { owner: ann, visibility: 'private' })
  })
  afterAll(() => server.close())

  const base = (owner = 'ann') => `${server.url}/api/packages/${owner}/pub`
  /** Headers that `dart pub` sends. */
  const asClient = (sent: string): Record<string, string> => ({
    accept: JSON_TYPE,
    'user-agent': 'Dart pub 3.5.0',
    ...(sent !== '' && { authorization: `Bearer ${sent}` }),
  })
  async function get(url: string, sent = '') {
    const answer = await fetch(url, { headers: asClient(sent) })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const { status, headers } = answer
    return { status, headers, bytes, json: () => JSON.parse(bytes.toString()) }
  }
  const archiveOf = async (pubspec: string | Buffer) =>
    gzipSync(await tarOf({ 'lib/tool.dart': 'void main() {}', 'pubspec.yaml': pubspec }))
  async function upload(file: Buffer, { sent = token, field = 'file', owner = 'ann' } = {}) {
    const form = new FormData()
    form.append(field, new Blob([new Uint8Array(file)]), 'package.tar.gz')
    const url = `${base(owner)}/api/packages/versions/new/upload`
    const answer = await fetch(url, { method: 'POST', headers: asClient(sent), body: form })
    return { status: answer.status, text: await answer.text(), headers: answer.headers }
  }
  const pubspec = (version: string, more = '') => `name: tool\nversion: ${version}\n${more}`

  it('publishes in the three steps of the client', async () => {
    const first = await get(`${base()}/api/packages/versions/new`, token)
    expect([first.status, first.headers.get('content-type')]).toEqual([200, JSON_TYPE])
    expect(first.json()).toEqual({ url: `${base()}/api/packages/versions/new/upload`, fields: {} })
    const file = await archiveOf(pubspec('1.0.0+1', 'dependencies:\n  base: ^1.2.0\nenvironment: {sdk: ^3.0.0}\n'))
    const sent = await upload(file)
    expect([sent.status, sent.text]).toEqual([204, ''])
    const location = sent.headers.get('location')!
    expect(location).toBe(`${base()}/api/packages/versions/new/finalize/tool/1.0.0%2B1`)
    expect((await get(location, token)).json()).toEqual({ success: { message: 'Published tool 1.0.0+1.' } })
    expect((await get(location.replace('1.0.0', '1.0.1'), token)).status).toBe(404)
    const again = await upload(file)
    expect([again.status, JSON.parse(again.text)]).toEqual([
      409,
      { error: { code: 'package_version_exists', message: 'package version already exists' } },
    ])
    const shown = await get(`${base()}/api/packages/tool`)
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, JSON_TYPE])
    const version = {
      version: '1.0.0+1',
      pubspec: { name: 'tool', version: '1.0.0+1', dependencies: { base: '^1.2.0' }, environment: { sdk: '^3.0.0' } },
      archive_url: `${base()}/api/packages/tool/files/1.0.0%2B1.tar.gz`,
      archive_sha256: createHash('sha256').update(file).digest('hex'),
      published: expect.stringMatching(/^\d{4}-.*Z$/),
    }
    expect(shown.json()).toEqual({ name: 'tool', latest: version, versions: [version] })
    for (const path of ['1.0.0%2B1', 'versions/1.0.0%2B1'])
      expect((await get(`${base()}/api/packages/tool/${path}`)).json()).toEqual(version)
    for (const url of [version.archive_url, `${base()}/packages/tool/versions/1.0.0%2B1.tar.gz`])
      expect((await get(url)).bytes.equals(file)).toBe(true)
  })

  it('lists versions in their order; the latest is a release if there is one', async () => {
    const show = async () => (await get(`${base()}/api/packages/order`)).json()
    for (const version of ['2.0.0-dev.1', '1.10.0', '1.9.0', '1.10.0+2'])
      expect((await upload(await archiveOf(`name: order\nversion: ${version}\n`))).status).toBe(204)
    const all = await show()
    expect(all.versions.map((one: { version: string }) => one.version)).toEqual([
      '1.9.0',
      '1.10.0',
      '1.10.0+2',
      '2.0.0-dev.1',
    ])
    expect(all.latest.version).toBe('1.10.0+2')
    for (const version of ['1.9.0', '1.10.0', '1.10.0+2'])
      await ann.client.delete(`/packages/ann/pub/order/${encodeURIComponent(version)}`)
    expect((await show()).latest.version).toBe('2.0.0-dev.1')
    const etag = (await get(`${base()}/api/packages/order`)).headers.get('etag')!
    const unchanged = await fetch(`${base()}/api/packages/order`, { headers: { 'if-none-match': etag } })
    expect(unchanged.status).toBe(304)
  })

  it('answers 401 to unknown tokens and 403 to known ones without rights, so that the client keeps these', async () => {
    const eve = await (await server.world.user('eve')).token('write:package')
    expect((await upload(await archiveOf('name: secret\nversion: 1.0.0\n'), { owner: 'guild' })).status).toBe(204)
    const status = async (url: string, sent?: string) => {
      const answer = await get(url, sent)
      const challenge = answer.headers.get('www-authenticate')
      if (answer.status !== 200) expect(challenge).toMatch(/^Bearer realm="pub", message="[^"]+"$/)
      if (answer.status !== 200) expect(answer.json()).toHaveProperty('error.message')
      return answer.status
    }
    const package_ = `${base('guild')}/api/packages/secret`
    expect(await status(package_)).toBe(401)
    expect(await status(package_, 'wrong')).toBe(401)
    expect(await status(package_, eve)).toBe(403)
    expect(await status(package_, await ann.token('read:repository'))).toBe(403)
    expect(await status(package_, await ann.token('read:package'))).toBe(200)
    const start = `${base()}/api/packages/versions/new`
    for (const [sent, expected] of [
      ['', 401],
      ['wrong', 401],
      [eve, 403],
      [await ann.token('read:package'), 403],
    ] as const) {
      expect(await status(start, sent)).toBe(expected)
      expect((await upload(await archiveOf(pubspec('9.0.0')), { sent })).status).toBe(expected)
      expect(await status(`${start}/finalize/tool/9.0.0`, sent)).toBe(expected)
    }
    expect((await get(`${base()}/api/packages/tool/9.0.0`)).status).toBe(404)
  })

  it('names the allowed methods when it refuses one', async () => {
    const answer = await fetch(`${base()}/api/packages/tool`, { method: 'DELETE' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('refuses an invalid package, and publishes nothing', async () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
      .split('')
      .map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghi'[at]}`).join(',')}]\n`)
      .join('')}`
    const good = await archiveOf('name: bad\nversion: 1.0.0\n')
    const refused = [
      [Buffer.from('garbage'), /not a .tar.gz/],
      [Buffer.alloc(0), /not a .tar.gz/],
      [await tarOf({ 'pubspec.yaml': 'name: bad\nversion: 1.0.0\n' }), /not a .tar.gz/],
      [good.subarray(0, 60), /archive cannot be read/],
      [gzipSync(await tarOf({ 'bad/pubspec.yaml': 'name: bad\nversion: 1.0.0\n' })), /no pubspec.yaml/],
      [gzipSync(await tarOf({ 'pubspec.yaml': '->/etc/passwd' })), /no pubspec.yaml/],
      [await archiveOf(Buffer.alloc(200_000)), /more than 131072 bytes/],
      [await archiveOf('{'), /not valid YAML/],
      [await archiveOf(`name: bad\nversion: 1.0.0\n${bomb}`), /not valid YAML/],
      [await archiveOf('name: ../bad\nversion: 1.0.0\n'), /name of the package/],
      [await archiveOf('name: bad\nversion: v1.0.0\n'), /version of the package/],
      [await archiveOf('name: bad\nversion: 1.0\n'), /version of the package/],
    ] as const
    for (const [file, message] of refused) {
      const { status, text } = await upload(file)
      expect([status, JSON.parse(text)]).toEqual([
        400,
        { error: { code: expect.any(String), message: expect.stringMatching(message) } },
      ])
    }
    expect(JSON.parse((await upload(good, { field: 'other' })).text).error.message).toBe('the form has no file "file"')
    const taken = await upload(await archiveOf('name: Tool\nversion: 9.0.0\n'))
    expect([taken.status, JSON.parse(taken.text).error.message]).toEqual([
      400,
      'there is a package called tool already',
    ])
    expect((await get(`${base()}/api/packages/bad`)).status).toBe(404)
  })
})
