import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { type FakeUpstream, startUpstream } from './upstreams.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const bytes = Buffer.from('the bytes of a file')
const sha256 = createHash('sha256').update(bytes).digest('hex')
const sha1 = createHash('sha1').update(bytes).digest('hex')
const JSON_INDEX = 'application/vnd.pypi.simple.v1+json'

describeOnBoth('the upstream of a registry', (kind) => {
  let server: TestServer
  let upstream: FakeUpstream
  let now = Date.parse('2027-01-01T00:00:00Z')
  let count = 0
  let ann: Person
  /** What the upstream has, by path. */
  let files: Record<string, string | Buffer>

  beforeAll(async () => {
    server = await startServer({
      on: kind,
      clock: { now: () => now },
      settings: { 'packages.upstream_hosts': 'loopback' },
    })
    upstream = await startUpstream()
    upstream.answer(({ url = '' }, response) => {
      const file = files[url]
      if (file === undefined) response.writeHead(404).end()
      else response.end(file)
    })
  })
  afterAll(async () => {
    await server.close()
    await upstream.close()
  })
  beforeEach(async () => {
    ann = await server.world.user(`ann${count++}`)
    upstream.asked.splice(0)
  })

  const save = async (type: string, more: object = {}): Promise<void> => {
    const saved = await ann.client.put(`/packages/${ann.name}/-/upstreams/${type}`, {
      url: `${upstream.url}/r`,
      ...more,
    })
    expect(saved.status, saved.text).toBe(200)
  }
  const base = (): string => `${server.url}/api/packages/${ann.name}`
  async function read(path: string, headers: Record<string, string> = {}): Promise<[status: number, text: string]> {
    const answer = await fetch(`${base()}/${path}`, { headers })
    return [answer.status, await answer.text()]
  }
  const statusOf = async (path: string): Promise<number> => (await read(path))[0]

  it('serves projects of Python as JSON and as HTML, without files that are too young', async () => {
    await save('pypi', { min_age_days: 7 })
    const file = (filename: string, age: number, hash = sha256) => ({
      filename,
      url: `../../files/${filename}`,
      hashes: { sha256: hash },
      'requires-python': '>=3.8',
      'upload-time': new Date(now - age * DAY).toISOString(),
      'core-metadata': { sha256 },
      'dist-info-metadata': true,
    })
    files = {
      '/r/some-tool/': JSON.stringify({
        meta: { 'api-version': '1.0' },
        name: 'some-tool',
        files: [
          file('some_tool-1.0.tar.gz', 30),
          file('some_tool-2.0.tar.gz', 1),
          file('some_tool-0.9.tar.gz', 40, 'ab'.repeat(32)),
        ],
      }),
      '/files/some_tool-1.0.tar.gz': bytes,
      '/files/some_tool-0.9.tar.gz': bytes,
      '/files/some_tool-1.0.tar.gz.metadata': bytes,
      '/files/some_tool-0.9.tar.gz.metadata': 'other bytes',
      '/files/some_tool-2.0.tar.gz.metadata': bytes,
    }
    const [status, json] = await read('pypi/simple/Some_Tool/', { accept: JSON_INDEX })
    const url = `${base()}/pypi/files/some-tool/-/some_tool-1.0.tar.gz`
    expect(status).toBe(200)
    expect(JSON.parse(json).files.map((one: { url: string }) => one.url)).toEqual([url, url.replace('1.0', '0.9')])
    expect(JSON.parse(json).files[0]).toMatchObject({ 'core-metadata': { sha256 } })
    expect(json).not.toContain('dist-info')
    const [, html] = await read('pypi/simple/some-tool/')
    expect(html).toContain(
      `<a href="${url}#sha256=${sha256}" data-requires-python="&gt;=3.8" data-core-metadata="sha256=${sha256}">`,
    )
    expect(html).not.toContain('2.0')
    expect(await read('pypi/files/some-tool/-/some_tool-1.0.tar.gz')).toEqual([200, bytes.toString()])
    expect(await statusOf('pypi/files/some-tool/-/some_tool-0.9.tar.gz')).toBe(503)
    expect(await statusOf('pypi/files/some-tool/-/some_tool-2.0.tar.gz')).toBe(404)
    expect(await read('pypi/files/some-tool/-/some_tool-1.0.tar.gz.metadata')).toEqual([200, bytes.toString()])
    expect(await statusOf('pypi/files/some-tool/-/some_tool-0.9.tar.gz.metadata')).toBe(503)
    expect(await statusOf('pypi/files/some-tool/-/some_tool-2.0.tar.gz.metadata')).toBe(404)
    expect(await statusOf('pypi/simple/none/')).toBe(404)
  })

  it('serves crates at the addresses of config.json, without versions that are too young', async () => {
    const line = (vers: string, age: number) =>
      `${JSON.stringify({ name: 'Some_crate', vers, cksum: sha256, deps: [], features: {}, yanked: false, pubtime: new Date(now - age * DAY).toISOString() })}\n`
    files = {
      '/r/so/me/some_crate': line('1.0.0', 30) + line('1.1.0', 1),
      '/r/config.json': JSON.stringify({ dl: `${upstream.url}/dl/{lowerprefix}/{crate}-{version}.crate` }),
      '/dl/so/me/Some_crate-1.0.0.crate': bytes,
      '/dl/so/me/Some_crate-1.1.0.crate': 'other bytes',
    }
    await save('cargo', { min_age_days: 7 })
    expect(await read('cargo/so/me/some_crate')).toEqual([200, line('1.0.0', 30)])
    expect(await read('cargo/api/v1/crates/Some_crate/1.0.0/download')).toEqual([200, bytes.toString()])
    expect(await statusOf('cargo/api/v1/crates/some_crate/1.1.0/download')).toBe(404)
    await save('cargo')
    expect(await read('cargo/so/me/some_crate')).toEqual([200, line('1.0.0', 30) + line('1.1.0', 1)])
    expect(await statusOf('cargo/api/v1/crates/some_crate/1.1.0/download')).toBe(503)
    files['/r/config.json'] = JSON.stringify({ dl: `${upstream.url}/api` })
    files['/api/Some_crate/1.1.0/download'] = bytes
    now += 6 * MINUTE
    expect(await statusOf('cargo/api/v1/crates/some_crate/1.1.0/download')).toBe(200)
  })

  it('serves artifacts of Maven with a matching checksum, and the checksums', async () => {
    const jar = 'com/acme/lib/1.0/lib-1.0.jar'
    const metadata = '<metadata><groupId>com.acme</groupId></metadata>'
    files = {
      [`/r/${jar}`]: bytes,
      [`/r/${jar}.sha1`]: `${sha1}  lib-1.0.jar\n`,
      '/r/com/acme/lib/1.0/lib-1.0.pom': bytes,
      '/r/com/acme/lib/1.0/lib-1.0.pom.sha256': '0'.repeat(64),
      '/r/com/acme/lib/1.0/lib-1.0.war': bytes,
      '/r/com/acme/lib/maven-metadata.xml': metadata,
      '/r/secret/x/1/x-1.jar': bytes,
      '/r/secret/x/1/x-1.jar.sha1': sha1,
    }
    await save('maven', { allow: ['com.acme:*'] })
    expect(await read(`maven/${jar}`)).toEqual([200, bytes.toString()])
    expect(await read(`maven/${jar}.sha256`)).toEqual([200, sha256])
    expect(await statusOf('maven/com/acme/lib/1.0/lib-1.0.pom')).toBe(503)
    expect(await statusOf('maven/com/acme/lib/1.0/lib-1.0.war')).toBe(404)
    expect(await read('maven/com/acme/lib/maven-metadata.xml')).toEqual([200, metadata])
    const digest = createHash('sha1').update(metadata).digest('hex')
    expect(await read('maven/com/acme/lib/maven-metadata.xml.sha1')).toEqual([200, digest])
    for (const path of [
      'secret/x/1/x-1.jar',
      'com/acme/..%2f../secret/x/1/x-1.jar',
      'com/acme/lib/1-SNAPSHOT/lib-1-SNAPSHOT.jar',
    ])
      expect(await statusOf(`maven/${path}`)).not.toBe(200)
    expect(upstream.asked.some((one) => one.includes('secret'))).toBe(false)
    const young = { url: upstream.url, min_age_days: 1 }
    expect((await ann.client.put(`/packages/${ann.name}/-/upstreams/maven`, young)).status).toBe(422)
  })

  it('serves modules of Go: versions permanently, lists and branches for minutes', async () => {
    const at = 'example.test/!team/lib/@v'
    files = {
      [`/r/${at}/list`]: 'v1.0.0\n',
      [`/r/${at}/v1.0.0.info`]: '{"Version":"v1.0.0"}',
      [`/r/${at}/v1.0.0.mod`]: 'module example.test/Team/lib\n',
      [`/r/${at}/v1.0.0.zip`]: bytes,
      [`/r/${at}/main.info`]: '{"Version":"v1.0.1-0.1"}',
      '/r/example.test/!team/lib/@latest': '{"Version":"v1.0.0"}',
    }
    const paths = Object.keys(files).map((path) => path.replace('/r/', 'go/'))
    await save('go', { allow: ['example.test/Team/*'] })
    for (const path of paths) expect(await read(path)).toEqual([200, String(files[path.replace('go/', '/r/')])])
    expect(upstream.asked).toHaveLength(6)
    now += 6 * MINUTE
    files = {}
    expect(await Promise.all(paths.map(statusOf))).toEqual([404, 200, 200, 200, 404, 404])
    for (const path of ['go/other.test/lib/@v/list', 'go/example.test/!team/../../other.test/lib/@v/list'])
      expect(await statusOf(path)).toBe(404)
    expect(upstream.asked.some((one) => one.includes('other.test'))).toBe(false)
  })

  const metadata = '<metadata><groupId>com.acme</groupId></metadata>\n'
  const line = (name: string) => `${JSON.stringify({ name, vers: '1.0.0', cksum: sha256, deps: [] })}\n`
  const project = (name: string) =>
    JSON.stringify({ name, files: [{ filename: 'a.whl', url: 'a', hashes: { sha256 } }] })
  const html = '<!DOCTYPE html><title>Sign in</title>\n'
  it.each([
    ['pypi', 'simple/lib/', project('lib'), [html, '', '{}', project('other'), project('lib').slice(0, 30)]],
    ['cargo', '3/l/lib', line('lib'), [html, '', line('other'), line('lib') + line('lib').slice(0, 30)]],
    ['maven', 'com/acme/lib/maven-metadata.xml', metadata, [html, '', '<metadata>']],
    ['go', 'a.test/lib/@v/list', 'v1.0.0\nv1.1.0\n', [html, 'v1.0.0\nerror\n', '{}']],
    ['go', 'a.test/lib/@latest', '{"Version":"v1.0.0"}', [html, '', '{"Version":', '{}']],
    ['go', 'a.test/lib/@v/main.mod', 'module a.test/lib\n', [html]],
  ])('of %s does not replace a stored %s by another page', async (type, path, good, bad) => {
    const at = `/r/${path.replace('simple/', '')}`
    await save(type)
    files = { [at]: good }
    const first = await read(`${type}/${path}`)
    expect(first[0]).toBe(200)
    for (const page of bad) {
      files = { [at]: page }
      now += 6 * MINUTE
      expect(await read(`${type}/${path}`), page).toEqual(first)
    }
    // Nobody has read it: there is nothing to give out instead.
    await ann.client.delete(`/packages/${ann.name}/-/upstreams/${type}`)
    await save(type)
    expect(await statusOf(`${type}/${path}`)).toBe(503)
  })

  it('is in the audit log when it is saved or deleted, without its password', async () => {
    await save('go', { allow: ['a.test/*'], password: 'hidden-value' })
    expect((await ann.client.delete(`/packages/${ann.name}/-/upstreams/go`)).status).toBe(204)
    const root = await server.world.user(`root${count}`, { isAdmin: true })
    const { json, text } = await root.client.get(`/admin/audit?target=${ann.name}`)
    const found = json.filter(({ action }: Any) => action.startsWith('package-upstream.'))
    const details = { type: 'go', url: `${upstream.url}/r` }
    expect(found.toReversed()).toMatchObject([
      { action: 'package-upstream.saved', actor: { name: ann.name }, details: { ...details, allow: ['a.test/*'] } },
      { action: 'package-upstream.deleted', actor: { name: ann.name }, details },
    ])
    expect(text).not.toContain('hidden-value')
  })

  it('does not store a page of HTML as a file of a Go module', async () => {
    await save('go')
    for (const file of ['v1.0.0.info', 'v1.0.0.mod', 'v1.0.0.zip']) {
      files = { [`/r/a.test/lib/@v/${file}`]: html }
      expect(await statusOf(`go/a.test/lib/@v/${file}`)).toBe(503)
      files = { [`/r/a.test/lib/@v/${file}`]: 'the file' }
      expect(await read(`go/a.test/lib/@v/${file}`)).toEqual([200, 'the file'])
    }
  })

  it('does not replace the stored config.json of crates by another page', async () => {
    await save('cargo')
    files = {
      '/r/3/l/lib': line('lib'),
      '/r/config.json': JSON.stringify({ dl: `${upstream.url}/dl` }),
      '/dl/lib/1.0.0/download': bytes,
    }
    expect(await statusOf('cargo/api/v1/crates/lib/1.0.0/download')).toBe(200)
    files['/r/3/l/lib'] = line('lib') + line('lib').replace('1.0.0', '1.1.0')
    files['/r/config.json'] = html
    files['/dl/lib/1.1.0/download'] = bytes
    now += 6 * MINUTE
    expect(await statusOf('cargo/api/v1/crates/lib/1.1.0/download')).toBe(200)
  })

  it('is not requested for malformed addresses', async () => {
    for (const type of ['cargo', 'container', 'go', 'maven', 'npm', 'pypi']) await save(type)
    for (const path of [
      'cargo/api/v1/crates/%ZZ/1.0.0/download',
      'go/%ZZ/@v/list',
      'maven/a/%ZZ/1/b-1.jar',
      'npm/%ZZ',
      'npm/%E0%A4%A',
      'pypi/files/%ZZ/-/a.whl',
      'pypi/simple/%C3%28/',
    ])
      expect(await statusOf(path), path).toBe(400)
    expect((await fetch(`${server.url}/v2/${ann.name}/%ZZ/manifests/v1`)).status).toBe(400)
    expect(upstream.asked).toEqual([])
  })
})
