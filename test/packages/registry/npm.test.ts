import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

const run = promisify(execFile)

describeOnBoth('the npm registry', (kind) => {
  let server: TestServer
  let ann: Person
  let dir: string
  let token: string

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
    token = await ann.token('write:package')
    dir = await mkdtemp(join(tmpdir(), 'ingot-npm-'))
    const registry = `${server.url}/api/packages/ann/npm/`
    const lines = [
      `registry=${registry}`,
      `${registry.slice('http:'.length)}:_authToken=${token}`,
      `cache=${join(dir, 'cache')}`,
      'update-notifier=false',
      'audit=false',
      'fund=false',
      'fetch-retries=0',
    ]
    await writeFile(join(dir, '.npmrc'), lines.join('\n'))
  })
  afterAll(async () => {
    await server.close()
    await rm(dir, { recursive: true, force: true })
  })

  const npm = (at: string, ...args: string[]) =>
    run('npm', args, { cwd: join(dir, at), env: { ...process.env, npm_config_userconfig: join(dir, '.npmrc') } })
  const write = async (at: string, manifest: object, text = 'module.exports = 1\n'): Promise<void> => {
    await mkdir(join(dir, at), { recursive: true })
    await writeFile(join(dir, at, 'package.json'), JSON.stringify(manifest))
    await writeFile(join(dir, at, 'index.js'), text)
  }
  const call = (path: string, init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {}) =>
    fetch(`${server.url}/api/packages/ann/npm/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...init.headers },
    })
  const packument = async (name: string) =>
    (await call(name)).json() as Promise<{
      readonly 'dist-tags': object
      readonly versions: Readonly<Record<string, { readonly dist: { readonly tarball: string } }>>
    }>

  const tarball = Buffer.from('not really a tarball')
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const document = (name: string, version: string, more: { dist?: object; tags?: object; data?: string } = {}) => ({
    _id: name,
    name,
    'dist-tags': more.tags ?? { latest: version },
    versions: { [version]: { name, version, dist: more.dist ?? { integrity } } },
    _attachments: { [`${name}-${version}.tgz`]: { data: more.data ?? tarball.toString('base64') } },
  })
  const put = async (name: string, body: object | string) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await call(name, { method: 'PUT', body: text })
    return [answer.status, await answer.text()] as const
  }

  it('serves npm: publish, install, dist-tag, deprecate, search, unpublish', async () => {
    const lib = { name: '@team/lib', version: '1.0.0', description: 'A library', keywords: ['x'] }
    await write('lib', { ...lib, engines: { node: '>=1' }, bin: { lib: 'index.js' } })
    await npm('lib', 'publish')
    await write('lib', { ...lib, version: '1.1.0-beta.1' }, 'module.exports = 2\n')
    await npm('lib', 'publish', '--tag', 'beta')
    await expect(npm('lib', 'publish', '--tag', 'beta')).rejects.toThrow(/403|409|exists/i)
    await write('app', { name: 'app', version: '1.0.0', dependencies: { '@team/lib': '^1.0.0' } })
    await npm('app', 'install')
    const installed = JSON.parse(await readFile(join(dir, 'app/node_modules/@team/lib/package.json'), 'utf8'))
    expect(installed.version).toBe('1.0.0')
    const lock = JSON.parse(await readFile(join(dir, 'app/package-lock.json'), 'utf8'))
    expect(lock.packages['node_modules/@team/lib']).toMatchObject({
      engines: { node: '>=1' },
    })
    await npm('app', 'dist-tag', 'add', '@team/lib@1.1.0-beta.1', 'next')
    expect((await npm('app', 'dist-tag', 'ls', '@team/lib')).stdout).toBe(
      'beta: 1.1.0-beta.1\nlatest: 1.0.0\nnext: 1.1.0-beta.1\n',
    )
    await npm('app', 'dist-tag', 'rm', '@team/lib', 'next')
    await npm('app', 'deprecate', '@team/lib@1.0.0', 'use 2')
    expect((await packument('@team%2flib')).versions).toMatchObject({ '1.0.0': { deprecated: 'use 2' } })
    expect((await npm('app', 'whoami')).stdout).toBe('ann\n')
    expect(JSON.parse((await npm('app', 'search', 'lib', '--json')).stdout)).toMatchObject([
      { description: 'A library' },
    ])
    await npm('app', 'unpublish', '@team/lib@1.1.0-beta.1')
    expect(Object.keys((await packument('@team/lib')).versions)).toEqual(['1.0.0'])
    expect((await packument('@team/lib'))['dist-tags']).toEqual({ latest: '1.0.0' })
    await npm('app', 'unpublish', '@team/lib', '--force')
    expect((await call('@team%2Flib')).status).toBe(404)
  }, 120_000)

  it('answers an unchanged document with 304 and a changed one with another', async () => {
    expect(await put('etag', document('etag', '1.0.0'))).toEqual([201, ''])
    const first = await call('etag')
    const etag = first.headers.get('etag')!
    expect((await call('etag', { headers: { 'if-none-match': etag } })).status).toBe(304)
    await put('etag', document('etag', '1.0.1'))
    expect((await call('etag', { headers: { 'if-none-match': etag } })).status).toBe(200)
    const file = (await packument('etag')).versions['1.0.1']!.dist.tarball
    expect(Buffer.from(await (await fetch(file)).arrayBuffer())).toEqual(tarball)
    expect(await ann.client.get('/packages/ann/npm/etag/-/latest')).toMatchObject({ json: { version: '1.0.1' } })
  })

  it('refuses documents that are invalid or differ from their file, and publishes nothing', async () => {
    const refused = [
      [document('bad', '1.0.0', { dist: { integrity: 'sha512-x' } }), 'failed to validate integrity'],
      [document('bad', '1.0.0', { dist: {} }), 'failed to validate integrity'],
      [document('bad', 'one'), 'package is invalid'],
      [document('other', '1.0.0'), 'package is invalid'],
      [document('bad', '1.0.0', { data: '!!!' }), 'package attachment is invalid'],
      [document('bad', '1.0.0', { tags: { '1.x': '1.0.0' } }), 'The tag name is invalid'],
      ['{"_attachments":{"a":{"data":"', 'package is invalid'],
      ['['.repeat(1000), 'package is invalid'],
      ['no JSON', 'package is invalid'],
    ] as const
    for (const [body, message] of refused)
      expect(await put('bad', body)).toEqual([400, JSON.stringify({ error: message })])
    expect((await call('bad')).status).toBe(404)
    expect((await put('.hidden', document('.hidden', '1.0.0')))[0]).toBe(400)
    expect(await put('twice', document('twice', '1.0.0'))).toEqual([201, ''])
    expect((await put('twice', document('twice', '1.0.0')))[0]).toBe(409)
  })

  it('links a new package to the repository of its package.json', async () => {
    const eve = await server.world.user('eve')
    await server.world.repo({ owner: ann, name: 'lib', isPrivate: true })
    await server.world.repo({ owner: eve, name: 'lib' })
    let count = 0
    const linked = async (repository: unknown, version = '1.0.0', name = `linked-${++count}`) => {
      const sent = document(name, version)
      const body = { ...sent, versions: { [version]: { ...sent.versions[version], repository } } }
      expect(await put(name, body)).toEqual([201, ''])
      const found = await ann.client.get(`/packages/ann/npm/${name}/${version}`)
      return (found.json as { repository: { full_name: string } | null }).repository?.full_name
    }
    const { host, hostname } = new URL(server.url)
    for (const repository of [
      { type: 'git', url: `git+${server.url}/ann/lib.git` },
      { url: `${server.url}/Ann/Lib/` },
      `git+ssh://git@${hostname}:2222/ann/lib.git`,
    ])
      expect(await linked(repository)).toBe('ann/lib')
    for (const repository of [
      undefined,
      ['x'],
      'ann/lib',
      { url: `${server.url}/eve/lib` },
      { url: `${server.url}/ann/none` },
      { url: `${server.url}/ann/lib/tree/main` },
      { url: `https://git.example.com/ann/lib` },
      { url: `ftp://${host}/ann/lib` },
      { url: `${server.url}/ann/lib${'/'.repeat(3000)}` },
    ])
      expect(await linked(repository)).toBeUndefined()
    expect(await linked({ url: `${server.url}/ann/lib` }, '2.0.0', 'linked-4')).toBeUndefined()
  })

  it('does not reveal by a link a repository that the publisher may not see', async () => {
    const guild = await server.world.org('guild', { owner: ann })
    const bob = await server.world.user('bob')
    await guild.team('publishers', { permission: 'write', units: ['repo.packages'], members: [bob] })
    await server.world.repo({ owner: guild.org, name: 'secret', isPrivate: true })
    const sent = document('hidden', '1.0.0')
    const repository = { url: `${server.url}/guild/secret` }
    const answer = await fetch(`${server.url}/api/packages/guild/npm/hidden`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${await bob.token('write:package')}` },
      body: JSON.stringify({ ...sent, versions: { '1.0.0': { ...sent.versions['1.0.0'], repository } } }),
    })
    expect(answer.status).toBe(201)
    expect((await ann.client.get('/packages/guild/npm/hidden/1.0.0')).json).toMatchObject({ repository: null })
  })

  it('receives an attachment that is longer than the limit of the document', async () => {
    const large = Buffer.alloc(12 * 1024 * 1024, 7)
    const sum = `sha512-${createHash('sha512').update(large).digest('base64')}`
    const body = document('large', '1.0.0', { data: large.toString('base64'), dist: { integrity: sum } })
    expect(await put('large', body)).toEqual([201, ''])
    const files = await ann.client.get('/packages/ann/npm/large/1.0.0/files')
    expect(files.json).toMatchObject([{ name: 'large-1.0.0.tgz', size: large.length }])
  })
})
