import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Client } from '../../harness/client.ts'
import type { Person } from '../../harness/world.ts'

/**
 * Every operation that reads, by those who may not know of some repositories, organizations and teams: none of their
 * names is in any answer, whatever lists, counts or links to what. New operations are covered as they are registered.
 */

let server: TestServer
const clients: Record<string, Client> = {}
/** A team that has a private repository. */
let keepers: number
/** Parameters of paths: a public user and repository, and their parts. */
let place: Readonly<Record<string, string>>

beforeAll(async () => {
  server = await startServer()
  const { world } = server
  const ann = await world.user('ann')
  const shy = await world.user('shy', { visibility: 'limited' })
  await world.user('hermit', { visibility: 'private' })
  const outsider = await world.user('outsider')
  const restricted = await world.user('restricted', { isRestricted: true })
  await world.repo({ owner: ann, name: 'open', autoInit: true, defaultBranch: 'main' })
  await world.repo({ owner: ann, name: 'hush-own', autoInit: true, isPrivate: true })
  await world.repo({ owner: shy, name: 'hush-limited', autoInit: true })
  const open = await world.org('openorg', { owner: ann })
  const secret = await world.org('hush-org', { owner: ann, visibility: 'private' })
  const limited = await world.org('hush-half', { owner: ann, visibility: 'limited' })
  const inOpen = await world.repo({ owner: open.org, by: ann, name: 'hush-inside', isPrivate: true })
  await world.repo({ owner: secret.org, by: ann, name: 'hush-inner', autoInit: true })
  await world.repo({ owner: limited.org, by: ann, name: 'hush-outer', autoInit: true })
  const team = await open.team('crew', { members: [ann, outsider], repos: [] })
  keepers = (await open.team('keepers', { members: [ann], repos: [inOpen] })).id
  await secret.team('hush-others', { members: [ann] })
  for (const name of [
    'ann/hush-own',
    'shy/hush-limited',
    'hush-org/hush-inner',
    'hush-half/hush-outer',
    'openorg/hush-inside',
  ]) {
    expect((await ann.client.put(`/user/starred/${name}`)).status).toBe(204)
    expect((await ann.client.put(`/repos/${name}/subscription`)).status).toBe(200)
  }
  expect((await ann.client.post('/repos/ann/open/forks', { organization: 'hush-org', name: 'hush-fork' })).status).toBe(
    202,
  )
  await commitTo(ann, 'ann/open', 'side')
  expect((await ann.client.post('/repos/ann/open/pulls', { head: 'side', base: 'main', title: 'First' })).status).toBe(
    201,
  )
  await server.drain()
  Object.assign(clients, {
    anonymous: server.anonymous,
    ann: ann.client,
    outsider: outsider.client,
    restricted: restricted.client,
    'ann, publicly': await ann.withToken('public-only', 'all'),
  })
  place = {
    owner: 'ann',
    repo: 'open',
    org: 'openorg',
    username: 'ann',
    id: String(team.id),
    branch: 'main',
    ref: 'main',
    sha: 'main',
    base: 'main',
    head: 'side',
    index: '1',
    basehead: 'main...main',
    filepath: 'README.md',
    collaborator: 'ann',
    tag: 'v1',
    team: 'crew',
    topic: 'x',
  }
}, 60_000)
afterAll(() => server.close())

/** Makes a branch with one commit. */
async function commitTo({ client }: Person, repo: string, branch: string): Promise<void> {
  const file = { content: '', message: branch, branch: 'main', new_branch: branch }
  expect((await client.post(`/repos/${repo}/contents/${branch}.txt`, file)).status).toBe(201)
}

const reads = () => server.app.operations.filter(({ method }) => method === 'GET')
const fill = (path: string): string => path.replace(/\{(\w+)[^}]*\}/g, (_, name: string) => place[name] ?? '1')

async function hushed(client: Client): Promise<string[]> {
  const found: string[] = []
  for (const { id, path } of reads()) {
    const { text } = await client.get(fill(path))
    const names = new Set(text.match(/hush-\w+/g))
    if (names.size > 0) found.push(`${id} reveals ${[...names].join(', ')}`)
  }
  return found
}

it.each(['anonymous', 'restricted', 'ann, publicly'])('no answer to %s names anything hidden', async (as) => {
  expect(await hushed(clients[as]!)).toEqual([])
})

it('answers to a signed-in user name limited accounts, and nothing private', async () => {
  const lines = (await hushed(clients['outsider']!)).map((line) =>
    line.replaceAll(/hush-(?:limited|half|outer)/g, 'limited'),
  )
  expect(lines.filter((line) => line.includes('hush'))).toEqual([])
})

it('a token for public things gets no private repository by way of a team', async () => {
  const publicly = clients['ann, publicly']!
  expect((await publicly.get(`/teams/${keepers}/repos/openorg/hush-inside`)).json.message).toBe(
    'token scope is limited to public repos',
  )
  expect((await publicly.get(`/teams/${keepers}/repos`)).json).toEqual([])
})

it.each([
  '/orgs/openorg/members/',
  '/orgs/openorg/public_members/',
  '/repos/ann/open/collaborators/',
  '/repos/ann/open/pulls?poster=',
])('GET %s answers the same for a hidden and a missing account', async (path) => {
  const answers = []
  for (const name of ['hermit', 'nobody']) {
    const { status, text } = await clients['outsider']!.get(`${path}${name}`)
    answers.push({ status, text: text.replaceAll(name, 'NAME') })
  }
  expect(answers[0]).toEqual(answers[1])
  expect(answers[0]!.status).toBeGreaterThanOrEqual(400)
})

it.each([
  ['post', '/repos/ann/open/issues', (name: string) => ({ title: 'First', assignees: [name] })],
  ['patch', '/repos/ann/open/issues/1', (name: string) => ({ assignees: [name] })],
  ['post', '/repos/ann/open/pulls/1/requested_reviewers', (name: string) => ({ reviewers: [name] })],
  ['post', '/repos/ann/open/pulls/1/requested_reviewers', (name: string) => ({ reviewers: [`${name}@example.test`] })],
  [
    'post',
    '/repos/ann/open/branch_protections',
    (name: string) => ({ rule_name: 'x', enable_push: true, push_whitelist_usernames: [name] }),
  ],
  ['post', '/repos/ann/open/tag_protections', (name: string) => ({ name_pattern: 'x', whitelist_usernames: [name] })],
] as const)('%s %s answers the same for a hidden and a missing account', async (method, path, body) => {
  const answers = []
  for (const name of ['hermit', 'nobody']) {
    const { status, text } = await clients['ann']![method](path.replace('NAME', name), body(name))
    answers.push({ status, text: text.replaceAll(name, 'NAME') })
  }
  expect(answers[0]).toEqual(answers[1])
  expect(answers[0]!.status).toBeGreaterThanOrEqual(400)
})
