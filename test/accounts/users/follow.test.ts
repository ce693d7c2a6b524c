import { systemActor } from '../../../src/core/access/viewer.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

describe('following', () => {
  let server: TestServer
  let ann: Person
  let bob: Person

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('Ann')
    bob = await server.world.user('bob')
  })
  afterAll(() => server.close())

  const names = (list: readonly { login: string }[]): string[] => list.map((user) => user.login)
  const counts = async (who: string): Promise<number[]> => {
    const { followers_count, following_count } = (await ann.client.get(`/users/${who}`)).json
    return [followers_count, following_count]
  }

  it('needs a signed-in user, and answers 404 for private accounts', async () => {
    await server.world.user('hidden', { visibility: 'private' })
    for (const path of [
      '/user/followers',
      '/user/following',
      '/user/following/bob',
      '/users/bob/followers',
      '/users/bob/following',
      '/users/bob/following/ann',
    ])
      expect((await server.anonymous.get(path)).status, path).toBe(401)
    expect((await server.anonymous.put('/user/following/bob')).status).toBe(401)
    for (const name of ['hidden', 'nobody']) {
      expect((await ann.client.put(`/user/following/${name}`)).status).toBe(404)
      expect((await ann.client.delete(`/user/following/${name}`)).status).toBe(404)
      expect((await ann.client.get(`/users/${name}/followers`)).status).toBe(404)
      expect((await ann.client.get(`/users/bob/following/${name}`)).status).toBe(404)
    }
    const narrow = await ann.withToken('read:user')
    expect((await narrow.put('/user/following/bob')).status).toBe(403)
  })

  it('not following user → PUT /user/following/{username} → following, once', async () => {
    expect((await ann.client.get('/user/following/BOB')).status).toBe(404)
    for (let time = 0; time < 2; time++) expect((await ann.client.put('/user/following/BOB')).status).toBe(204)
    expect((await ann.client.get('/user/following/bob')).status).toBe(204)
    expect((await bob.client.get('/users/ann/following/bob')).status).toBe(204)
    expect((await bob.client.get('/users/bob/following/ann')).status).toBe(404)
    expect([await counts('bob'), await counts('ann')]).toEqual([
      [1, 0],
      [0, 1],
    ])
  })

  it('following user → DELETE /user/following/{username} → not following, also when repeated', async () => {
    for (let time = 0; time < 2; time++) expect((await ann.client.delete('/user/following/bob')).status).toBe(204)
    expect((await ann.client.get('/user/following/bob')).status).toBe(404)
    expect([await counts('bob'), await counts('ann')]).toEqual([
      [0, 0],
      [0, 0],
    ])
  })

  it('following oneself has no effect', async () => {
    expect((await ann.client.put('/user/following/ann')).status).toBe(204)
    expect((await ann.client.get('/user/following/ann')).status).toBe(404)
    expect(await counts('ann')).toEqual([0, 0])
  })

  it('keeps the counters right when many follow each other concurrently', async () => {
    const crowd = await Promise.all(['c1', 'c2', 'c3'].map((name) => server.world.user(name)))
    await Promise.all(crowd.flatMap((one) => crowd.map((other) => one.client.put(`/user/following/${other.name}`))))
    for (const { name } of crowd) expect(await counts(name)).toEqual([2, 2])
  })

  it('GET /user/followers, /user/following, /users/{username}/followers and /following list with totals', async () => {
    const { org } = await server.world.org('team', { owner: bob })
    const dee = await server.world.user('dee')
    const eve = await server.world.user('eve', { visibility: 'limited' })
    for (const name of ['dee', 'eve', org.name]) await bob.client.put(`/user/following/${name}`)
    await eve.client.put('/user/following/dee')
    const page = await bob.client.get('/user/following?limit=2')
    expect([names(page.json), page.headers.get('x-total-count')]).toEqual([['dee', 'eve'], '3'])
    expect(page.headers.get('link')).toContain('page=2')
    expect(names((await ann.client.get('/users/bob/following?limit=2&page=2')).json)).toEqual(['team'])
    expect(names((await dee.client.get('/user/followers')).json)).toEqual(['bob', 'eve'])
    expect(names((await dee.client.get('/users/team/followers')).json)).toEqual(['bob'])
  })

  it('omits accounts that the viewer may not see, also from the total', async () => {
    await server.app.users.edit(systemActor, (await server.app.users.findByName('eve'))!, { visibility: 'private' })
    const seen = await ann.client.get('/users/dee/followers')
    expect([names(seen.json), seen.headers.get('x-total-count')]).toEqual([['bob'], '1'])
    const publicOnly = await bob.withToken('read:user', 'public-only')
    expect(names((await publicOnly.get('/user/following')).json)).toEqual(['dee', 'team'])
    const root = await server.world.admin()
    expect(names((await root.client.get('/users/dee/followers')).json)).toEqual(['bob', 'eve'])
  })

  it('lists private accounts to users whom they follow and to their teams, and only public ones to restricted users', async () => {
    const [star, fan, mate, passer, limited, strict] = await Promise.all([
      server.world.user('star'),
      server.world.user('fan', { visibility: 'private' }),
      server.world.user('mate'),
      server.world.user('passer'),
      server.world.user('limited', { visibility: 'limited' }),
      server.world.user('strict', { isRestricted: true }),
    ])
    await (await server.world.org('club', { owner: bob })).team('crew', { members: [fan, mate] })
    for (const one of [fan, limited, passer]) expect((await one.client.put('/user/following/star')).status).toBe(204)
    const followers = async (viewer: Person): Promise<[string[], string | null]> => {
      const { json, headers } = await viewer.client.get('/users/star/followers')
      return [names(json).toSorted(), headers.get('x-total-count')]
    }
    expect(await followers(star)).toEqual([['fan', 'limited', 'passer'], '3'])
    expect(await followers(mate)).toEqual([['fan', 'limited', 'passer'], '3'])
    expect(await followers(passer)).toEqual([['limited', 'passer'], '2'])
    expect(await followers(strict)).toEqual([['passer'], '1'])
    expect((await star.client.get('/users/fan')).status).toBe(404)
  })

  it('lists a followed private organization to its members', async () => {
    await server.world.org('secret', { owner: bob, visibility: 'private' })
    expect((await ann.client.put('/user/following/secret')).status).toBe(404)
    expect((await bob.client.put('/user/following/secret')).status).toBe(204)
    expect(names((await bob.client.get('/user/following')).json)).toContain('secret')
    expect(names((await ann.client.get('/users/bob/following')).json)).not.toContain('secret')
  })
})
