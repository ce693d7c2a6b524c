import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

describe('forks', () => {
  let server: TestServer
  let ann: Person
  let bob: Person

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
    await server.world.repo({ owner: ann, name: 'base', description: 'the base', autoInit: true })
  })
  afterAll(() => server.close())

  it('are for signed-in users who may read the code', async () => {
    await server.world.repo({ owner: ann, name: 'hidden', isPrivate: true })
    expect((await server.anonymous.post('/repos/ann/base/forks', {})).status).toBe(401)
    expect((await bob.client.post('/repos/ann/hidden/forks', {})).status).toBe(404)
    expect((await bob.client.get('/repos/ann/hidden/forks')).status).toBe(404)
    await server.world.org('firm', { owner: ann })
    expect((await bob.client.post('/repos/ann/base/forks', { organization: 'firm' })).status).toBe(403)
    expect((await bob.client.post('/repos/ann/base/forks', { organization: 'nowhere' })).status).toBe(404)
    expect((await bob.client.post('/repos/ann/base/forks', { name: 'two words' })).json.message).toBe(
      '[Name]: AlphaDashDot',
    )
  })

  it('are complete in the response, one per owner, and survive the base', async () => {
    const made = await bob.client.post('/repos/ann/base/forks', {})
    expect(made.status).toBe(202)
    expect(made.json).toMatchObject({
      full_name: 'bob/base',
      fork: true,
      description: 'the base',
      empty: false,
      branch_count: 1,
      has_issues: false,
      has_pull_requests: true,
      parent: { full_name: 'ann/base', forks_count: 1 },
    })
    expect((await bob.client.post('/repos/ann/base/forks', { name: 'second' })).json.message).toBe(
      'repository is already forked by user [uname: bob, repo path: ann/base, fork path: bob/base]',
    )
    const own = await ann.client.post('/repos/ann/base/forks', {})
    expect([own.status, own.json.message]).toEqual([409, 'repository already exists [uname: ann, name: base]'])
    expect(
      (await ann.client.post('/repos/ann/base/forks', { organization: 'firm', name: 'other' })).json.full_name,
    ).toBe('firm/other')
    const list = await server.anonymous.get('/repos/ann/base/forks?limit=1&page=2')
    expect([
      list.json.map((repo: { full_name: string }) => repo.full_name),
      list.headers.get('x-total-count'),
      list.headers.get('link')?.match(/rel="[a-z]+"/g),
    ]).toEqual([['firm/other'], '2', ['rel="first"', 'rel="prev"']])
    expect((await ann.client.delete('/repos/firm/other')).status).toBe(204)
    expect((await ann.client.get('/repos/ann/base')).json.forks_count).toBe(1)
    expect((await ann.client.patch('/repos/ann/base', { private: true })).status).toBe(200)
    expect((await bob.client.get('/repos/bob/base')).json).toMatchObject({ private: true, parent: null })
    expect((await ann.client.delete('/repos/ann/base')).status).toBe(204)
    await server.drain()
    expect((await bob.client.get('/repos/bob/base')).json).toMatchObject({ fork: false, parent: null, branch_count: 1 })
    expect((await bob.client.get('/repos/bob/base/branches')).json).toHaveLength(1)
  })

  it('can be created from an empty repository', async () => {
    await server.world.repo({ owner: ann, name: 'bare' })
    const made = await bob.client.post('/repos/ann/bare/forks', {})
    expect([made.status, made.json.empty, made.json.branch_count]).toEqual([202, true, 0])
    expect((await bob.client.get('/repos/bob/bare/branches')).json).toEqual([])
    const file = { content: 'eA==', branch: 'main' }
    expect((await bob.client.post('/repos/bob/bare/contents/a.txt', file)).status).toBe(201)
    expect((await bob.client.get('/repos/bob/bare/branches')).json).toMatchObject([{ name: 'main' }])
  })

  it('leave neither rows nor directories when they fail half-way', async () => {
    await server.world.repo({ owner: ann, name: 'source', autoInit: true })
    const before = await stored(server)
    const { database } = server.app
    const { transaction } = database
    Object.assign(database, { transaction: () => Promise.reject(new Error('the disk is full')) })
    try {
      expect((await bob.client.post('/repos/ann/source/forks', {})).status).toBe(500)
    } finally {
      Object.assign(database, { transaction })
    }
    expect(await stored(server)).toBe(before)
    expect((await bob.client.get('/repos/bob/source')).status).toBe(404)
    expect((await ann.client.get('/repos/ann/source')).json.forks_count).toBe(0)
    expect((await bob.client.post('/repos/ann/source/forks', {})).status).toBe(202)
  })
})

const stored = async (server: TestServer): Promise<number> => {
  let count = 0
  for await (const folder of server.app.git.listStored()) count += folder.length
  return count
}

describeOnBoth('forks that are asked for at once', (on) => {
  it('are one per owner, whatever their names', async () => {
    const server = await startServer({ on })
    try {
      const [ann, bob] = [await server.world.user('ann'), await server.world.user('bob')]
      await server.world.repo({ owner: ann, name: 'base', autoInit: true })
      const answers = await Promise.all(
        ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => bob.client.post('/repos/ann/base/forks', { name })),
      )
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409, 409, 409, 409, 409])
      expect((await ann.client.get('/repos/ann/base')).json.forks_count).toBe(1)
      expect((await bob.client.get('/user/repos')).json).toHaveLength(1)
      await server.drain()
      expect(await stored(server)).toBe(2)
    } finally {
      await server.close()
    }
  })
})
