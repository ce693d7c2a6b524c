import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemActor } from '../../../src/core/access/viewer.ts'
import { API_PREFIX } from '../../../src/core/http/module-plugin.ts'
import { quickFetch } from '../../harness/quick-fetch.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

/** In the name of everything the token must not learn of. */
const HIDDEN = 'beyond'

let server: TestServer
let alice: Person
let value: string
let teamId: number
let orgId: number

beforeAll(async () => {
  server = await startServer()
  alice = await server.world.user('alice')
  const bob = await server.world.user('bob')
  const acme = await server.world.org('acme', { owner: alice })
  const within = await server.world.repo({ owner: alice, name: 'within', autoInit: true })
  const own = await server.world.repo({ owner: alice, name: `own-${HIDDEN}`, description: HIDDEN, autoInit: true })
  const shared = await server.world.repo({ owner: acme.org, by: alice, name: `org-${HIDDEN}`, autoInit: true })
  const open = await server.world.repo({ owner: bob, name: `open-${HIDDEN}`, autoInit: true })
  teamId = (await acme.team('dev', { members: [bob], repos: [shared] })).id
  orgId = acme.org.id
  for (const repo of [within, own, shared, open]) {
    expect((await alice.client.put(`/user/starred/${repo.fullName}`)).status).toBe(204)
    expect((await alice.client.put(`/repos/${repo.fullName}/subscription`, {})).status).toBe(200)
    await alice.client.put(`/repos/${repo.fullName}/topics`, { topics: ['common'] })
  }
  await alice.client.post(`/repos/alice/${own.name}/contents/${HIDDEN}.txt`, { content: 'eA==', message: HIDDEN })
  expect((await bob.client.post('/repos/alice/within/forks', { name: `fork-${HIDDEN}` })).status).toBe(202)
  await server.drain()
  value = (
    await server.app.tokens.create(systemActor, alice.user.id, {
      name: 'restricted',
      scopes: ['all'],
      repositories: ['alice/within'],
    })
  ).value
})
afterAll(() => server.close())

/** Every path that can be asked without a body, with parameters that exist. */
function paths(): string[] {
  const values: Record<string, string> = {
    owner: 'alice',
    repo: 'within',
    username: 'alice',
    org: 'acme',
    topic: 'common',
    target: 'bob',
    sha: 'main',
    ref: 'main',
    branch: 'main',
  }
  return server.app.operations
    .filter((operation) => operation.method === 'GET')
    .flatMap((operation) => {
      const ids = operation.path.startsWith('/teams/') ? teamId : orgId
      const path = operation.path.replaceAll(
        /\{(\w+)[^}]*\}/g,
        (_, name: string) => values[name] ?? (name === 'id' ? String(ids) : 'none'),
      )
      return [path, path.includes('/search') ? `${path}?q=${HIDDEN}` : path]
    })
}

async function listHidden(token: string): Promise<string[]> {
  const found: string[] = []
  for (const path of new Set(paths())) {
    const { status, text } = await quickFetch(server.url + API_PREFIX + path, {
      method: 'GET',
      headers: { authorization: `token ${token}` },
      body: null,
    })
    if (text.toLowerCase().includes(HIDDEN)) found.push(`${path} ${status} ${text.slice(0, 200)}`)
  }
  return found
}

it('no list shows other repositories to a restricted token', async () => {
  expect(await listHidden(value)).toEqual([])
  expect((await listHidden(await alice.token('all'))).length).toBeGreaterThan(8)
})
