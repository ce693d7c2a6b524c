import { createHash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Jimp } from 'jimp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { probeImage } from '../../src/core/platform/images/probe.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Organization, Person } from '../harness/world.ts'

let server: TestServer
let ann: Person
let bob: Person
let root: Person
let acme: Organization

beforeAll(async () => {
  server = await startServer()
  ann = await server.world.user('ann')
  bob = await server.world.user('bob')
  root = await server.world.admin()
  acme = await server.world.org('acme', { owner: ann })
  await server.world.repo({ owner: ann, name: 'lib' })
})
afterAll(() => server.close())

const fetchImage = async (url: string, init: RequestInit = {}) => {
  const response = await fetch(url, init)
  const data = Buffer.from(await response.arrayBuffer())
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    headers: response.headers,
    data,
    info: probeImage(data),
  }
}
const noise = async (width: number, height: number, type: 'image/png' | 'image/jpeg' | 'image/gif'): Promise<Buffer> =>
  new Jimp({ width, height, data: randomBytes(width * height * 4) }).getBuffer(type)
const base64 = (data: Buffer): { image: string } => ({ image: data.toString('base64') })
const avatarOf = async (path: string): Promise<string> => (await root.client.get(path)).json.avatar_url
const storedFiles = (): string[] =>
  readdirSync(join(server.dataDir, 'blobs', 'avatars'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

describe('images of accounts and repositories', () => {
  it('can be changed only by their owners', async () => {
    const body = base64(await noise(4, 4, 'image/png'))
    const { anonymous } = server
    const paths = ['/user/avatar', '/orgs/acme/avatar', '/repos/ann/lib/avatar']
    expect(await Promise.all(paths.map(async (path) => (await anonymous.post(path, body)).status))).toEqual([
      401, 401, 401,
    ])
    expect(await Promise.all(paths.map(async (path) => (await anonymous.delete(path)).status))).toEqual([401, 401, 401])
    expect([
      (await bob.client.post('/orgs/acme/avatar', body)).status,
      (await bob.client.post('/repos/ann/lib/avatar', body)).status,
    ]).toEqual([403, 403])
    await server.world.repo({ owner: ann, name: 'secret', isPrivate: true })
    expect((await bob.client.post('/repos/ann/secret/avatar', body)).status).toBe(404)
  })

  it('are generated from the MD5 of the email address until one is uploaded', async () => {
    const md5 = createHash('md5').update('ann@example.test').digest('hex')
    const url = await avatarOf('/users/ann')
    expect(url).toBe(`${server.url}/avatars/${md5}`)
    const drawn = await fetchImage(url)
    expect([drawn.status, drawn.type, drawn.info, drawn.headers.get('cache-control')]).toEqual([
      200,
      'image/png',
      { kind: 'png', width: 290, height: 290 },
      'public, max-age=21600',
    ])
    expect((await Jimp.fromBuffer(drawn.data)).width).toBe(290)
    expect((await fetchImage(`${url}?size=64`)).info).toMatchObject({ width: 64 })
    expect((await fetchImage(`${url}?size=999999`)).info).toMatchObject({ width: 512 })
    expect((await fetchImage(url, { headers: { 'if-none-match': drawn.headers.get('etag')! } })).status).toBe(304)
    expect((await fetchImage(await avatarOf('/users/bob'))).data.equals(drawn.data)).toBe(false)
    expect((await fetchImage(await avatarOf('/orgs/acme'))).status).toBe(200)
    expect([
      await avatarOf('/repos/ann/lib'),
      (await fetchImage(`${server.url}/assets/img/avatar_default.png`)).status,
    ]).toEqual(['', 200])
    expect((await fetchImage(`${server.url}/avatars/${'0'.repeat(64)}`)).status).toBe(404)
    expect((await fetchImage(`${server.url}/avatars/..%2f..%2fingot.db`)).status).toBe(404)
  })

  it.each(['image/png', 'image/jpeg', 'image/gif'] as const)('are stored unchanged if small: %s', async (type) => {
    const data = await noise(20, 10, type)
    expect((await ann.client.post('/user/avatar', base64(data))).status).toBe(204)
    const url = await avatarOf('/users/ann')
    const hash = createHash('sha256').update(`${ann.user.id}-`).update(data).digest('hex')
    expect(url).toBe(`${server.url}/avatars/${hash}`)
    const shown = await fetchImage(url)
    expect([shown.status, shown.type, shown.data.equals(data), shown.headers.get('x-content-type-options')]).toEqual([
      200,
      type,
      true,
      'nosniff',
    ])
    const head = await fetchImage(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), head.data.length]).toEqual([200, String(data.length), 0])
  })

  it('are scaled to a square PNG if large', async () => {
    expect((await ann.client.post('/orgs/acme/avatar', base64(await noise(500, 300, 'image/png')))).status).toBe(204)
    expect((await fetchImage(await avatarOf('/orgs/acme'))).info).toEqual({ kind: 'png', width: 512, height: 512 })
    expect((await ann.client.delete('/orgs/acme/avatar')).status).toBe(204)
    expect(await avatarOf('/orgs/acme')).toMatch(/\/avatars\/[0-9a-f]{32}$/)
  })

  it('are rejected with the reason if they are not images or declare a huge size', async () => {
    const bomb = await noise(2, 2, 'image/png')
    bomb.writeUInt32BE(50_000, 16)
    const cut = await noise(20, 20, 'image/jpeg')
    const large = await noise(400, 400, 'image/png')
    const bodies = [
      {},
      { image: '' },
      { image: 'data:image/png;base64,AAAA' },
      base64(Buffer.from('<svg onload="alert(1)"/>')),
      base64(bomb),
      base64(cut.subarray(0, 20)),
      base64(large.subarray(0, 400_000)),
      base64(Buffer.alloc(2_000_000)),
    ]
    const answers = await Promise.all(bodies.map((body) => ann.client.post('/repos/ann/lib/avatar', body)))
    expect(answers.map((answer) => answer.status)).toEqual([422, 422, 400, 400, 400, 400, 400, 400])
    expect(answers[0]!.json.message).toBe('[Image]: Required')
    expect(answers[4]!.json.message).toMatch(/50000x2 pixels/)
    expect(await avatarOf('/repos/ann/lib')).toBe('')
  })

  it('are accepted by their header if small, also when truncated', async () => {
    const data = await noise(16, 16, 'image/png')
    expect((await ann.client.post('/repos/ann/lib/avatar', base64(data.subarray(0, data.length - 13)))).status).toBe(
      204,
    )
    expect((await ann.client.delete('/repos/ann/lib/avatar')).status).toBe(204)
  })

  it('are deleted with their account or repository', async () => {
    await server.drain()
    const before = storedFiles().length
    const eve = await server.world.user('eve')
    await server.world.repo({ owner: eve, name: 'own' })
    const data = await noise(8, 8, 'image/png')
    expect((await eve.client.post('/user/avatar', base64(data))).status).toBe(204)
    expect((await eve.client.post('/repos/eve/own/avatar', base64(data))).status).toBe(204)
    const [mine, repos] = [await avatarOf('/users/eve'), await avatarOf('/repos/eve/own')]
    expect(repos).toMatch(/\/repo-avatars\/[0-9a-f]{64}$/)
    expect([(await fetchImage(mine)).status, (await fetchImage(repos)).status, storedFiles().length]).toEqual([
      200,
      200,
      before + 1,
    ])
    expect((await eve.client.delete('/repos/eve/own/avatar')).status).toBe(204)
    await server.drain()
    expect([(await fetchImage(mine)).status, (await fetchImage(repos)).status, storedFiles().length]).toEqual([
      200,
      404,
      before + 1,
    ])
    expect((await root.client.delete('/admin/users/eve?purge=true')).status).toBe(204)
    await server.drain()
    expect([(await fetchImage(mine)).status, storedFiles().length]).toEqual([404, before])
    expect(acme.name).toBe('acme')
  })
})
