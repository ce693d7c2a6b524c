import { afterAll, beforeAll, expect, it } from 'vitest'
import { addEndedImport } from '../../harness/imports.ts'
import type { Operation } from '../../../src/core/http/operation.ts'
import { asId, type RepoId } from '../../../src/core/platform/crypto/ids.ts'
import { createActionsFactory } from '../../harness/actions.ts'
import { storeArtifact } from '../../harness/artifacts.ts'
import { addDeadDelivery } from '../../harness/hook-deliveries.ts'
import { queriesOf } from '../../harness/queries.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { newKey } from '../../harness/ssh-keys.ts'
import type { Any, Client, Response } from '../../harness/client.ts'
import type { Organization, Person } from '../../harness/world.ts'
import { NOT_GROWING, blobId, growPackages, growProjects, projectPlace } from './list-instances.ts'

/**
 * Every registered read that gives a list, over a world that grows between two looks: the longer list takes no query
 * more. New lists are walked as they are registered; those that do not grow here must be named below.
 */

const FIRST = 2
// NOTE: no further: a list that fills its page takes one query more, which counts its rows.
const LAST = 3

let server: TestServer
let alice: Person
let root: Person
let acme: Organization

beforeAll(async () => {
  server = await startServer({
    settings: {
      'repository.enable_flags': 'true',
      'quota.enabled': 'true',
      'issue.max_pinned': '20',
      'search.code_enabled': 'true',
    },
  })
  const { world } = server
  alice = await world.user('alice')
  root = await world.admin()
  acme = await world.org('acme', { owner: alice })
  await world.repo({ owner: alice, name: 'main', autoInit: true })
  await world.repo({ owner: acme.org, by: alice, name: 'shared', autoInit: true })
  await world.repo({ owner: root, name: 'changes', autoInit: true })
  await done(alice.client.post('/repos/alice/main/releases', { tag_name: 'v0', target_commitish: 'main' }))
  await done(alice.client.post('/repos/acme/shared/releases', { tag_name: 'v0', target_commitish: 'main' }))
  await done(
    root.client.post('/admin/quota/groups', {
      name: 'staff',
      rules: [{ name: 'no limit', limit: -1, subjects: ['size:all'] }],
    }),
  )
  await done(alice.client.post('/orgs/acme/teams', { name: 'core', permission: 'write', units: ['repo.code'] }))
}, 60_000)
afterAll(() => server.close())

async function done(call: Promise<Response<Any>>): Promise<Response<Any>> {
  const answer = await call
  if (answer.status < 200 || answer.status > 299) throw new Error(`answered ${answer.status}: ${answer.text}`)
  return answer
}

/** One more of everything that a list can show. */
async function grow(i: number): Promise<void> {
  const { world } = server
  const her = alice.client
  const user = await world.user(`u${i}`)
  const enemy = await world.user(`enemy${i}`)
  const core = (await her.get('/orgs/acme/teams')).json.find((team: { name: string }) => team.name === 'core').id
  const main = '/repos/alice/main'
  await world.org(`o${i}`, { owner: alice })
  await world.org(`his${i}`, { owner: user })
  const own = await world.repo({ owner: alice, name: `r${i}`, autoInit: true })
  await world.repo({ owner: acme.org, by: alice, name: `r${i}` })
  type Step = [method: 'post' | 'put', path: string, body?: object | undefined, by?: Client]
  const steps: Step[] = [
    ['post', '/user/emails', { emails: [`alice${i}@example.test`] }],
    ['post', '/user/keys', { title: `k${i}`, key: newKey() }],
    ['post', '/user/applications/oauth2', { name: `app${i}`, redirect_uris: ['http://localhost/'] }],
    ['post', '/user/hooks', hook(i)],
    ['put', `/user/following/u${i}`],
    ['put', '/user/following/alice', undefined, user.client],
    ['put', `/user/block/${enemy.name}`],
    ['put', `/user/starred/alice/${own.name}`],
    ['put', `/repos/alice/${own.name}/subscription`],
    ['put', `/teams/${core}/members/u${i}`],
    ['put', `/teams/${core}/repos/acme/r${i}`],
    ['put', `/orgs/acme/public_members/u${i}`, undefined, user.client],
    ['put', `/orgs/acme/block/${enemy.name}`],
    ...[main, '/orgs/acme', '/user'].flatMap((of): Step[] => [
      ['put', `${of}/actions/secrets/S${i}`, { data: 'x' }],
      ['post', `${of}/actions/variables/V${i}`, { value: 'x' }],
    ]),
    ['post', '/orgs/acme/hooks', hook(i)],
    ['post', '/orgs/acme/labels', { name: `l${i}`, color: '#00ff00' }],
    ['put', `${main}/collaborators/u${i}`, { permission: 'write' }],
    ['put', '/user/starred/alice/main', undefined, user.client],
    ['put', `${main}/subscription`, undefined, user.client],
    ['post', `${main}/forks`, { name: `fork${i}` }, user.client],
    ['post', `${main}/hooks`, hook(i)],
    ['post', `${main}/keys`, { title: `d${i}`, key: newKey(), read_only: true }],
    ['post', `${main}/labels`, { name: `l${i}`, color: '#00ff00' }],
    ['post', `${main}/milestones`, { title: `m${i}` }],
    ['post', `${main}/issues`, { title: `i${i}`, assignees: ['alice', `u${i}`] }],
    ['put', `${main}/issues/1/subscriptions/${enemy.name}`, undefined, enemy.client],
    ['post', `${main}/issues`, { title: `n${i}` }, user.client],
    ['post', `${main}/issues/1/labels`, { labels: [`l${i}`] }],
    ['post', `/repos/alice/${own.name}/issues`, { title: `i${i}` }],
    ['post', `${main}/issues/1/dependencies`, { repo: own.name, index: 1 }],
    ['post', `${main}/issues/${i + 1}/pin`],
    ['post', `${main}/issues/1/times`, { time: i + 1 }],
    ['post', `${main}/issues/1/reactions`, { content: 'heart' }, user.client],
    ['post', '/repos/acme/shared/issues', { title: `i${i}` }],
    ['post', `${main}/issues/1/blocks`, { owner: 'acme', repo: 'shared', index: i + 1 }],
    ['post', `${main}/contents/f${i}.txt`, { content: Buffer.from(`${i}`).toString('base64'), message: `f${i}` }],
    ['post', `${main}/branches`, { new_branch_name: `b${i}` }],
    ['post', `${main}/branch_protections`, { rule_name: `b${i}` }],
    ['post', `${main}/tag_protections`, { name_pattern: `v${i}`, whitelist_usernames: ['alice'] }],
    ['post', `${main}/releases`, { tag_name: `w${i}`, target_commitish: 'main' }],
    [
      'post',
      `${main}/push_mirrors`,
      { remote_address: `http://127.0.0.1:9/${i}.git`, interval: '8h0m0s', sync_on_commit: false },
    ],
    ['put', `${main}/topics`, { topics: Array.from({ length: i + 1 }, (_, n) => `topic${n}`) }],
    ['post', `${main}/wiki/new`, { title: `Page ${i}`, content_base64: Buffer.from('x').toString('base64') }],
    ['post', '/admin/hooks', hook(i), root.client],
    ['post', '/admin/auth-sources', { name: `d${i}`, kind: 'ldap', is_active: false, ldap: LDAP }, root.client],
    ['put', `${main}/flags/flag${i}`, undefined, root.client],
    [
      'post',
      '/admin/quota/groups',
      { name: `group${i}`, rules: [{ name: `rule${i}`, limit: -1, subjects: ['size:all'] }] },
      root.client,
    ],
    ['put', `/admin/quota/groups/staff/users/u${i}`, undefined, root.client],
  ]
  for (const [method, path, body, by = her] of steps) {
    await done(by[method](path, body)).catch((error: unknown) => {
      throw new Error(`${method} ${path}: ${(error as Error).message}`)
    })
  }
  await growIssue(`${main}/issues`, user, i)
  const team = (await done(her.post('/orgs/acme/teams', { name: `t${i}`, permission: 'read', units: ['repo.code'] })))
    .json.id
  await done(her.put(`/teams/${team}/members/alice`))
  await done(her.put(`/teams/${team}/repos/acme/shared`))
  await done(
    her.patch(`${main}/wiki/page/Page%200`, {
      title: 'Page 0',
      content_base64: Buffer.from(`${i}`).toString('base64'),
    }),
  )
  await growByStore(i)
  await growPull(i)
  await growActions(i)
  await growDeliveries()
  await growPackages(server.app, [alice.user.id, acme.org.id], i)
  await growProjects(alice, i)
  for (const { user: account } of [alice, root])
    await addEndedImport(server.app, { actorId: account.id, name: `${account.name}${i}` })
  files.push(i)
  await alice.token('read:user')
  await done(her.post(`${main}/statuses/${sha}`, { context: `c${i}`, state: 'success' }))
  for (const repo of ['alice/main', 'acme/shared']) await addAsset(repo, i)
  await server.drain()
}

/** One more of everything that the first issue and its first comment have. */
async function growIssue(issues: string, user: Person, i: number): Promise<void> {
  const said = (await done(user.client.post(`${issues}/1/comments`, { body: `c${i}` }))).json
  comment ||= said.id
  await done(alice.client.patch(`${issues}/1`, { body: `b${i}` }))
  await done(user.client.post(`${issues}/comments/${comment}/reactions`, { content: 'heart' }))
  await done(alice.client.patch(`${issues}/comments/${comment}`, { body: `edited ${i}` }))
  for (const of of ['1', `comments/${comment}`]) await upload(`${issues}/${of}/assets`, i)
}

/**
 * A pull request that has one commit and one file more than the one before; its number is that of all. Each is in the
 * merge queue, too.
 */
async function growPull(i: number): Promise<void> {
  const changes = '/repos/root/changes'
  const branch = `topic${i}`
  const rule = { rule_name: 'main', enable_status_check: true, status_check_contexts: ['ci'] }
  if (i === 0) await done(root.client.post(`${changes}/branch_protections`, rule))
  await done(root.client.post(`${changes}/branches`, { new_branch_name: branch }))
  for (let n = 0; n <= i; n++)
    await done(root.client.post(`${changes}/contents/${i}-${n}.txt`, { content: '', message: `${n}`, branch }))
  const { number } = (await done(root.client.post(`${changes}/pulls`, { head: branch, base: 'main', title: branch })))
    .json
  await done(root.client.post(`${changes}/issues/${number}/pin`))
  await done(root.client.post(`${changes}/pulls/${number}/merge`, { Do: 'merge', queue: true }))
  const comment = { path: `${i}-0.txt`, body: 'words', new_position: 1 }
  for (let n = 0; n <= i; n++) {
    const event = { event: 'COMMENT', body: 'words', comments: Array.from({ length: n + 1 }, () => comment) }
    review = (await done(alice.client.post(`${changes}/pulls/${number}/reviews`, event))).json.id
  }
}

async function addAsset(repo: string, i: number): Promise<void> {
  const { id } = (await done(alice.client.get(`/repos/${repo}/releases/tags/v0`))).json
  await upload(`/repos/${repo}/releases/${id}/assets`, i)
}

async function upload(path: string, i: number): Promise<void> {
  const form = new FormData()
  form.append('attachment', new Blob([`asset ${i}`]), `asset${i}.txt`)
  const { status } = await fetch(`${server.url}/api/v1${path}`, {
    method: 'POST',
    body: form,
    headers: { authorization: `token ${token}` },
  })
  if (status !== 201) throw new Error(`no asset: ${status}`)
}

/** What has no operation that makes it, or needs a program to be made. */
async function growByStore(i: number): Promise<void> {
  await server.app.database.transaction(async (tx) => {
    const { id } = await tx
      .insertInto('badge')
      .values({ slug: `badge${i}` })
      .returning('id')
      .executeTakeFirstOrThrow()
    await tx.insertInto('user_badge').values({ user_id: alice.user.id, badge_id: id }).execute()
    await tx
      .insertInto('node')
      .values({
        instance: `node${i}`,
        name: `node${i}`,
        host: 'elsewhere',
        pid: i,
        version: '1',
        schema: '1',
        address: '',
        workers: 1,
        started_at: i,
        heartbeat_at: i,
        clock_offset: 0,
        sender_pid: i,
      })
      .execute()
    const key = { user_id: alice.user.id, packet: 'AA==', created_at: i }
    await tx
      .insertInto('gpg_key')
      .values([
        { ...key, key_id: `00000000000000A${i}`, primary_key_id: '', armored: 'none' },
        { ...key, key_id: `00000000000000B${i}`, primary_key_id: `00000000000000A${i}`, armored: '' },
      ])
      .execute()
  })
}

const LDAP = { host: '127.0.0.1', user_search_base: 'dc=test' }
const HOOK_PATHS = ['/repos/alice/main/hooks', '/orgs/acme/hooks', '/user/hooks', '/admin/hooks'] as const
/** The id of the first webhook at each path. */
const firstHooks = new Map<string, number>()

async function growDeliveries(): Promise<void> {
  for (const path of HOOK_PATHS) {
    if (!firstHooks.has(path)) {
      const { client } = path.startsWith('/admin') ? root : alice
      firstHooks.set(path, (await client.get(path)).json[0].id)
    }
    await addDeadDelivery(server.app.database, firstHooks.get(path)!)
  }
}

/** The webhook whose deliveries a path lists. */
const hookOf = (path: string): number | undefined =>
  path.endsWith('/deliveries')
    ? firstHooks.get(
        path
          .replace('{owner}/{repo}', 'alice/main')
          .replace('{org}', 'acme')
          .replace(/\/\{id.*/, ''),
      )
    : undefined

/** What runners and workflows make. */
async function growActions(i: number): Promise<void> {
  const workflow = 'on: workflow_dispatch\njobs: { build: { runs-on: any, steps: [{ run: true }] } }\n'
  const content = Buffer.from(workflow).toString('base64')
  if (i === 0) await done(alice.client.post('/repos/alice/main/contents/.gitea/workflows/ci.yml', { content }))
  const factory = createActionsFactory(server.app)
  const [main, shared] = await Promise.all(['main', 'shared'].map(repoId))
  for (const place of [
    { kind: 'site' },
    { kind: 'owner', ownerId: alice.user.id },
    { kind: 'owner', ownerId: acme.org.id },
    { kind: 'repository', repoId: main! },
  ] as const)
    await factory.runner(place, { name: `runner${i}`, labels: Array.from({ length: i }, (_, n) => `label${n}`) })
  for (const repo of [main!, shared!]) {
    const { run, jobs } = await factory.run(repo, { actorId: alice.user.id })
    await factory.task(repo, jobs[0]!, { steps: Array.from({ length: i }, (_, n) => `step${n}`) })
    await factory.job({ id: 1, repoId: main! }, `job${i}`)
    await factory.job({ id: run.id, repoId: repo }, `waiting${i}`, 'waiting')
    await storeArtifact(server, run, { name: 'zip', text: `zip ${i}` })
    await storeArtifact(server, { id: 1, repoId: main! }, { name: `${repo} ${i}`, text: `zip ${i}` })
    expect(run.number).toBe(i + 1)
  }
}

async function repoId(name: string): Promise<RepoId> {
  const { read } = server.app.database
  return asId((await read.selectFrom('repo').select('id').where('name', '=', name).executeTakeFirstOrThrow()).id)
}

let sha = ''
const files: number[] = []
let release = 0
let comment = 0
/** The last one of the last pull request. */
let review = 0
let token = ''
const hook = (i: number): object => ({
  type: 'gitea',
  config: { url: `https://example.test/${i}`, content_type: 'json' },
  events: ['push'],
  active: true,
})

interface Look {
  readonly queries: number
  readonly length: number
}

/** What an operation needs to give a list at all. */
const QUERIES: Readonly<Record<string, () => string>> = {
  topicSearch: () => '&q=topic',
  searchCode: () => '&q=words',
  repoSearchCode: () => '&q=words',
  GetBlobs: () => `&shas=${files.map(blobId).join()}`,
  repoGetFileContents: () => `&body=${encodeURIComponent(JSON.stringify({ files: files.map((i) => `f${i}.txt`) }))}`,
}

// The server runs no git hooks and refuses to list any.
const givesList = ({ id, method, query, responses }: Operation): boolean =>
  method === 'GET' &&
  id !== 'repoListGitHooks' &&
  ((query !== undefined && 'limit' in query.properties) ||
    (responses[200] as { type?: string } | undefined)?.type === 'array')

async function look(operation: Operation, place: Readonly<Record<string, string>>): Promise<Look> {
  const path = operation.path.replace(/\{(\w+)[^}]*\}/g, (_, name: string) => place[name] ?? '1')
  const ask = (by: Person): Promise<Response<Any>> =>
    by.client.get(`${path}?limit=50${QUERIES[operation.id]?.() ?? ''}`)
  const asker = (await ask(alice)).status === 403 ? root : alice
  let fewest = Number.POSITIVE_INFINITY
  let answer: Response<Any> | undefined
  // NOTE: timers of the server read too, at any time: the least of three is the list's own.
  for (let n = 0; n < 3; n++) {
    await commit()
    const queries = await queriesOf(server.app.database, async () => {
      answer = await ask(asker)
    })
    fewest = Math.min(fewest, queries.length)
  }
  const { status, json } = answer!
  if (status !== 200) throw new Error(`${operation.id} answered ${status}`)
  const items = Array.isArray(json)
    ? json
    : (Object.values(json).find((member) => Array.isArray(member)) as unknown[] | undefined)
  return { queries: fewest, length: items?.length ?? -1 }
}

let commits = 0

/** Nothing that was read before is remembered: a list shows all of its queries. */
const commit = (): Promise<unknown> =>
  server.app.database.transaction((tx) =>
    tx
      .updateTable('access_token')
      .set({ last_eight: `${++commits}` })
      .execute(),
  )

/** The newest package with files where these are listed, as there are more of them in each. */
const packagePlace = (path: string): Record<string, string> =>
  path.endsWith('/files')
    ? { type: 'npm', name: `filed${files.length - 1}`, version: '1' }
    : { type: 'npm', name: 'tool' }

const idOf = (path: string, team: number): number =>
  path.startsWith('/teams/')
    ? team
    : path.includes('/reviews/')
      ? review
      : path.includes('/comments/')
        ? comment
        : release

it('run the same number of queries for any length', async () => {
  sha = (await alice.client.get('/repos/alice/main/branches/main')).json.commit.id
  release = (await alice.client.get('/repos/alice/main/releases')).json[0].id
  token = await alice.token('all')
  for (let i = 0; i < FIRST; i++) await grow(i)
  const team = (await alice.client.get('/orgs/acme/teams')).json.find((one: { name: string }) => one.name === 'core').id
  const lists = server.app.operations.filter(givesList)
  const place = (operation: Operation): Record<string, string> => ({
    ...(operation.id === 'repoListTeams' ? { owner: 'acme', repo: 'shared' } : { owner: 'alice', repo: 'main' }),
    ...(operation.path.startsWith('/repos/{owner}/{repo}/pulls') && {
      owner: 'root',
      repo: 'changes',
      index: String(files.length),
    }),
    ...(operation.id === 'repoListMergeQueue' && { owner: 'root', repo: 'changes', branch: 'main' }),
    org: 'acme',
    quotagroup: 'staff',
    username: 'alice',
    user: 'alice',
    sha,
    ref: operation.path.includes('/git/refs') ? 'heads' : sha,
    pageName: 'Page%200',
    ...(operation.path.startsWith('/packages/') ? packagePlace(operation.path) : { name: 'Default' }),
    id: String(hookOf(operation.path) ?? idOf(operation.path, team)),
    workflow_id: 'ci.yml',
    ...projectPlace(operation.path),
  })
  const before = new Map<string, Look>()
  for (const operation of lists) before.set(operation.id, await look(operation, place(operation)))
  for (let i = FIRST; i < LAST; i++) await grow(i)
  const wrong: string[] = []
  for (const operation of lists) {
    const [first, second] = [before.get(operation.id)!, await look(operation, place(operation))]
    if (second.queries > first.queries)
      wrong.push(
        `${operation.id}: ${first.queries} queries for ${first.length}, ${second.queries} for ${second.length}`,
      )
    if (second.length <= first.length !== NOT_GROWING.has(operation.id))
      wrong.push(`${operation.id}: had ${first.length}, has ${second.length}`)
  }
  expect(wrong).toEqual([])
  expect(lists.length).toBeGreaterThan(80)
  // The queries are counted.
  expect(before.get('repoSearch')!.queries).toBeGreaterThan(0)
}, 180_000)
