import { createHash } from 'node:crypto'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { tarOf } from './archives.ts'

describeOnBoth('the Vagrant registry', (kind) => {
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
  })
  afterAll(() => server.close())

  const base = () => `${server.url}/api/packages/ann/vagrant`
  const authorization = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`
  async function upload(path: string, body: Buffer, headers: Record<string, string> = { authorization }) {
    const answer = await fetch(`${base()}/${path}`, { method: 'PUT', headers, body: new Uint8Array(body) })
    return [answer.status, await answer.text()] as const
  }
  const boxOf = async (files: Readonly<Record<string, string | Buffer>>) => gzipSync(await tarOf(files))
  const box = (provider = 'virtualbox') =>
    boxOf({
      './Vagrantfile': 'Vagrant.configure',
      './info.json': '{"description": "A box\\nfor tests"}',
      './metadata.json': JSON.stringify({ provider }),
      './box.ovf': 'x',
    })

  it('lists versions and providers of a box with their sums', async () => {
    const [first, second] = [await box(), await box('libvirt')]
    expect(await upload('tool/1.0.0/virtualbox.box', first)).toEqual([201, ''])
    expect(await upload('tool/1.0.0/libvirt.box', second)).toEqual([201, ''])
    expect(await upload('tool/1.1.0-rc.1/virtualbox.box', first)).toEqual([201, ''])
    expect(await upload('tool/1.0.0/virtualbox.box', second)).toEqual([
      409,
      '{"errors":["package file already exists"]}',
    ])
    const provider = (version: string, name: string, bytes: Buffer) => ({
      name,
      url: `${base()}/tool/${version}/${name}.box`,
      checksum: createHash('sha512').update(bytes).digest('hex'),
      checksum_type: 'sha512',
    })
    const head = await fetch(`${base()}/tool`, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^application\/json/)])
    const answer = await fetch(`${base()}/tool`)
    expect(await answer.json()).toEqual({
      name: 'tool',
      description: 'A box\nfor tests',
      short_description: 'A box',
      versions: [
        {
          version: '1.0.0',
          status: 'active',
          providers: [provider('1.0.0', 'virtualbox', first), provider('1.0.0', 'libvirt', second)],
        },
        { version: '1.1.0-rc.1', status: 'active', providers: [provider('1.1.0-rc.1', 'virtualbox', first)] },
      ],
    })
    const etag = answer.headers.get('etag')!
    expect((await fetch(`${base()}/tool`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    const download = await fetch(`${base()}/tool/1.0.0/libvirt.box`)
    expect(Buffer.from(await download.arrayBuffer()).equals(second)).toBe(true)
    await ann.client.delete('/packages/ann/vagrant/tool/1.0.0')
    expect(await (await fetch(`${base()}/tool`)).json()).toMatchObject({ versions: [{ version: '1.1.0-rc.1' }] })
    expect((await fetch(`${base()}/tool/1.0.0/libvirt.box`)).status).toBe(404)
    expect((await fetch(`${base()}/none`)).status).toBe(404)
  })

  it('checks credentials, and needs them for the boxes of a private owner', async () => {
    const status = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${server.url}/api/packages/${path}`, { headers }).then((answer) => answer.status)
    expect(await status('ann/vagrant/authenticate')).toBe(401)
    expect(await status('ann/vagrant/authenticate', { authorization: 'Bearer wrong' })).toBe(401)
    expect(await status('ann/vagrant/authenticate', { authorization })).toBe(200)
    await server.world.org('guild', { owner: ann, visibility: 'private' })
    const there = await fetch(`${server.url}/api/packages/guild/vagrant/tool/1.0.0/virtualbox.box`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${await ann.token('write:package')}` },
      body: new Uint8Array(await box()),
    })
    expect(there.status).toBe(201)
    const eve = await server.world.user('eve')
    for (const path of ['guild/vagrant/tool', 'guild/vagrant/tool/1.0.0/virtualbox.box']) {
      expect(await status(path)).toBe(401)
      expect(await status(path, { authorization: `Bearer ${await eve.token('read:package')}` })).toBe(401)
      expect(await status(path, { authorization: `Bearer ${await ann.token('read:repository')}` })).toBe(401)
      expect(await status(path, { authorization: `Bearer ${await ann.token('read:package')}` })).toBe(200)
    }
    expect(await upload('tool/9.0.0/virtualbox.box', await box(), {})).toEqual([401, '{"errors":["reqPackageAccess"]}'])
    const reader = { authorization: `Bearer ${await ann.token('read:package')}` }
    expect((await upload('tool/9.0.0/virtualbox.box', await box(), reader))[0]).toBe(401)
  })

  it('refuses an invalid box, and publishes nothing', async () => {
    const growing = zstdCompressSync(await tarOf({ 'box.img': Buffer.alloc(100 * 1024 * 1024) }))
    const bomb = await boxOf({ 'box.ovf': 'x', 'metadata.json': Buffer.alloc(70_000) })
    const refused = [
      ['bad/1.0/virtualbox.box', Buffer.from('garbage'), /archive|no metadata.json/],
      ['bad/1.0/virtualbox.box', Buffer.alloc(0), /no metadata.json/],
      ['bad/1.0/virtualbox.box', (await box()).subarray(0, 80), /archive cannot be read/],
      ['bad/1.0/virtualbox.box', await boxOf({ 'sub/metadata.json': '{"provider":"x"}' }), /no metadata.json/],
      ['bad/1.0/virtualbox.box', await boxOf({ 'metadata.json': '{' }), /names no provider/],
      ['bad/1.0/virtualbox.box', bomb, /more than 65536 bytes/],
      ['bad/1.0/virtualbox.box', growing, /more than 200 times its size/],
      ['bad/v1/virtualbox.box', await box(), /malformed version/],
      ['-bad/1.0/virtualbox.box', await box(), /package name is invalid/],
      ['authenticate/1.0/virtualbox.box', await box(), /package name is invalid/],
      ['bad/1.0/%2e%2e.box', await box(), /provider is invalid/],
    ] as const
    for (const [path, body, message] of refused) {
      const [status, text] = await upload(path, body)
      expect([status, JSON.parse(text)]).toEqual([400, { errors: [expect.stringMatching(message)] }])
    }
    expect((await fetch(`${base()}/bad`)).status).toBe(404)
  })
})
