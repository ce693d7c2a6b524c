import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sha256Hex } from '../../../src/core/platform/crypto/crypto.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { tarOf } from './archives.ts'

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

const requirement = (...conditions: readonly (readonly [string, string])[]): string =>
  `!ruby/object:Gem::Requirement\n    requirements:\n${conditions
    .map(
      ([operator, version]) =>
        `    - - "${operator}"\n      - !ruby/object:Gem::Version\n        version: '${version}'\n`,
    )
    .join('')}`

interface Gem {
  readonly name?: string
  readonly version?: string
  readonly platform?: string
  readonly more?: string
}

/** Metadata as `gem build` writes them. */
const metadata = ({ name = 'tee', version = '1.0.0', platform = 'ruby', more = '' }: Gem): string =>
  `--- !ruby/object:Gem::Specification
name: ${name}
version: !ruby/object:Gem::Version
  version: ${version}
platform: ${platform}
authors:
- Ann
date: 2026-11-27 00:00:00.000000000 Z
description:
homepage: https://example.com
licenses:
- MIT
metadata: {}
rubygems_version: 3.3.15
summary: Says ü
${more}`

const DEPENDENCIES = `dependencies:
- !ruby/object:Gem::Dependency
  name: dep
  requirement: ${requirement(['~>', '1.2'], ['>=', '1.2.3'])}  type: :runtime
- !ruby/object:Gem::Dependency
  name: any
  requirement: ${requirement(['>=', '0'])}  type: :runtime
- !ruby/object:Gem::Dependency
  name: devd
  requirement: ${requirement(['>=', '0'])}  type: :development
required_ruby_version: ${requirement(['>=', '2.0'])}`

const gemOf = (gem: Gem): Promise<Buffer> =>
  tarOf({ 'metadata.gz': gzipSync(metadata(gem)), 'data.tar.gz': gzipSync('data') })

describeOnBoth('the RubyGems registry', (kind) => {
  let server: TestServer
  let ann: Person
  let token: string

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
    token = await ann.token('write:package')
  })
  afterAll(() => server.close())

  let owners = 0
  /** A registry without gems. */
  async function registry() {
    const name = `team${owners++}`
    await server.world.org(name, { owner: ann })
    const base = `${server.url}/api/packages/${name}/rubygems`
    const call = async (method: string, path: string, body?: BodyInit, headers: Record<string, string> = {}) => {
      const init = { method, headers: { authorization: `Bearer ${token}`, ...headers }, body: body ?? null }
      const answer = await fetch(`${base}/${path}`, init)
      return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), headers: answer.headers }
    }
    const get = async (path: string): Promise<string> => (await call('GET', path)).bytes.toString()
    const push = async (file: Buffer) => {
      const { status, bytes } = await call('POST', 'api/v1/gems', new Uint8Array(file))
      return [status, bytes.toString().trim()] as const
    }
    return { base, call, get, push, pushGem: async (gem: Gem) => push(await gemOf(gem)) }
  }

  it('publishes gems, one file for each platform', async () => {
    const { call, get, push, pushGem } = await registry()
    const file = await gemOf({})
    expect(await push(file)).toEqual([201, 'Successfully registered gem: tee (1.0.0)'])
    expect((await push(file))[0]).toBe(409)
    expect((await pushGem({ platform: 'x86_64-linux' }))[0]).toBe(201)
    expect((await pushGem({ platform: 'x86_64-linux' }))[0]).toBe(409)
    expect((await call('GET', 'gems/tee-1.0.0.gem')).bytes.equals(file)).toBe(true)
    expect((await call('GET', 'gems/tee-1.0.0-x86_64-linux.gem')).status).toBe(200)
    expect((await call('GET', 'gems/tee-2.0.0.gem')).status).toBe(404)
    expect(await get('info/tee')).toMatch(/^---\n1\.0\.0 \|checksum:.{64}\n1\.0\.0-x86_64-linux \|checksum:.{64}\n$/)
    expect((await pushGem({ name: 'Tee', version: '2.0.0' }))[1]).toBe('there is a package called tee already')
    expect((await call('HEAD', '')).status).toBe(200)
  })

  it('serves the compact index with the dependencies of each version', async () => {
    const { call, get, push, pushGem } = await registry()
    expect((await call('GET', 'versions')).status).toBe(404)
    const file = await gemOf({ more: DEPENDENCIES })
    expect((await push(file))[0]).toBe(201)
    expect((await pushGem({ name: 'other', version: '1.10' }))[0]).toBe(201)
    expect((await pushGem({ version: '2.0.0.pre1' }))[0]).toBe(201)
    const info = await get('info/tee')
    const pre = sha256Hex(await gemOf({ version: '2.0.0.pre1' }))
    expect(info).toBe(
      `---\n1.0.0 dep:~> 1.2&>= 1.2.3,any:>= 0|checksum:${sha256Hex(file)},ruby:>= 2.0\n2.0.0.pre1 |checksum:${pre}\n`,
    )
    const versions = await call('GET', 'versions')
    const body = versions.bytes.toString()
    expect(body).toMatch(/^created_at: \S+\n---\n/)
    expect(body.split('---\n')[1]).toBe(
      `tee 1.0.0,2.0.0.pre1 ${md5(info)}\nother 1.10 ${md5(await get('info/other'))}\n`,
    )
    expect(await get('names')).toBe('---\ntee\nother\n')
    // Bundler before 2.5 compares this with the MD5 of the file.
    const etag = versions.headers.get('etag')
    expect(etag).toBe(`"${md5(body)}"`)
    expect((await call('GET', 'versions', undefined, { 'if-none-match': etag! })).status).toBe(304)
    const part = await call('GET', 'versions', undefined, { range: `bytes=${body.length - 5}-` })
    expect([part.status, part.bytes.toString()]).toEqual([206, body.slice(-5)])
    const infoAnswer = await call('GET', 'info/tee')
    expect(infoAnswer.headers.get('etag')).toBe(`"${md5(info)}"`)
    expect((await call('GET', 'info/none')).status).toBe(404)
  })

  it('serves the indexes of old clients as Ruby dumps them', async () => {
    const { call, pushGem } = await registry()
    for (const version of ['1.9.0', '1.10.0', '2.0.0.pre1']) await pushGem({ version })
    const specs = async (name: string) => gunzipSync((await call('GET', `${name}.4.8.gz`)).bytes).toString('latin1')
    const text = (value: string) => `I"${String.fromCharCode(value.length + 5)}${value}\x06:\x06ET`
    const gem = (version: string) => `[\x08${text('tee')}U:\x11Gem::Version[\x06${text(version)}${text('ruby')}`
    expect(await specs('specs')).toBe(`\x04\x08[\x07${gem('1.9.0')}${gem('1.10.0')}`)
    expect(await specs('latest_specs')).toBe(`\x04\x08[\x06${gem('1.10.0')}`)
    expect(await specs('prerelease_specs')).toBe(`\x04\x08[\x06${gem('2.0.0.pre1')}`)
  })

  it('serves the specification of a gem with its dependencies', async () => {
    const { call, pushGem } = await registry()
    await pushGem({ more: DEPENDENCIES })
    const quick = await call('GET', 'quick/Marshal.4.8/tee-1.0.0.gemspec.rz')
    const dump = inflateSync(quick.bytes)
    expect(dump.toString('latin1', 0, 24)).toBe('\x04\x08u:\x17Gem::Specification\x02')
    // The length in two bytes comes before the dump of the fields.
    expect(dump.readUInt16LE(24)).toBe(dump.length - 26)
    const fields = dump.subarray(26).toString('utf8')
    expect(fields.slice(0, 13)).toBe('\x04\x08[\x18I"\x0b3.3.15')
    expect(fields).toContain('I"\x0cSays ü')
    for (const name of ['dep', 'any', 'devd'])
      expect(fields).toContain(`@nameI"${String.fromCharCode(name.length + 5)}${name}`)
    expect(fields).toContain(':\x10development')
    expect((await call('GET', 'quick/Marshal.4.8/tee-9.gemspec.rz')).status).toBe(404)
  })

  it('deletes versions by all forms of the request that clients send', async () => {
    const { call, get, pushGem } = await registry()
    for (const version of ['1.0', '1.1', '1.2', '1.3']) await pushGem({ version })
    await pushGem({ version: '1.0', platform: 'java' })
    const yank = async (body?: BodyInit, query = '') => (await call('DELETE', `api/v1/gems/yank${query}`, body)).status
    expect(await yank(new URLSearchParams({ gem_name: 'tee', version: '1.0' }))).toBe(200)
    expect(await yank(new URLSearchParams({ gem_name: 'tee', version: '1.0' }))).toBe(404)
    expect(await get('info/tee')).toContain('1.0-java ')
    expect(await yank(new URLSearchParams({ gem_name: 'tee', version: '1.0', platform: 'java' }))).toBe(200)
    const form = new FormData()
    form.append('gem_name', 'tee')
    form.append('version', '1.1')
    expect(await yank(form)).toBe(200)
    expect(await yank(undefined, '?gem_name=tee&version=1.2')).toBe(200)
    expect(await yank()).toBe(400)
    expect((await get('versions')).split('---\n')[1]).toMatch(/^tee 1\.3 /)
    expect(await yank(undefined, '?gem_name=tee&version=1.3')).toBe(200)
    expect((await call('GET', 'versions')).status).toBe(404)
    expect((await pushGem({ version: '1.0' }))[0]).toBe(201)
  })

  it('refuses an invalid gem, and publishes nothing', async () => {
    const { call, push, pushGem } = await registry()
    const withMetadata = (bytes: Buffer) => tarOf({ 'metadata.gz': bytes })
    const refused = [
      [Buffer.from('no tar'), /cannot be read|no metadata\.gz/],
      [Buffer.alloc(0), /no metadata\.gz/],
      [await tarOf({ 'data.tar.gz': 'x' }), /no metadata\.gz/],
      [await withMetadata(Buffer.from('no gzip')), /header/],
      [await withMetadata(gzipSync(Buffer.alloc(8 * 1024 * 1024, ' '))), /Buffer|larger/],
      [await withMetadata(Buffer.alloc(1024 * 1024 + 1)), /more than 1048576 bytes/],
      [await withMetadata(gzipSync('a: [')), /./],
      [await withMetadata(gzipSync(`a: &a [x]\nb: &b [${'*a,'.repeat(200)}]\nname: [${'*b,'.repeat(200)}]`)), /./],
      [await gemOf({ name: '../x' }), /the name of the gem is invalid/],
      [await gemOf({ name: "'123'" }), /the name of the gem is invalid/],
      [await gemOf({ version: 'one' }), /the version of the gem is invalid/],
      [await gemOf({ version: "'1.0 '" }), /the version of the gem is invalid/],
      [await gemOf({ platform: 'a/b' }), /the platform of the gem is invalid/],
      [await gemOf({ more: `required_ruby_version: ${requirement(['=>', '1'])}` }), /a requirement of the gem/],
    ] as const
    for (const [file, message] of refused) expect(await push(file)).toEqual([400, expect.stringMatching(message)])
    expect((await call('GET', 'versions')).status).toBe(404)
    const sent = await Promise.all([1, 2, 3, 4].map(() => pushGem({ name: 'race' })))
    expect(sent.map(([status]) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409])
    const answer = await call('POST', 'api/v1/gems', 'x', { authorization: '' })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Ingot Package API"'])
  })
})
