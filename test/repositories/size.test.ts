import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'

let server: TestServer
let ann: Person
let now = Date.now()

beforeAll(async () => {
  server = await startServer({ clock: { now: () => now } })
  ann = await server.world.user('ann')
})
afterAll(() => server.close())

const size = async (path: string): Promise<number> => (await ann.client.get(`/repos/${path}`)).json.size
const measured = async (path: string): Promise<number> => {
  await server.drain()
  now += 1_000
  await server.drain()
  return size(path)
}
const noise = (bytes: number): string => randomBytes(bytes).toString('base64')

async function upload(bytes: Buffer): Promise<void> {
  const oid = createHash('sha256').update(bytes).digest('hex')
  const authorization = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`
  const answer = await fetch(`${server.url}/ann/one.git/info/lfs/objects/${oid}/${bytes.length}`, {
    method: 'PUT',
    headers: { authorization },
    body: bytes as unknown as BodyInit,
  })
  expect(answer.status).toBe(200)
}

it('the size of a repository is its size on disk with its wiki and its large files', async () => {
  await server.world.repo({ owner: ann, name: 'one' })
  const fresh = await size('ann/one')
  expect([fresh >= 20, fresh <= 30]).toEqual([true, true])

  expect((await ann.client.post('/repos/ann/one/contents/f', { content: noise(100_000) })).status).toBe(201)
  const code = await measured('ann/one')
  expect(code - fresh).toBeGreaterThan(95)

  expect(
    (await ann.client.post('/repos/ann/one/wiki/new', { title: 'Home', content_base64: noise(50_000) })).status,
  ).toBe(201)
  const wiki = await measured('ann/one')
  expect(wiki - code).toBeGreaterThan(45)

  const large = randomBytes(40 * 1024)
  await upload(large)
  await upload(large)
  expect(await size('ann/one')).toBe(wiki + 40)

  const bob = await server.world.user('bob')
  const fork = await bob.client.post('/repos/ann/one/forks', {})
  expect([fork.json.size >= 60, fork.json.size < wiki]).toEqual([true, true])
  await ann.client.patch('/repos/ann/one', { template: true })
  const made = await bob.client.post('/repos/ann/one/generate', { owner: 'bob', name: 'two', git_content: true })
  expect(made.json.size).toBeGreaterThan(135)
  const bySize = await ann.client.get('/repos/search?sort=lfs_size&order=desc')
  expect(bySize.json.data).toHaveLength(3)
  expect((await rows(server, 'repo')).map((repo) => repo.lfs_size)).toEqual([40960, 40960, 40960])
})
