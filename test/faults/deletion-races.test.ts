import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLogger } from '../../src/core/platform/logger.ts'
import { findWrongCounters } from '../harness/rows.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { newKey } from '../harness/ssh-keys.ts'
import type { Person } from '../harness/world.ts'

const ROUNDS = 4

describeOnBoth('what is deleted while others are at it', (on) => {
  let server: TestServer
  let [root, ann] = [] as unknown as [Person, Person]
  const logged: string[] = []

  beforeAll(async () => {
    server = await startServer({
      on,
      log: createLogger(
        'error',
        new Writable({ write: (chunk, _, done) => (logged.push(String(chunk).slice(0, 600)), done()) }),
      ),
    })
    ;[root, ann] = [await server.world.admin(), await server.world.user('ann')]
    await server.world.repo({ owner: ann, name: 'open', autoInit: true })
  }, 60_000)
  afterAll(() => server.close())

  const noFault = async (...requests: Promise<{ status: number; text: string }>[]): Promise<void> => {
    for (const { status, text } of await Promise.all(requests))
      expect(status, `${text} ${logged.join(' ')}`).toBeLessThan(500)
    await server.drain()
    expect(await findWrongCounters(server.app.database.read)).toEqual([])
  }

  it('an account, while it acts and others act on it', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const name = `goer${round}`
      const { client } = await server.world.user(name)
      const org = await server.world.org(`club${round}`, { owner: ann })
      const team = await org.team('crew')
      await noFault(
        client.put('/user/following/ann'),
        client.put('/user/starred/ann/open'),
        client.put('/repos/ann/open/subscription'),
        ann.client.put(`/user/following/${name}`),
        root.client.delete(`/admin/users/${name}?purge=true`),
        client.post('/user/repos', { name: 'mine', auto_init: true }),
        client.post('/user/keys', { title: 'k', key: newKey() }),
        client.post('/user/emails', { emails: [`${name}@more.test`] }),
        client.post(`/users/${name}/tokens`, { name: 't', scopes: ['all'] }),
        client.post('/orgs', { username: `${name}-org` }),
        client.post('/repos/ann/open/forks', {}),
        ann.client.put(`/teams/${team.id}/members/${name}`),
        ann.client.put(`/repos/ann/open/collaborators/${name}`, {}),
        ann.client.put(`/user/blocks/${name}`),
        ann.client.put(`/orgs/club${round}/block/${name}`),
        client.patch('/user/settings', { full_name: 'Gone' }),
        client.post('/user/applications/oauth2', { name: 'a', redirect_uris: [] }),
        root.client.patch(`/admin/users/${name}`, { full_name: 'Going' }),
      )
      expect((await server.anonymous.get(`/users/${name}`)).status).toBe(404)
    }
  }, 120_000)

  it('a repository with its topics, and an account with such repositories: topics count the remaining repositories', async () => {
    const goer = await server.world.user('topical')
    for (const [owner, name] of [
      [ann, 'told'],
      [goer, 'one'],
      [goer, 'two'],
    ] as const) {
      await server.world.repo({ owner, name })
      expect((await owner.client.put(`/repos/${owner.name}/${name}/topics`, { topics: ['shared', name] })).status).toBe(
        204,
      )
    }
    const count = async (): Promise<number> =>
      (await ann.client.get('/topics/search?q=shared')).json.topics[0].repo_count
    expect(await count()).toBe(3)
    await noFault(ann.client.delete('/repos/ann/told'))
    expect(await count()).toBe(2)
    await noFault(root.client.delete('/admin/users/topical?purge=true'))
    expect(await count()).toBe(0)
  })

  it('an organization, while it is filled', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await server.world.org(`short${round}`, { owner: ann })
      const path = `/orgs/short${round}`
      await noFault(
        ann.client.post(`${path}/teams`, { name: 'crew', permission: 'read', units: ['repo.code'] }),
        root.client.put(`/user/following/short${round}`),
        ann.client.delete(path),
        ann.client.post(`${path}/hooks`, { type: 'gitea', config: { url: 'http://127.0.0.1/', content_type: 'json' } }),
        ann.client.put(`${path}/block/root`),
        ann.client.post(`${path}/repos`, { name: 'late', auto_init: true }),
        ann.client.patch(path, { full_name: 'Late' }),
      )
    }
  }, 120_000)

  it('one thing, five times at once: one request deletes it', async () => {
    await server.world.org('once', { owner: ann })
    await server.world.user('once2')
    const made = async (path: string, body: object): Promise<string> =>
      `${path}/${(await ann.client.post(path, body)).json.id}`
    await ann.client.post('/repos/ann/open/branch_protections', { rule_name: 'once' })
    const release = (await ann.client.post('/repos/ann/open/releases', { tag_name: 'once' })).json.id
    const link = 'external_url=https://example.test/once'
    const files = `/repos/ann/open/releases/${release}/assets`
    const paths = [
      `${files}/${(await ann.client.post(`${files}?name=once&${link}`)).json.id}`,
      '/orgs/once',
      '/admin/users/once2',
      '/repos/ann/open/branch_protections/once',
      await made('/repos/ann/open/tag_protections', { name_pattern: 'once', whitelist_usernames: ['ann'] }),
      await made('/user/keys', { title: 'once', key: newKey() }),
      await made('/user/applications/oauth2', { name: 'once', redirect_uris: [] }),
    ]
    for (const path of paths) {
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => (path.startsWith('/admin') ? root : ann).client.delete(path)),
      )
      expect(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        path,
      ).toEqual([204, 404, 404, 404, 404])
    }
  })

  it('a repository, while it is used', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await server.world.repo({ owner: ann, name: `short${round}`, autoInit: true })
      const path = `/repos/ann/short${round}`
      await noFault(
        root.client.put(`/user/starred/ann/short${round}`),
        root.client.put(`${path}/subscription`),
        root.client.post(`${path}/forks`, {}),
        ann.client.delete(path),
        ann.client.post(`${path}/hooks`, { type: 'gitea', config: { url: 'http://127.0.0.1/', content_type: 'json' } }),
        ann.client.put(`${path}/collaborators/root`, {}),
        ann.client.post(`${path}/keys`, { title: 'k', key: newKey() }),
        ann.client.post(`${path}/contents/a.txt`, { content: 'eA==' }),
        ann.client.post(`${path}/releases`, { tag_name: 'v1' }),
        ann.client.put(`${path}/topics`, { topics: ['a'] }),
        ann.client.post(`${path}/branches`, { new_branch_name: 'b' }),
      )
      if (round % 2 === 0) await root.client.delete(`/repos/root/short${round}`)
    }
  }, 120_000)
})
