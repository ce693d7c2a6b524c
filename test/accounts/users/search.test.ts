import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

describe('GET /users/search', () => {
  let server: TestServer
  let ann: Person
  let root: Person
  let prv: Person
  const names = (list: readonly { login: string }[]): string[] => list.map((user) => user.login)

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('Ann', { fullName: 'Ann Archer' })
    await server.world.user('lim', { visibility: 'limited' })
    prv = await server.world.user('prv', { visibility: 'private' })
    await server.world.org('annex')
    root = await server.world.admin()
  })
  afterAll(() => server.close())

  it('returns the individuals that the viewer may see', async () => {
    expect(names((await server.anonymous.get('/users/search')).json)).toEqual(['Ann', 'annex-owner', 'root'])
    expect(names((await ann.client.get('/users/search')).json)).toEqual(['Ann', 'annex-owner', 'lim', 'root'])
    expect(names((await root.client.get('/users/search')).json)).toEqual(['Ann', 'annex-owner', 'lim', 'prv', 'root'])
    const sorted = async (sort: string) => names((await root.client.get(`/users/search?sort=${sort}`)).json)
    expect(await sorted('reversealphabetically')).toEqual(['root', 'prv', 'lim', 'annex-owner', 'Ann'])
    expect(await sorted('newest')).toEqual((await sorted('oldest')).toReversed())
    expect((await root.client.get('/users/search?sort=loudest')).status).toBe(422)
  })

  it('finds by login, full name, visible address and id', async () => {
    expect(names((await ann.client.get('/users/search?q=%20ARCHER%20')).json)).toEqual(['Ann'])
    expect(names((await ann.client.get('/users/search?q=lim%40example')).json)).toEqual(['lim'])
    expect(names((await ann.client.get(`/users/search?uid=${ann.user.id}`)).json)).toEqual(['Ann'])
    expect((await ann.client.get('/users/search?uid=99999')).json).toEqual([])
  })

  it('finds the virtual accounts by id', async () => {
    for (const [uid, login] of [
      [-1, 'Ghost'],
      [-2, 'gitea-actions'],
    ]) {
      const { json, headers } = await server.anonymous.get(`/users/search?uid=${uid}`)
      expect(json).toMatchObject([
        {
          id: uid,
          login,
          username: login,
          created: '1970-01-01T00:00:00Z',
          avatar_url: `${server.url}/assets/img/avatar_default.png`,
        },
      ])
      expect(headers.get('x-total-count')).toBe('1')
    }
    expect((await server.anonymous.get('/users/search?uid=-3')).json).toEqual([])
  })

  it('pages with a total', async () => {
    const page = await ann.client.get('/users/search?limit=1&page=2')
    expect([names(page.json), page.headers.get('x-total-count')]).toEqual([['annex-owner'], '4'])
    // One row is never the last page, so that each of these is counted.
    for (const [client, total] of [
      [server.anonymous, '3'],
      [ann.client, '4'],
      [prv.client, '5'],
      [root.client, '5'],
    ] as const) {
      expect((await client.get('/users/search?limit=1')).headers.get('x-total-count')).toBe(total)
      expect((await client.get('/users/search?limit=1&page=9')).headers.get('x-total-count')).toBe(total)
    }
    expect((await prv.client.get('/users/search?limit=1&q=r')).headers.get('x-total-count')).toBe('4')
  })

  it('returns {ok, data} when api.users_search_results is set', async () => {
    const other = await startServer({ settings: { 'api.users_search_results': 'true' } })
    await other.world.user('bob')
    const found = await other.anonymous.get('/users/search?q=bo')
    expect([found.json.ok, names(found.json.data), found.headers.get('x-total-count')]).toEqual([true, ['bob'], '1'])
    expect((await other.anonymous.get('/users/search?q=nobody')).json).toEqual({ ok: true, data: [] })
    await other.close()
  })

  it('can require sign-in or be disabled, with profiles and heatmaps', async () => {
    const strict = await startServer({
      settings: { 'service.explore_require_signin_view': 'true', 'service.enable_user_heatmap': 'false' },
    })
    const closed = await startServer({ settings: { 'service.explore_disable_users_page': 'true' } })
    try {
      const bea = await strict.world.user('bea')
      for (const path of ['/users/search', '/users/bea', '/users/bea/repos', '/users/nobody']) {
        expect(await strict.anonymous.get(path), path).toMatchObject({
          status: 401,
          json: { message: 'you must be signed in to search for users' },
        })
      }
      for (const path of ['/users/search', '/users/bea', '/users/bea/repos'])
        expect((await bea.client.get(path)).status, path).toBe(200)
      expect((await bea.client.get('/users/bea/heatmap')).status).toBe(404)
      expect((await strict.anonymous.get('/version')).status).toBe(200)
      expect((await closed.anonymous.get('/users/search')).status).toBe(404)
    } finally {
      await strict.close()
      await closed.close()
    }
  })
})
