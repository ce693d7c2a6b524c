import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/platform/clock.ts'
import { createClient, type Client } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

const HOUR = 3_600_000
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

describeOnBoth('tokens with limits', (kind) => {
  let server: TestServer
  let alice: Person
  let root: Person
  let ahead = 0
  let count = 0

  beforeAll(async () => {
    server = await startServer({ on: kind, clock: { now: () => systemClock.now() + ahead } })
    alice = await server.world.user('alice')
    root = await server.world.admin()
    for (const name of ['one', 'two', 'open'])
      await server.world.repo({ owner: alice, name, isPrivate: name !== 'open', autoInit: true })
  })
  afterAll(() => server.close())

  const make = (by: Person, more: object) =>
    by.client.post(`/users/${by.name}/tokens`, { name: `limited${count++}`, scopes: ['all'], ...more })
  const withValue = (value: string): Client =>
    createClient(server.url, server.app.operations, { authorization: `token ${value}` })
  const restricted = async (...repositories: string[]): Promise<{ client: Client; value: string }> => {
    const { json } = await make(alice, { repositories })
    return { client: withValue(json.sha1), value: json.sha1 }
  }
  const refs = (value: string, repo: string, service = 'git-upload-pack') =>
    fetch(`${server.url}/alice/${repo}.git/info/refs?service=${service}`, { headers: basic('alice', value) }).then(
      (answer) => answer.status,
    )

  const lfs = async (value: string, repo: string, operation = 'download') => {
    const headers = {
      ...basic('alice', value),
      accept: 'application/vnd.git-lfs+json',
      'content-type': 'application/vnd.git-lfs+json',
    }
    const answer = await fetch(`${server.url}/alice/${repo}.git/info/lfs/objects/batch`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ operation, objects: [] }),
    })
    return [answer.status, await answer.json()]
  }

  describe('expiry', () => {
    it('is shown, and the expired token is refused everywhere', async () => {
      const end = new Date(Math.floor((systemClock.now() + ahead + HOUR) / 1000) * 1000)
      const made = await make(alice, { expires_at: end.toISOString() })
      expect(made.status).toBe(201)
      expect(made.json.expires_at).toBe(end.toISOString().replace('.000', ''))
      expect((await alice.client.get('/users/alice/tokens')).json[0]).toMatchObject({
        expires_at: made.json.expires_at,
        repositories: null,
      })
      const client = withValue(made.json.sha1)
      expect((await client.get('/user')).status).toBe(200)
      expect(await refs(made.json.sha1, 'one')).toBe(200)
      ahead += HOUR + 1000
      expect((await client.get('/user')).status).toBe(401)
      expect((await client.get('/version')).status).toBe(401)
      expect((await server.anonymous.get('/user', basic('alice', made.json.sha1))).status).toBe(401)
      expect((await server.anonymous.get(`/user?token=${made.json.sha1}`)).status).toBe(401)
      expect(await refs(made.json.sha1, 'one')).toBe(401)
      expect(await refs(made.json.sha1, 'open')).toBe(401)
      expect((await lfs(made.json.sha1, 'open'))[0]).toBe(401)
    })

    it('must be a valid time in the future', async () => {
      expect(await make(alice, { expires_at: '2001-01-01T00:00:00Z' })).toMatchObject({
        status: 422,
        json: { message: '[ExpiresAt]: must be in the future' },
      })
      expect((await make(alice, { expires_at: 'tomorrow' })).status).toBe(422)
      expect((await make(alice, { expires_at: 5 })).status).toBe(422)
    })

    it('prevents a token from creating one with a longer lifetime', async () => {
      const at = (hours: number) => new Date(systemClock.now() + ahead + hours * HOUR).toISOString()
      const { json } = await make(alice, { expires_at: at(2) })
      const successor = (body: object) =>
        server.anonymous.post(
          '/users/alice/tokens',
          { name: `s${count++}`, scopes: ['all'], ...body },
          basic('alice', json.sha1),
        )
      expect((await successor({})).status).toBe(403)
      expect((await successor({ expires_at: at(3) })).status).toBe(403)
      expect((await successor({ expires_at: at(1) })).status).toBe(201)
    })
  })

  describe('restriction to repositories', () => {
    it('is shown by name, follows renames and omits deleted repositories', async () => {
      await server.world.repo({ owner: alice, name: 'before' })
      await server.world.repo({ owner: alice, name: 'gone' })
      const made = await make(alice, { repositories: ['alice/before', 'Alice/GONE', 'alice/before'] })
      expect(made.json.repositories).toMatchObject([
        { owner: 'alice', name: 'before', full_name: 'alice/before' },
        { full_name: 'alice/gone' },
      ])
      await alice.client.patch('/repos/alice/before', { name: 'after' })
      await alice.client.delete('/repos/alice/gone')
      expect((await alice.client.get('/users/alice/tokens')).json[0].repositories).toMatchObject([
        { full_name: 'alice/after' },
      ])
      await alice.client.delete('/repos/alice/after')
      expect((await alice.client.get('/users/alice/tokens')).json[0].repositories).toEqual([])
      expect((await withValue(made.json.sha1).get('/repos/alice/one')).status).toBe(404)
      expect((await withValue(made.json.sha1).get('/user/repos')).json).toEqual([])
    })

    it('requires repositories that the owner of the token can see', async () => {
      const bob = await server.world.user('bob')
      for (const repositories of [['alice/one'], ['alice/missing'], ['nobody/x'], ['nonsense'], ['a/b/c'], []])
        expect((await make(bob, { repositories })).status).toBe(422)
      expect((await make(bob, { repositories: ['alice/one'] })).json.message).toBe(
        '[Repositories]: there is no repository alice/one',
      )
      expect((await make(bob, { repositories: 'alice/open' })).status).toBe(422)
      expect((await make(bob, { repositories: [{ owner: 'alice', name: 'open' }] })).json.repositories).toMatchObject([
        { full_name: 'alice/open' },
      ])
      expect((await make(bob, { repositories: [{ owner: 'alice' }] })).status).toBe(422)
    })

    it('makes every other repository look missing over REST, public ones too', async () => {
      const { client } = await restricted('alice/one')
      expect((await client.get('/repos/alice/one')).status).toBe(200)
      const one = (await alice.client.get('/repos/alice/one')).json.id
      expect((await client.get(`/repositories/${one}`)).status).toBe(200)
      const missing = await client.get('/repos/alice/missing')
      for (const path of [
        '/repos/alice/two',
        '/repos/alice/open',
        '/repos/alice/two/branches',
        '/repos/alice/open/contents/README.md',
      ]) {
        const answer = await client.get(path)
        expect([answer.status, answer.json, answer.headers.get('x-ingot-message')]).toEqual([
          404,
          missing.json,
          missing.headers.get('x-ingot-message'),
        ])
      }
      const two = (await alice.client.get('/repos/alice/two')).json.id
      expect((await client.get(`/repositories/${two}`)).status).toBe(404)
      expect((await client.patch('/repos/alice/two', { description: 'x' })).status).toBe(404)
      for (const path of ['/user/repos', '/users/alice/repos', '/repos/search']) {
        const { json } = await client.get(path)
        expect((json.data ?? json).map((repo: { full_name: string }) => repo.full_name)).toEqual(['alice/one'])
      }
    })

    it('applies to administrators, too, who cannot use sudo with it', async () => {
      const { json } = await make(root, { repositories: ['alice/one'] })
      const client = withValue(json.sha1)
      expect((await client.get('/repos/alice/one')).status).toBe(200)
      expect((await client.get('/repos/alice/two')).status).toBe(404)
      for (const path of ['/repos/alice/one', '/repos/alice/two', '/user', '/version']) {
        expect(await client.get(path, { sudo: 'alice' }), path).toMatchObject({
          status: 403,
          json: { message: 'A token restricted to repositories cannot use sudo.' },
        })
      }
      expect((await client.patch('/repos/alice/one?sudo=alice', { description: 'as alice' })).status).toBe(403)
      for (const path of ['/admin/users', '/users/alice/tokens', '/users/root/tokens'])
        expect((await server.anonymous.get(path, basic('root', json.sha1))).status).toBe(403)
    })

    it('makes every other repository look missing over HTTP git', async () => {
      const { value } = await restricted('alice/one')
      expect(await refs(value, 'one')).toBe(200)
      expect(await refs(value, 'one', 'git-receive-pack')).toBe(200)
      for (const repo of ['two', 'open', 'missing'])
        for (const service of ['git-upload-pack', 'git-receive-pack'])
          expect(await refs(value, repo, service)).toBe(404)
    })

    it('makes every other repository look missing over LFS', async () => {
      const { value } = await restricted('alice/one')
      expect(await lfs(value, 'one')).toEqual([200, expect.anything()])
      const missing = await lfs(value, 'missing')
      expect(missing[0]).toBe(401)
      for (const repo of ['two', 'open'])
        for (const operation of ['download', 'upload'])
          expect(await lfs(value, repo, operation)).toEqual(await lfs(value, 'missing', operation))
    })

    it('cannot be escaped by creating tokens or repositories or by other operations', async () => {
      const { client, value } = await restricted('alice/one', 'alice/open')
      const asBasic = createClient(server.url, server.app.operations, basic('alice', value))
      const attempts = [
        asBasic.post('/users/alice/tokens', { name: 'free', scopes: ['all'] }),
        asBasic.delete('/users/alice/tokens/nothing'),
        client.post('/user/repos', { name: 'new' }),
        client.post('/repos/alice/open/forks', { name: 'forked' }),
        client.post('/orgs', { username: 'neworg' }),
        client.post('/user/keys', { title: 'k', key: 'ssh-ed25519 AAAA' }),
        client.patch('/user/settings', { full_name: 'x' }),
      ]
      expect((await Promise.all(attempts)).map((answer) => answer.status)).toEqual(attempts.map(() => 403))
      expect((await client.get('/user')).json.login).toBe('alice')
      expect((await client.patch('/repos/alice/one', { description: 'within' })).status).toBe(200)
      expect((await client.put('/user/starred/alice/open')).status).toBe(204)
    })
  })
})
