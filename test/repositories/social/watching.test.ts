import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

let server: TestServer
let ann: Person
let bob: Person

beforeAll(async () => {
  server = await startServer()
  ann = await server.world.user('ann')
  bob = await server.world.user('bob')
  for (const name of ['one', 'two']) await server.world.repo({ owner: ann, name })
  await server.world.repo({ owner: ann, name: 'vault', isPrivate: true })
})
afterAll(() => server.close())

const logins = (answer: { json: { login: string }[] }): string[] => answer.json.map((user) => user.login)
const repos = (answer: { json: { name: string }[] }): string[] => answer.json.map((repo) => repo.name)

describe('anonymous callers and users without access', () => {
  it('get 401 on a public repository and see no private one', async () => {
    for (const method of ['get', 'put', 'delete'] as const) {
      expect((await server.anonymous[method]('/repos/ann/one/subscription')).status).toBe(401)
      expect((await server.anonymous[method]('/repos/ann/vault/subscription')).status).toBe(404)
      expect((await bob.client[method]('/repos/ann/vault/subscription')).status).toBe(404)
      expect((await bob.client[method]('/repos/ann/absent/subscription')).status).toBe(404)
      expect((await server.anonymous[method]('/user/starred/ann/one')).status).toBe(401)
      expect((await server.anonymous[method]('/user/starred/ann/vault')).status).toBe(401)
      expect((await bob.client[method]('/user/starred/ann/vault')).status).toBe(404)
    }
    for (const list of ['subscribers', 'stargazers'])
      expect((await server.anonymous.get(`/repos/ann/vault/${list}`)).status).toBe(404)
    for (const path of ['/user/starred', '/user/subscriptions', '/users/ann/starred', '/users/ann/subscriptions'])
      expect((await server.anonymous.get(path)).status).toBe(401)
    for (const list of ['starred', 'subscriptions'])
      expect((await bob.client.get(`/users/nobody/${list}`)).status).toBe(404)
  })

  it('need tokens with the right scopes', async () => {
    const narrow = await bob.withToken('read:repository')
    expect((await narrow.put('/repos/ann/one/subscription')).status).toBe(403)
    expect((await narrow.get('/user/starred')).status).toBe(403)
    expect((await (await bob.withToken('read:user')).get('/user/starred/ann/one')).status).toBe(403)
    expect((await (await bob.withToken('read:user')).get('/user/subscriptions')).status).toBe(200)
  })
})

describe('base interface: /repos/{username}/{reponame}/subscription', () => {
  it('GET is 404 until PUT returns 200 with WatchInfo; repeated DELETE is 204', async () => {
    const path = '/repos/ann/one/subscription'
    expect((await bob.client.get(path)).status).toBe(404)
    const repo = (await ann.client.get('/repos/ann/one')).json
    for (let n = 0; n < 2; n++) {
      const info = await bob.client.put(path)
      expect(info.status).toBe(200)
      const url = `${server.url}/api/v1/repos/ann/one`
      expect(info.json).toEqual({
        subscribed: true,
        ignored: false,
        reason: null,
        created_at: repo.created_at,
        url: `${url}/subscription`,
        repository_url: url,
      })
      expect((await bob.client.get(path)).json).toEqual(info.json)
    }
    expect((await ann.client.get('/repos/ann/one')).json.watchers_count).toBe(2)
    expect(logins(await server.anonymous.get('/repos/ann/one/subscribers?limit=1&page=2'))).toEqual(['bob'])
    expect(repos(await bob.client.get('/user/subscriptions'))).toEqual(['one'])
    for (let n = 0; n < 2; n++) expect((await bob.client.delete(path)).status).toBe(204)
    expect((await bob.client.get(path)).status).toBe(404)
    expect((await ann.client.get('/repos/ann/one')).json.watchers_count).toBe(1)
  })

  it('lists the watched repositories of a user by id: all for itself, public ones for others', async () => {
    const own = await ann.client.get('/user/subscriptions?limit=2')
    expect(repos(own)).toEqual(['one', 'two'])
    expect(own.headers.get('x-total-count')).toBe('3')
    expect(own.headers.get('link')).toContain('rel="next"')
    const others = await bob.client.get('/users/ann/subscriptions')
    expect(repos(others)).toEqual(['one', 'two'])
    expect(others.headers.get('x-total-count')).toBe('2')
  })
})

describe('base interface: /user/starred', () => {
  it('repeated PUT and DELETE are 204 and count once', async () => {
    for (let n = 0; n < 2; n++) expect((await bob.client.put('/user/starred/ann/two')).status).toBe(204)
    await bob.client.put('/user/starred/ann/one')
    await ann.client.put('/user/starred/ann/vault')
    await ann.client.put('/user/starred/ann/two')
    expect((await bob.client.get('/user/starred/ann/two')).status).toBe(204)
    expect((await ann.client.get('/repos/ann/two')).json.stars_count).toBe(2)
    expect((await bob.client.get('/user')).json.starred_repos_count).toBe(2)
    expect(logins(await server.anonymous.get('/repos/ann/two/stargazers'))).toEqual(['bob', 'ann'])
    expect(repos(await bob.client.get('/user/starred'))).toEqual(['one', 'two'])
    for (let n = 0; n < 2; n++) expect((await bob.client.delete('/user/starred/ann/two')).status).toBe(204)
    expect((await bob.client.get('/user/starred/ann/two')).status).toBe(404)
    expect((await ann.client.get('/repos/ann/two')).json.stars_count).toBe(1)
    expect((await bob.client.get('/user')).json.starred_repos_count).toBe(1)
  })

  it('shows others public repositories with the permissions of the user who starred them', async () => {
    const list = await bob.client.get('/users/ann/starred')
    expect(repos(list)).toEqual(['two'])
    // Counts only visible ones: no header reveals that there are others.
    expect(list.headers.get('x-total-count')).toBe('1')
    expect(list.json[0].permissions).toEqual({ admin: true, push: true, pull: true })
    expect(repos(await ann.client.get('/user/starred'))).toEqual(['two', 'vault'])
  })

  it('is rejected if stars are disabled', async () => {
    const off = await startServer({ settings: { 'repository.disable_stars': 'true' } })
    try {
      const dan = await off.world.user('dan')
      await off.world.repo({ owner: dan, name: 'r' })
      for (const path of ['/user/starred', '/users/dan/starred', '/repos/dan/r/stargazers', '/user/starred/dan/r']) {
        expect(await dan.client.get(path)).toMatchObject({
          status: 403,
          json: { message: 'stars disabled by administrator' },
        })
      }
    } finally {
      await off.close()
    }
  })
})

it('users watch repositories that they push to if the server is configured so, until they stop', async () => {
  const other = await startServer({ settings: { 'service.auto_watch_on_changes': 'true' } })
  try {
    const [eve, fay] = [await other.world.user('eve'), await other.world.user('fay')]
    await other.world.repo({ owner: eve, name: 'one', autoInit: true })
    await eve.client.put('/repos/eve/one/collaborators/fay', {})
    const path = '/repos/eve/one/subscription'
    const push = async (name: string): Promise<number> => {
      expect((await fay.client.post(`/repos/eve/one/contents/${name}`, { content: 'eA==' })).status).toBe(201)
      await other.drain()
      return (await fay.client.get(path)).status
    }
    expect([(await fay.client.get(path)).status, await push('a')]).toEqual([404, 200])
    expect((await eve.client.get('/repos/eve/one')).json.watchers_count).toBe(2)
    expect([(await fay.client.delete(path)).status, await push('b')]).toEqual([204, 404])
    expect([
      (await eve.client.get('/repos/eve/one')).json.watchers_count,
      (await fay.client.put(path)).status,
      (await fay.client.get(path)).status,
    ]).toEqual([1, 200, 200])
  } finally {
    await other.close()
  }
})
