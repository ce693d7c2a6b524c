import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

type Answer = Awaited<ReturnType<Client['get']>>

describe('lists of repositories', () => {
  let server: TestServer
  let ann: Person
  let bob: Person

  beforeAll(async () => {
    server = await startServer()
    const { world } = server
    ann = await world.user('ann')
    bob = await world.user('bob')
    await world.repo({ owner: ann, name: 'zebra', description: 'Striped ÉTUDE' })
    await world.repo({ owner: ann, name: 'apple', isPrivate: true })
    await world.repo({ owner: bob, name: 'apple-pie', isTemplate: true })
    const { org } = await world.org('guild', { owner: bob })
    await world.repo({ owner: org, by: bob, name: 'ledger' })
    await world.repo({ owner: org, by: bob, name: 'vault', isPrivate: true })
    const hidden = await world.org('lodge', { owner: bob, visibility: 'private' })
    await world.repo({ owner: hidden.org, by: bob, name: 'minutes' })
  })
  afterAll(() => server.close())

  const names = ({ json }: Answer): string[] => {
    const found = json as { full_name: string }[] | { data: { full_name: string }[] }
    return ('data' in found ? found.data : found).map((repo) => repo.full_name)
  }
  const total = (answer: Answer): string | null => answer.headers.get('x-total-count')

  it('shows other users public repositories of public owners only', async () => {
    const { anonymous } = server
    expect((await anonymous.get('/user/repos')).status).toBe(401)
    const found = await anonymous.get('/repos/search')
    expect([found.json.ok, names(found), total(found)]).toEqual([
      true,
      ['ann/zebra', 'bob/apple-pie', 'guild/ledger'],
      '3',
    ])
    expect(names(await anonymous.get('/users/ann/repos'))).toEqual(['ann/zebra'])
    expect(names(await anonymous.get('/orgs/guild/repos'))).toEqual(['guild/ledger'])
    for (const path of [
      '/users/nobody/repos',
      '/users/lodge/repos',
      '/orgs/bob/repos',
      '/orgs/nobody/repos',
      '/orgs/lodge/repos',
    ])
      expect((await anonymous.get(path)).status, path).toBe(404)
    expect((await ann.client.get('/orgs/lodge/repos')).status).toBe(404)
  })

  it('shows each requester its own repositories, by id, with totals that count no hidden row', async () => {
    expect(names(await ann.client.get('/user/repos'))).toEqual(['ann/zebra', 'ann/apple'])
    expect(names(await bob.client.get('/user/repos'))).toEqual([
      'bob/apple-pie',
      'guild/ledger',
      'guild/vault',
      'lodge/minutes',
    ])
    const others = await bob.client.get('/users/ann/repos')
    expect([names(others), total(others)]).toEqual([['ann/zebra'], '1'])
    expect(names(await bob.client.get('/orgs/lodge/repos'))).toEqual(['lodge/minutes'])
  })

  it('cuts pages, links them and sorts on request', async () => {
    const first = await bob.client.get('/user/repos?limit=3&order_by=name')
    expect([names(first), total(first)]).toEqual([['bob/apple-pie', 'guild/ledger', 'lodge/minutes'], '4'])
    expect(first.headers.get('link')).toContain('page=2')
    expect((await bob.client.get('/user/repos?order_by=odd')).status).toBe(422)
    expect((await bob.client.get('/user/repos?order_by=constructor')).status).toBe(422)
  })

  it.each([
    ['q=apple', ['ann/apple', 'bob/apple-pie']],
    ['q=LEDG,zeb', ['ann/zebra', 'guild/ledger']],
    ['q=bob/app', ['bob/apple-pie']],
    ['q=striped', []],
    ['q=striped&includeDesc=true', ['ann/zebra']],
    ['q=ÉTUDE&includeDesc=1', ['ann/zebra']],
    ['q=%25', []],
    ['private=false', ['ann/zebra', 'bob/apple-pie', 'guild/ledger']],
    ['is_private=true', ['ann/apple']],
    ['template=true', ['bob/apple-pie']],
    ['archived=true', []],
    ['mode=fork', []],
    ['sort=alpha&order=desc', ['guild/ledger', 'bob/apple-pie', 'ann/zebra', 'ann/apple']],
    ['sort=id&order=desc&limit=1', ['guild/ledger']],
    ['order=desc&limit=1', ['ann/zebra']],
    ['uid=0&starredBy=x', ['ann/zebra', 'ann/apple', 'bob/apple-pie', 'guild/ledger']],
    ['topic=true&q=apple', []],
  ])('searches by %s', async (query, expected) => {
    expect(names(await ann.client.get(`/repos/search?${query}`))).toEqual(expected)
  })

  it('searches by owner', async () => {
    const search = async (query: string): Promise<string[]> => names(await ann.client.get(`/repos/search?${query}`))
    expect(await search(`uid=${bob.user.id}`)).toEqual(['bob/apple-pie', 'guild/ledger'])
    expect(await search(`uid=${bob.user.id}&exclusive=true`)).toEqual(['bob/apple-pie'])
    expect(await search(`uid=${bob.user.id}&mode=collaborative`)).toEqual(['guild/ledger'])
    expect(await search(`priority_owner_id=${bob.user.id}&limit=2`)).toEqual(['bob/apple-pie', 'ann/zebra'])
  })

  it.each([
    ['mode=odd', 'Invalid search mode: "odd"'],
    ['sort=odd', 'Invalid sort mode: "odd"'],
    ['sort=id&order=odd', 'Invalid sort order: "odd"'],
    [`q=${'x'.repeat(5000)}`, expect.any(String)],
  ])('rejects %s', async (query, message) => {
    const answer = await server.anonymous.get(`/repos/search?${query}`)
    expect(answer).toMatchObject({ status: 422, json: { ok: false, error: message, message } })
  })

  it('rejects requests with SearchError, and omits absent members', async () => {
    const search = (headers: Record<string, string>) => server.anonymous.get('/repos/search', headers)
    expect(await search({ authorization: 'token 0123' })).toMatchObject({
      status: 401,
      json: { ok: false, error: expect.stringMatching(/./) },
    })
    expect((await server.anonymous.get('/repos/odd/odd')).json).toEqual({})
  })

  it('shows no private repositories to a public-only token', async () => {
    const narrow = await ann.withToken('public-only', 'read:repository', 'read:user')
    expect(names(await narrow.get('/user/repos'))).toEqual(['ann/zebra'])
    expect((await (await ann.withToken('read:repository')).get('/user/repos')).status).toBe(403)
  })

  it('base interface: a search that fails returns SearchError without the reason', async () => {
    const executor = server.app.database.read.getExecutor() as unknown as { executeQuery: unknown }
    const { executeQuery } = executor
    executor.executeQuery = () => Promise.reject(new Error('a column is missing'))
    try {
      const answer = await server.anonymous.get('/repos/search?q=x')
      expect(answer).toMatchObject({ status: 500, json: { ok: false, error: 'the search failed', message: '' } })
      expect(await server.anonymous.get('/repos/search?mode=x')).toMatchObject({
        status: 422,
        json: { ok: false, message: 'Invalid search mode: "x"' },
      })
    } finally {
      executor.executeQuery = executeQuery
    }
    expect((await server.anonymous.get('/repos/search?q=x')).status).toBe(200)
  })

  it('shows each viewer its own permissions, and every change in the next response', async () => {
    const { anonymous, world } = server
    const kim = await world.user('kim')
    await world.repo({ owner: kim, name: 'kiosk' })
    const pushes = async (client: Client): Promise<boolean> => {
      const { json } = await client.get('/repos/search?q=kiosk')
      return json.data[0].permissions.push
    }
    expect([await pushes(kim.client), await pushes(ann.client), await pushes(anonymous)]).toEqual([true, false, false])
    expect([await pushes(kim.client), await pushes(ann.client)]).toEqual([true, false])
    await kim.client.put('/repos/kim/kiosk/collaborators/ann', { permission: 'write' })
    expect(await pushes(ann.client)).toBe(true)
    await kim.client.patch('/repos/kim/kiosk', { description: 'newspapers' })
    expect((await ann.client.get('/repos/search?q=kiosk')).json.data[0].description).toBe('newspapers')
    await kim.client.patch('/user/settings', { full_name: 'Kim Oh' })
    expect((await ann.client.get('/users/kim/repos')).json[0].owner.full_name).toBe('Kim Oh')
  })
})
