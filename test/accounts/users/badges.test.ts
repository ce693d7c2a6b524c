import { afterAll, beforeAll, expect, it } from 'vitest'
import { commandLine } from '../../../src/core/access/viewer.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

let server: TestServer
let [root, ann] = [] as unknown as [Person, Person]
const PATH = '/admin/users/ann/badges'

beforeAll(async () => {
  server = await startServer()
  ;[root, ann] = [await server.world.admin(), await server.world.user('ann')]
  for (const slug of ['first', 'kind'])
    await server.app.badges.create(commandLine, { slug, description: `is ${slug}`, imageUrl: '' })
})
afterAll(() => server.close())

it('is for administrators', async () => {
  expect((await server.anonymous.get(PATH)).status).toBe(401)
  expect((await ann.client.get(PATH)).status).toBe(403)
  expect((await ann.client.post(PATH, { badge_slugs: ['kind'] })).status).toBe(403)
  expect((await root.client.get('/admin/users/nobody/badges')).status).toBe(404)
})

it('adds all badges of a request or none of them, and deletes badges that the user has', async () => {
  expect((await root.client.post(PATH, {})).text).toContain('[BadgeSlugs]: Required')
  expect((await root.client.post(PATH, { badge_slugs: ['kind', 'none'] })).status).toBe(404)
  expect((await root.client.get(PATH)).json).toEqual([])
  for (let twice = 0; twice < 2; twice++)
    expect((await root.client.post(PATH, { badge_slugs: ['kind', 'first'] })).status).toBe(204)
  const list = await root.client.get(PATH)
  expect(list.json).toMatchObject([{ slug: 'first', description: 'is first', image_url: '' }, { slug: 'kind' }])
  expect(list.headers.get('x-total-count')).toBe('2')
  expect((await root.client.delete(PATH, { badge_slugs: ['first', 'none'] })).status).toBe(204)
  expect((await root.client.get(PATH)).json).toMatchObject([{ slug: 'kind' }])
})

it('refuses a second badge with the same slug', async () => {
  await expect(server.app.badges.create(commandLine, { slug: 'kind', description: '', imageUrl: '' })).rejects.toThrow(
    'already',
  )
  await expect(
    server.app.badges.create(commandLine, { slug: 'not so', description: '', imageUrl: '' }),
  ).rejects.toThrow('bad slug')
  await server.app.badges.delete(commandLine, 'kind')
  expect((await root.client.get(PATH)).json).toEqual([])
})
