import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../harness/client.ts'
import { queriesOf, type AskedQuery } from '../../harness/queries.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { newKey } from '../../harness/ssh-keys.ts'
import type { Organization, Person } from '../../harness/world.ts'

/** Feeds ask most: of the team, of what happened, and of the repositories it happened in. */
const MOST_QUERIES = 20

let server: TestServer
let root: Person
let star: Person
let guild: Organization
let teamId: number

beforeAll(async () => {
  server = await startServer()
  root = await server.world.admin()
  star = await server.world.user('star')
  guild = await server.world.org('guild', { owner: star })
  teamId = (await guild.team('crew', { includesAllRepositories: true, members: [star] })).id
  await server.world.repo({ owner: star, name: 'main', autoInit: true })
}, 60_000)
afterAll(() => server.close())

const expectOk = async (answer: Promise<{ status: number; text: string }>): Promise<void> => {
  const { status, text } = await answer
  expect([200, 201, 202, 204], text).toContain(status)
}

/** One more of everything that lists show. */
async function add(turn: number): Promise<void> {
  const { world } = server
  const person = await world.user(`user${turn}`)
  const other = await world.user(`other${turn}`)
  await world.repo({ owner: star, name: `own${turn}`, autoInit: true, isPrivate: turn % 2 === 0 })
  await world.repo({ owner: guild.org, by: star, name: `org${turn}` })
  await world.repo({ owner: person, name: 'r' })
  const org = await world.org(`club${turn}`, { owner: person })
  await org.team('mates', { members: [star] })
  const me = star.client
  await expectOk(person.client.put('/user/following/star'))
  await expectOk(me.put(`/user/following/user${turn}`))
  for (const path of [`/user/starred/user${turn}/r`, `/repos/user${turn}/r/subscription`]) await expectOk(me.put(path))
  for (const path of ['/user/starred/star/main', '/repos/star/main/subscription']) await expectOk(person.client.put(path))
  await expectOk(me.put(`/repos/star/main/collaborators/user${turn}`, { permission: 'read' }))
  await expectOk(me.put(`/teams/${teamId}/members/user${turn}`))
  await expectOk(me.put(`/orgs/guild/public_members/user${turn}`))
  for (const path of [`/user/blocks/other${turn}`, `/orgs/guild/blocks/other${turn}`]) await expectOk(me.put(path))
  await expectOk(me.post('/user/keys', { title: `k${turn}`, key: newKey() }))
  await expectOk(me.post('/user/emails', { emails: [`star${turn}@example.test`] }))
  await expectOk(me.post('/users/star/tokens', { name: `t${turn}`, scopes: ['all'], repositories: ['star/main', `star/own${turn}`] }))
  await expectOk(me.post('/user/applications/oauth2', { name: `a${turn}`, redirect_uris: ['http://127.0.0.1'] }))
  await expectOk(me.post('/repos/star/main/releases', { tag_name: `v${turn}`, name: `V${turn}`, target_commitish: 'main' }))
  await expectOk(other.client.post('/user/repos', { name: 'mine' }))
  for (const path of ['/user/hooks', '/repos/star/main/hooks', '/orgs/guild/hooks']) await expectOk(me.post(path, { type: 'gitea', config: { url: 'http://127.0.0.1/', content_type: 'json' } }))
  await server.drain()
}

const LISTS: Readonly<Record<string, readonly string[]>> = {
  people: ['/users/search', '/user/followers', '/user/following', '/users/star/followers', '/users/star/following', '/repos/star/main/stargazers', '/repos/star/main/subscribers', '/repos/star/main/collaborators'],
  repositories: ['/user/repos', '/users/star/repos', '/user/starred', '/users/star/starred', '/user/subscriptions', '/users/star/subscriptions', '/orgs/guild/repos', '/repos/search', '/repos/star/main/forks'],
  organizations: ['/orgs', '/user/orgs', '/users/star/orgs', '/user/teams', '/orgs/guild/teams', '/orgs/guild/teams/search', '/orgs/guild/members', '/orgs/guild/public_members'],
  'own things': ['/user/keys', '/users/star/keys', '/user/emails', '/user/gpg_keys', '/users/star/tokens', '/user/applications/oauth2', '/user/hooks', '/user/blocks', '/user/list_blocked'],
  feeds: ['/users/star/activities/feeds', '/orgs/guild/activities/feeds', '/repos/star/main/activities/feeds', '/users/star/heatmap'],
  'a repository': ['/repos/star/main/hooks', '/repos/star/main/releases', '/repos/star/main/tags', '/repos/star/main/branches', '/orgs/guild/hooks', '/orgs/guild/blocks', '/orgs/guild/list_blocked'],
  administration: ['/admin/users', '/admin/orgs', '/admin/emails', '/admin/emails/search?q=e', '/admin/hooks?type=all', '/admin/users/star/orgs'],
}

describe('a fixed number of queries', () => {
  const paths = (): { path: string; client: Client }[] => [
    ...Object.entries(LISTS).flatMap(([group, all]) => all.map((path) => ({ path, client: group === 'administration' ? root.client : star.client }))),
    ...['members', 'repos', 'activities/feeds'].map((part) => ({ path: `/teams/${teamId}/${part}`, client: star.client })),
  ]

  /** How many queries and items each list has now. */
  async function measure(): Promise<Map<string, { queries: number; items: number }>> {
    const measured = new Map<string, { queries: number; items: number }>()
    for (const { path, client } of paths()) {
      let items = 0
      const count = async (): Promise<void> => {
        const { status, json } = await client.get(path)
        expect(status, path).toBe(200)
        items = (json.data ?? json).length
      }
      // Once before, for what is remembered of passwords and prepared.
      await count()
      measured.set(path, { queries: (await queriesOf(server.app.database, count)).length, items })
    }
    return measured
  }

  it('answers every list, however long it is', async () => {
    for (const turn of [1, 2]) await add(turn)
    const short = await measure()
    for (const turn of [3, 4, 5, 6]) await add(turn)
    const long = await measure()
    const changed = [...long].flatMap(([path, { queries }]) => (queries === short.get(path)!.queries ? [] : [`${path}: ${short.get(path)!.queries} and then ${queries}`]))
    expect(changed).toEqual([])
    expect([...long].filter(([, { queries }]) => queries > MOST_QUERIES)).toEqual([])
    const grown = [...long].filter(([path, { items }]) => items > short.get(path)!.items).length
    expect(grown).toBeGreaterThan(40)
  }, 120_000)
})

describe('a token check', () => {
  const plan = async ({ sql: text, parameters }: AskedQuery): Promise<string[]> => {
    const { rows } = await server.app.database.read.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${text}`, [...parameters]))
    return rows.map((row) => row.detail)
  }

  it('costs one indexed look-up, and one of its owner', async () => {
    const client = await star.withToken('read:user')
    await expectOk(client.get('/version'))
    const asked = await queriesOf(server.app.database, () => expectOk(client.get('/version')))
    expect(asked.map((query) => /from "(\w+)"/.exec(query.sql)?.[1])).toEqual(['access_token', 'user'])
    for (const query of asked) expect((await plan(query)).filter((step) => !/^SEARCH \w+ USING (?:INDEX|INTEGER PRIMARY KEY)/.test(step))).toEqual([])
  })

  it('of a wrong token costs the one look-up, and no look at a password', async () => {
    const asked = await queriesOf(server.app.database, async () => expect((await server.anonymous.get('/version', { authorization: `token ${'0'.repeat(40)}` })).status).toBe(401))
    expect(asked).toHaveLength(1)
  })
})

describe('signing in by password', () => {
  it('never blocks other requests', async () => {
    const others = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].map((name) => ({ authorization: `Basic ${Buffer.from(`${name}:some-password`).toString('base64')}` }))
    let running = others.length
    const signing = others.map((headers) => server.anonymous.get('/user', headers).finally(() => running--))
    let answered = 0
    let longest = 0
    while (running > 0) {
      const begin = performance.now()
      await expectOk(server.anonymous.get('/version'))
      if (running > 0) longest = Math.max(longest, performance.now() - begin)
      answered++
    }
    expect((await Promise.all(signing)).map(({ status }) => status)).toEqual(others.map(() => 401))
    // Eight slow hashes take turns on the thread pool; other requests go between them.
    expect(answered).toBeGreaterThan(20)
    expect(longest).toBeLessThan(500)
  })
})
