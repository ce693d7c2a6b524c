import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

let server: TestServer
let alice: Person
let root: Person

beforeAll(async () => {
  server = await startServer()
  alice = await server.world.user('alice')
  root = await server.world.admin()
})
afterAll(() => server.close())

describe('who may manage tokens', () => {
  it('refuses anonymous callers first', async () => {
    const bob = await server.world.user('bob')
    expect((await server.anonymous.get('/users/alice/tokens')).status).toBe(403)
    expect((await bob.client.get('/users/alice/tokens')).status).toBe(403)
    expect((await bob.client.post('/users/alice/tokens', { name: 5 })).status).toBe(403)
    await server.world.user('hermit', { visibility: 'private' })
    for (const name of ['nobody', 'hermit']) {
      expect((await bob.client.get(`/users/${name}/tokens`)).status).toBe(404)
      expect((await server.anonymous.get(`/users/${name}/tokens`)).status).toBe(404)
    }
  })

  it('requires a password: a header token gets 401, a token by Basic is accepted with its scope', async () => {
    const value = await alice.token('write:user')
    expect((await server.anonymous.get('/users/alice/tokens', { authorization: `token ${value}` })).status).toBe(401)
    const basic = Buffer.from(`alice:${value}`).toString('base64')
    expect((await server.anonymous.get('/users/alice/tokens', { authorization: `Basic ${basic}` })).status).toBe(200)
    const narrow = Buffer.from(`x:${await alice.token('read:repository')}`).toString('base64')
    expect((await server.anonymous.get('/users/alice/tokens', { authorization: `Basic ${narrow}` })).status).toBe(403)
  })

  it('allows site administrators to act for another user', async () => {
    expect((await root.client.post('/users/alice/tokens', { name: 'by-root', scopes: ['read:user'] })).status).toBe(201)
    expect((await root.client.get('/users/nobody/tokens')).status).toBe(404)
  })
})

describe('the token of a request', () => {
  it('describes itself whatever its scopes, and deletes itself', async () => {
    const made = await alice.client.post('/users/alice/tokens', { name: 'self', scopes: ['read:misc'] })
    const authorization = `token ${made.json.sha1}`
    const own = await server.anonymous.get('/token', { authorization })
    expect([own.status, own.json]).toMatchObject([
      200,
      { id: made.json.id, name: 'self', scopes: ['read:misc'], user: { id: alice.user.id, login: 'alice' } },
    ])
    expect(own.text).not.toContain(made.json.sha1)
    expect((await server.anonymous.delete('/token', undefined, { authorization })).status).toBe(204)
    expect((await server.anonymous.get('/token', { authorization })).status).toBe(401)
  })

  it('does not exist for a password or an anonymous caller', async () => {
    expect((await alice.client.get('/token')).status).toBe(404)
    expect((await alice.client.delete('/token')).status).toBe(404)
    expect((await server.anonymous.get('/token')).status).toBe(401)
  })
})

describe('tokens of users for site administrators', () => {
  const as = (value: string) => ({ authorization: `token ${value}` })

  it('are listed, created and deleted with a token of the scope admin', async () => {
    const value = await root.token('write:admin')
    const made = await server.anonymous.post(
      '/admin/users/alice/tokens',
      { name: 'by-admin', scopes: ['read:user'] },
      as(value),
    )
    expect([made.status, made.json.scopes]).toEqual([201, ['read:user']])
    expect((await server.anonymous.get('/user', as(made.json.sha1))).json.login).toBe('alice')
    const list = await server.anonymous.get('/admin/users/alice/tokens', as(value))
    expect(list.json[0]).toMatchObject({ name: 'by-admin', sha1: '' })
    const wrong = await server.anonymous.post(
      '/admin/users/alice/tokens',
      { name: 'wrong', scopes: ['read:everything'] },
      as(value),
    )
    expect(wrong.status).toBe(400)
    expect((await server.anonymous.delete('/admin/users/alice/tokens/by-admin', {}, as(value))).status).toBe(204)
    expect((await server.anonymous.delete('/admin/users/alice/tokens/by-admin', {}, as(value))).status).toBe(404)
    expect((await server.anonymous.get('/user', as(made.json.sha1))).status).toBe(401)
  })

  it('are refused to others, and to tokens without the scope', async () => {
    const narrow = await root.token('write:user')
    expect((await server.anonymous.get('/admin/users/alice/tokens', as(narrow))).status).toBe(403)
    expect((await alice.client.get('/admin/users/alice/tokens')).status).toBe(403)
    expect((await alice.client.post('/admin/users/root/tokens', { name: 'x', scopes: ['all'] })).status).toBe(403)
    await server.world.org('crew', { owner: alice })
    expect((await root.client.post('/admin/users/crew/tokens', { name: 'x', scopes: ['all'] })).status).toBe(422)
    expect((await root.client.get('/admin/users/nobody/tokens')).status).toBe(404)
  })
})

describe('creating', () => {
  it('shows the value once', async () => {
    const made = await alice.client.post('/users/alice/tokens', {
      Name: 'ci',
      Scopes: ['write:user', 'read:user', 'read:repository', 'public-only'],
    })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({ name: 'ci', scopes: ['public-only', 'read:repository', 'write:user'] })
    expect(made.json.sha1).toMatch(/^[0-9a-f]{40}$/)
    expect(made.json.token_last_eight).toBe(made.json.sha1.slice(-8))
    const list = await alice.client.get('/users/alice/tokens')
    expect(list.json[0]).toMatchObject({ name: 'ci', sha1: '' })
    expect((await server.anonymous.get('/user', { authorization: `bearer ${made.json.sha1}` })).json.login).toBe(
      'alice',
    )
  })

  it('refuses bad names and scopes with a message', async () => {
    const create = (body: object) => alice.client.post('/users/alice/tokens', body)
    expect((await create({ scopes: ['all'] })).json.message).toBe('[Name]: Required')
    expect((await create({ name: 'x'.repeat(256), scopes: ['all'] })).json.message).toBe(
      '[Name]: MaxSize (at most 255 characters)',
    )
    expect((await create({ name: 'n', scopes: ['repo'] })).json.message).toBe(
      'invalid access token scope provided: invalid access token scope: repo',
    )
    expect((await create({ name: 'n', scopes: [] })).json.message).toBe('access token must have a scope')
    expect(await create({ name: 'ci', scopes: ['nonsense'] })).toMatchObject({
      status: 400,
      json: { message: 'access token name has been used already' },
    })
    expect((await create({ name: 7, scopes: ['all'] })).status).toBe(422)
  })

  it('pages newest first with the total', async () => {
    const carol = await server.world.user('carol')
    for (const name of ['a', 'b', 'c']) await carol.client.post('/users/carol/tokens', { name, scopes: ['all'] })
    const page = await carol.client.get('/users/carol/tokens?limit=2&page=2')
    expect(page.json.map((t: { name: string }) => t.name)).toEqual(['a'])
    expect(page.headers.get('x-total-count')).toBe('3')
  })
})

describe('deleting', () => {
  it('reads a number as id and anything else as name', async () => {
    const dave = await server.world.user('dave')
    const byId = await dave.client.post('/users/dave/tokens', { name: '5', scopes: ['all'] })
    await dave.client.post('/users/dave/tokens', { name: 'named', scopes: ['all'] })
    expect((await dave.client.delete('/users/dave/tokens/named')).status).toBe(204)
    expect((await dave.client.delete('/users/dave/tokens/5555')).status).toBe(404)
    expect((await dave.client.delete(`/users/dave/tokens/${byId.json.id}`)).status).toBe(204)
    expect((await server.anonymous.get('/user', { authorization: `token ${byId.json.sha1}` })).status).toBe(401)
  })

  it('does not delete tokens of another user', async () => {
    const mine = await alice.client.post('/users/alice/tokens', { name: 'keep', scopes: ['all'] })
    const erin = await server.world.user('erin')
    expect((await erin.client.delete(`/users/erin/tokens/${mine.json.id}`)).status).toBe(404)
  })
})

it('requires only the organization scope for the repositories of an organization, both at the old path', async () => {
  const { name, owner } = await server.world.org('scoped')
  const org = await owner.withToken('write:organization')
  expect((await org.get(`/orgs/${name}/repos`)).status).toBe(200)
  expect((await org.post(`/orgs/${name}/repos`, { name: 'new' })).status).toBe(201)
  expect((await org.post(`/org/${name}/repos`, { name: 'old' })).status).toBe(403)
  expect((await (await owner.withToken('write:repository')).get(`/orgs/${name}/repos`)).status).toBe(403)
})
