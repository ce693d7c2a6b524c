import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

let server: TestServer
let ann: Person
let bob: Person

beforeAll(async () => {
  server = await startServer()
  ann = await server.world.user('ann')
  bob = await server.world.user('bob')
  await server.world.repo({ owner: ann, name: 'r' })
  await server.world.repo({ owner: ann, name: 'shut', isPrivate: true })
})
afterAll(() => server.close())

const put = (topics: unknown) => ann.client.put('/repos/ann/r/topics', { topics })
const current = async () => (await server.anonymous.get('/repos/ann/r/topics')).json.topics

it('rejects anonymous requests before it reads the body', async () => {
  expect((await server.anonymous.put('/repos/ann/r/topics', '{')).status).toBe(401)
  expect((await bob.client.put('/repos/ann/r/topics/mine')).status).toBe(403)
  expect((await bob.client.delete('/repos/ann/r/topics/mine')).status).toBe(403)
  for (const client of [server.anonymous, bob.client])
    expect((await client.get('/repos/ann/shut/topics')).status).toBe(404)
})

it('replaces all of them, normalised and sorted', async () => {
  expect((await put(['Zebra', ' ant ', 'ant', '', 'b.x'])).status).toBe(204)
  expect(await current()).toEqual(['ant', 'b.x', 'zebra'])
  const page = await ann.client.get('/repos/ann/r/topics?limit=1&page=2')
  expect(page.json).toEqual({ topics: ['b.x'] })
  expect(page.headers.get('x-total-count')).toBe('3')
  expect((await ann.client.get('/repos/ann/r')).json.topics).toEqual(['ant', 'b.x', 'zebra'])
})

it('names invalid topics, without a url', async () => {
  expect(await put(['bad topic', 'ok', '-x'])).toMatchObject({ status: 422 })
  expect((await put(['bad topic', 'ok', '-x'])).json).toEqual({
    invalidTopics: ['bad topic', '-x'],
    message: 'Topic names are invalid',
  })
  expect((await put(Array.from({ length: 26 }, (_, n) => `t${n}`))).json).toEqual({
    invalidTopics: null,
    message: 'Exceeding maximum number of topics per repo',
  })
  expect((await ann.client.put('/repos/ann/r/topics/bad%20topic')).json).toEqual({
    invalidTopics: 'bad topic',
    message: 'Topic name is invalid',
  })
  expect((await ann.client.put(`/repos/ann/r/topics/${'x'.repeat(36)}`)).status).toBe(422)
  expect((await put('ant')).status).toBe(422)
  expect(await current()).toEqual(['ant', 'b.x', 'zebra'])
})

it('adds and removes single ones', async () => {
  expect((await ann.client.put('/repos/ann/r/topics/Golang')).status).toBe(204)
  expect((await ann.client.put('/repos/ann/r/topics/golang')).status).toBe(204)
  expect((await ann.client.delete('/repos/ann/r/topics/ant')).status).toBe(204)
  expect((await ann.client.delete('/repos/ann/r/topics/ant')).status).toBe(404)
  expect(await current()).toEqual(['b.x', 'golang', 'zebra'])
})

it('stops at 25', async () => {
  await put(Array.from({ length: 25 }, (_, n) => `t${n}`))
  expect((await ann.client.put('/repos/ann/r/topics/more')).json).toEqual({
    message: 'Exceeding maximum allowed topics per repo.',
  })
  expect((await ann.client.put('/repos/ann/r/topics/t3')).status).toBe(204)
})

it('finds topics by a part of their name, the most used first', async () => {
  await server.world.repo({ owner: bob, name: 'other' })
  await put(['sea-shell', 'seaside'])
  await bob.client.put('/repos/bob/other/topics', { topics: ['seaside'] })
  const found = await server.anonymous.get('/topics/search?q=SEA')
  expect(
    found.json.topics.map((topic: { topic_name: string; repo_count: number }) => [topic.topic_name, topic.repo_count]),
  ).toEqual([
    ['seaside', 2],
    ['sea-shell', 1],
  ])
  expect((await server.anonymous.get('/topics/search?q=a_s')).json.topics).toEqual([])
  await bob.client.delete('/repos/bob/other')
  const eve = await server.world.user('eve')
  await server.world.repo({ owner: eve, name: 'hers' })
  await eve.client.put('/repos/eve/hers/topics', { topics: ['sea-shell', 'seaside'] })
  const count = async () =>
    Object.fromEntries(
      (await server.anonymous.get('/topics/search?q=sea')).json.topics.map(
        (topic: { topic_name: string; repo_count: number }) => [topic.topic_name, topic.repo_count],
      ),
    )
  expect(await count()).toEqual({ 'sea-shell': 2, seaside: 2 })
  expect((await (await server.world.admin('topic-root')).client.delete('/admin/users/eve?purge=true')).status).toBe(204)
  expect(await count()).toEqual({ 'sea-shell': 1, seaside: 1 })
  expect((await server.anonymous.get('/topics/search?q=%25')).json.topics).toEqual([])
})
