import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../harness/client.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Organization, Person } from '../../harness/world.ts'

let server: TestServer
let ann: Person
let root: Person
let firm: Organization
let teamId: number

beforeAll(async () => {
  server = await startServer()
  const { world } = server
  root = await world.admin()
  ann = await world.user('ann')
  const bob = await world.user('bob')
  for (const name of ['users', 'repos', 'shy']) await world.user(name, name === 'shy' ? { visibility: 'private' } : {})
  firm = await world.org('firm', { owner: ann })
  await world.org('oldfirm', { owner: ann })
  teamId = (await firm.team('crew', { members: [bob] })).id
  await world.repo({ owner: ann, name: 'old', autoInit: true, defaultBranch: 'main' })
  await world.repo({ owner: ann, name: 'secret', isPrivate: true })
  await world.repo({ owner: ann, name: 'plain', autoInit: true })
  const rename = async (path: string, body: object) => expect((await root.client.post(path, body)).status).toBe(204)
  for (const [from, to] of [
    ['bob', 'rob'],
    ['users', 'people'],
    ['repos', 'keeper'],
    ['shy', 'hush'],
  ] as const)
    await rename(`/admin/users/${from}/rename`, { new_username: to })
  await rename('/orgs/oldfirm/rename', { new_name: 'newfirm' })
  for (const [from, to] of [
    ['old', 'new'],
    ['secret', 'hidden'],
  ] as const)
    expect((await ann.client.patch(`/repos/ann/${from}`, { name: to })).status).toBe(200)
})
afterAll(() => server.close())

const moved = async (
  client: Client,
  method: 'get' | 'post' | 'put' | 'patch' | 'delete',
  path: string,
): Promise<unknown[]> => {
  const answer = method === 'get' || method === 'delete' ? await client[method](path) : await client[method](path, {})
  return [answer.status, answer.headers.get('location')?.replace('/api/v1', '') ?? null]
}

describe('the former name of a repository', () => {
  it.each(['get', 'patch', 'delete'] as const)('%s leads to the new one, whatever the method', async (method) => {
    expect(await moved(ann.client, method, '/repos/ANN/Old')).toEqual([301, '/repos/ann/new'])
  })

  it('keeps the rest of the path and the query as they were sent', async () => {
    expect(await moved(ann.client, 'put', '/repos/ann/old/contents/a%20b%2Fc?x=%20y&limit=1')).toEqual([
      301,
      '/repos/ann/new/contents/a%20b%2Fc?x=%20y&limit=1',
    ])
    expect(await moved(ann.client, 'put', '/user/starred/ann/old')).toEqual([301, '/user/starred/ann/new'])
    expect(await moved(ann.client, 'get', '/repos/ann/old/')).toEqual([301, '/repos/ann/new/'])
  })

  it('answers 404 to viewers without access, and 405 to methods that the path does not have', async () => {
    expect(await moved(ann.client, 'get', '/repos/ann/secret')).toEqual([301, '/repos/ann/hidden'])
    for (const client of [server.anonymous, root.client])
      expect((await client.get('/repos/ann/secret')).status).toBe(client === root.client ? 301 : 404)
    expect((await ann.client.put('/repos/ann/old')).status).toBe(405)
  })
})

describe('the former name of an account', () => {
  it.each([
    ['get', '/users/bob', '/users/rob'],
    ['get', '/users/BOB/repos?limit=2', '/users/rob/repos?limit=2'],
    ['get', '/repos/bob/anything', '/repos/rob/anything'],
    ['put', '/user/following/bob', '/user/following/rob'],
    ['get', '/users/ann/following/bob', '/users/ann/following/rob'],
    ['get', '/orgs/firm/members/bob', '/orgs/firm/members/rob'],
    ['delete', '/orgs/firm/members/bob', '/orgs/firm/members/rob'],
    ['get', '/orgs/firm/public_members/bob', '/orgs/firm/public_members/rob'],
    ['get', '/orgs/oldfirm/teams', '/orgs/newfirm/teams'],
    ['post', '/orgs/oldfirm/repos', '/orgs/newfirm/repos'],
  ] as const)('%s %s leads to the new one', async (method, from, to) => {
    expect(await moved(ann.client, method, from)).toEqual([307, to])
  })

  it('leads to the new one in a team too', async () => {
    for (const method of ['get', 'put', 'delete'] as const)
      expect(await moved(ann.client, method, `/teams/${teamId}/members/bob`)).toEqual([
        307,
        `/teams/${teamId}/members/rob`,
      ])
  })

  it('is not taken for a part of the path that is called the same', async () => {
    expect(await moved(ann.client, 'get', '/users/users/following/users')).toEqual([
      307,
      '/users/people/following/users',
    ])
    expect(await moved(ann.client, 'get', '/repos/repos/repos')).toEqual([307, '/repos/keeper/repos'])
  })

  it('answers 404 when the account is hidden', async () => {
    expect((await server.anonymous.get('/users/shy')).status).toBe(404)
    expect((await ann.client.put(`/teams/${teamId}/members/shy`)).status).toBe(404)
  })

  it('in a body or within a segment leads nowhere, instead of to where the client is', async () => {
    const answers = [
      await ann.client.post('/repos/ann/plain/forks', { organization: 'oldfirm' }),
      await ann.client.get('/repos/ann/plain/compare/main...bob:main'),
      await ann.client.post('/repos/ann/plain/transfer', { new_owner: 'bob' }),
    ]
    for (const { status } of answers) expect([404, 422]).toContain(status)
  })
})

it('redirects keep the path under which the server is reached', async () => {
  const below = await startServer({ settings: { 'server.root_url': 'https://host.example/git/' } })
  try {
    const cat = await below.world.user('cat')
    for (const name of ['old', 'other']) await below.world.repo({ owner: cat, name })
    await cat.client.patch('/repos/cat/old', { name: 'new' })
    expect((await cat.client.get('/repos/cat/old?x=1')).headers.get('location')).toBe('/git/api/v1/repos/cat/new?x=1')
    expect((await cat.client.get('/user/repos?limit=1')).headers.get('link')).toContain(
      '<https://host.example/git/api/v1/user/repos?limit=1&page=2>; rel="next"',
    )
  } finally {
    await below.close()
  }
})
