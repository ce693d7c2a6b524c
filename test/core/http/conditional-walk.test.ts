import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Operation } from '../../../src/core/http/operation.ts'
import { oracle } from '../git/fixture.ts'
import { createActionsFactory } from '../../harness/actions.ts'
import { storeArtifact } from '../../harness/artifacts.ts'
import { addDeadDelivery } from '../../harness/hook-deliveries.ts'
import { addEndedImport } from '../../harness/imports.ts'
import { addCleanupRule, addPackageVersion, addUpstream } from '../../harness/packages.ts'
import { escapeHtml } from '../../../src/core/platform/html.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Repo } from '../../../src/domains/repositories/index.ts'
import type { User } from '../../../src/domains/accounts/index.ts'
import { newKey } from '../../harness/ssh-keys.ts'
import type { Person } from '../../harness/world.ts'

/**
 * Every GET that answers with a body, on a server that has one of each thing: the same answer is sent once, and every
 * `html_url` in it leads to a page. New operations are covered as they are registered.
 */

let server: TestServer
let root: Person
/** Values of the parameters of a path, in order of strength: the first path that matches decides. */
const PLACES: [RegExp, Record<string, string>][] = []

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** What was made, after a check that it was. */
async function make(path: string, body: object = {}, method: 'post' | 'put' = 'post') {
  const answer = await root.client[method](path, body)
  expect(answer.status, `${path} ${answer.text}`).toBeLessThan(300)
  return answer.json
}

beforeAll(async () => {
  server = await startServer({
    settings: {
      'repository.enable_flags': 'true',
      'federation.enabled': 'true',
      'quota.enabled': 'true',
      'search.code_enabled': 'true',
    },
  })
  root = await server.world.admin()
  const { org } = await server.world.org('acme', { owner: root })
  const repo = await server.world.repo({
    owner: org,
    by: root,
    name: 'code',
    autoInit: true,
    license: 'MIT',
    defaultBranch: 'main',
  })
  await make('/repos/acme/code/forks')
  await fill()
  await fillActions(repo, org)
  oracle(server.app.git.open(repo).path, ['notes', 'add', '-m', 'a note', 'main'])
}, 60_000)
afterAll(() => server.close())

async function fill(): Promise<void> {
  const at = '/repos/acme/code'
  for (const [path, text] of [
    ['.editorconfig', '[*]\nindent_size = 2\n'],
    ['ISSUE_TEMPLATE/a.md', 'words'],
    ['src/a.go', 'package a\n'],
    ['.gitea/workflows/ci.yml', 'on: push\njobs:\n  build:\n    runs-on: any\n    steps: [{ run: true }]\n'],
  ])
    await make(`${at}/contents/${path}`, { content: base64(text!) })
  const tag = await make(`${at}/tags`, { tag_name: 'v0', message: 'annotated' })
  const blob = (await root.client.get(`${at}/contents/README.md`)).json.sha
  const release = await make(`${at}/releases`, { tag_name: 'v1' })
  const asset = await make(`${at}/releases/${release.id}/assets?name=link&external_url=https://example.test/x`)
  await make(`${at}/wiki/new`, { title: 'Home', content_base64: base64('hi') })
  await make(`${at}/branch_protections`, { rule_name: 'main' })
  const tags = await make(`${at}/tag_protections`, { name_pattern: 'v*', whitelist_usernames: ['root'] })
  const label = { name: 'bug', color: '#ff0000' }
  const [repoLabel, orgLabel] = [await make(`${at}/labels`, label), await make('/orgs/acme/labels', label)]
  const milestone = await make(`${at}/milestones`, { title: 'spring' })
  await make(`${at}/issues`, { title: 'first', milestone: milestone.id, labels: [repoLabel.id] })
  await make(`${at}/issues/1/times`, { time: 60 })
  const comment = await make(`${at}/issues/1/comments`, { body: 'words' })
  // Notifies the owner.
  const author = await server.world.user('poster')
  expect((await author.client.post(`${at}/issues`, { title: 'second' })).status).toBe(201)
  const [issueFile, commentFile] = [
    await attach(`${at}/issues/1/assets`),
    await attach(`${at}/issues/comments/${comment.id}/assets`),
  ]
  const change = { content: base64('x'), branch: 'main', new_branch: 'topic' }
  await make(`${at}/contents/change.txt`, change)
  const pull = await make(`${at}/pulls`, { head: 'topic', base: 'main', title: 'third' })
  await make(`${at}/contents/merged.txt`, { ...change, new_branch: 'ready' })
  const ready = await make(`${at}/pulls`, { head: 'ready', base: 'main', title: 'merged' })
  await make(`${at}/pulls/${ready.number}/merge`, { Do: 'merge' })
  const words = { event: 'COMMENT', comments: [{ path: 'change.txt', body: 'words', new_position: 1 }] }
  const review = await make(`${at}/pulls/${pull.number}/reviews`, words)
  const [reviewed] = (await root.client.get(`${at}/pulls/${pull.number}/reviews/${review.id}/comments`)).json
  const merged = (await root.client.get(`${at}/branches/main`)).json.commit.id
  // Statuses that do not come keep it in the merge queue.
  const statuses = { enable_status_check: true, status_check_contexts: ['ci'] }
  expect((await root.client.patch(`${at}/branch_protections/main`, statuses)).status).toBe(200)
  await make(`${at}/pulls/${pull.number}/merge`, { Do: 'merge', queue: true })
  const deploy = await make(`${at}/keys`, { title: 'deploy', key: newKey() })
  const key = await make('/user/keys', { title: 'mine', key: newKey() })
  const mirror = await make(`${at}/push_mirrors`, { remote_address: `${server.url}/root/elsewhere.git`, interval: '0' })
  await make(`${at}/flags`, { flags: ['one'] }, 'put')
  const hook = { type: 'gitea', config: { url: 'http://127.0.0.1:9/', content_type: 'json' } }
  const [repoHook, orgHook, userHook, siteHook] = [
    await make(`${at}/hooks`, hook),
    await make('/orgs/acme/hooks', hook),
    await make('/user/hooks', hook),
    await make('/admin/hooks', hook),
  ]
  const deliveryOf = async ({ id }: { id: number }): Promise<{ id: string; uuid: string }> => ({
    id: String(id),
    uuid: await addDeadDelivery(server.app.database, id),
  })
  const application = await make('/user/applications/oauth2', { name: 'app', redirect_uris: ['http://127.0.0.1/'] })
  await make('/admin/quota/groups', { name: 'free', rules: [{ name: 'free', limit: -1 }] })
  const ldap = { host: '127.0.0.1', user_search_base: 'dc=test' }
  const source = await make('/admin/auth-sources', { name: 'directory', kind: 'ldap', is_active: false, ldap })
  const importId = await addEndedImport(server.app, { actorId: root.user.id, name: 'lost' })
  const [team] = (await root.client.get('/orgs/acme/teams')).json
  PLACES.push(
    [/\/git\/tags\//, { sha: tag.id }],
    [/\/git\/blobs/, { sha: blob, shas: blob }],
    ...(await projectPlaces()),
    [/\/git\/refs\//, { ref: 'heads/main' }],
    [/\/pulls\/\{base\}/, { base: 'main', head: 'topic' }],
    [/\/commits\/\{sha\}\/pull/, { sha: merged }],
    [/\/reviews\/\{id/, { id: String(review.id), comment: String(reviewed.id) }],
    [/\/pulls\/\{index/, { index: String(pull.number) }],
    [/\/issues\/comments\//, { id: String(comment.id), attachment_id: String(commentFile.id) }],
    [/\/issues\/\{index(?::int)?\}\/assets/, { attachment_id: String(issueFile.id) }],
    [/\/assets\//, { id: String(release.id), attachment_id: String(asset.id) }],
    [/\/releases\/tags\//, { tag: 'v1' }],
    [/\/tags\/\{tag/, { tag: 'v0' }],
    [/\/releases\/\{id/, { id: String(release.id) }],
    [/tag_protections/, { id: String(tags.id) }],
    [/auth-sources/, { id: String(source.id) }],
    [/^\/repos\/migrations/, { id: String(importId) }],
    [/\{repo\}\/labels/, { id: String(repoLabel.id) }],
    [/\/milestones/, { id: String(milestone.id) }],
    [/\{org\}\/labels/, { id: String(orgLabel.id) }],
    [/\{repo\}\/keys/, { id: String(deploy.id) }],
    [/\/user\/keys/, { id: String(key.id) }],
    [/\{repo\}\/hooks/, await deliveryOf(repoHook)],
    [/\/orgs\/\{org\}\/hooks/, await deliveryOf(orgHook)],
    [/\/user\/hooks/, await deliveryOf(userHook)],
    [/\/admin\/hooks/, await deliveryOf(siteHook)],
    [/oauth2/, { id: String(application.id) }],
    [/^\/teams\/\{id\}\/repos/, { id: String(team.id) }],
    [/^\/teams/, { id: String(team.id) }],
    [/push_mirrors/, { name: mirror.remote_name }],
    [/branch_protections/, { name: 'main' }],
    [/\/gitignore/, { name: 'Go' }],
    [/\/licenses/, { name: 'MIT' }],
    [/\/label\/templates/, { name: 'Default' }],
    [/\/quota\//, { quotagroup: 'free', quotarule: 'free' }],
    [/editorconfig/, { filepath: 'src/a.go' }],
    [/sync_fork/, { owner: 'root' }],
    [/\{repo\}\/archive/, { archive: 'main.zip' }],
    [
      /./,
      {
        owner: 'acme',
        repo: 'code',
        org: 'acme',
        team: 'Owners',
        username: 'root',
        user: 'root',
        collaborator: 'root',
        branch: 'main',
        ref: 'main',
        sha: 'main',
        basehead: 'main...main',
        filepath: 'README.md',
        archive: 'main',
        pageName: 'Home',
        diffType: 'diff',
        id: '1',
      },
    ],
  )
}

/** A project of each level, with its first column. */
const projectPlaces = (): Promise<[RegExp, Record<string, string>][]> =>
  Promise.all(
    [
      ['/repos/acme/code', /^\/repos\/.*\/projects/],
      ['/orgs/acme', /^\/orgs\/.*\/projects/],
      ['/user', /^\/user\/projects/],
    ].map(async ([at, pattern]) => {
      const project = await make(`${at as string}/projects`, { title: 'plan' })
      const column = await make(`${at as string}/projects/${project.id}/columns`, { title: 'next' })
      return [pattern as RegExp, { id: String(project.id), column_id: String(column.id) }]
    }),
  )

/** Creates rows of Actions and packages that runners and registries create. */
async function fillActions(repo: Repo, org: User): Promise<void> {
  const factory = createActionsFactory(server.app)
  const { run, jobs } = await factory.run(repo.id)
  await factory.task(repo.id, jobs[0]!, { log: ['words'] })
  const artifact = await storeArtifact(server, run, { name: 'zip', text: 'zip' })
  const runners = {
    '{repo}': await factory.runner({ kind: 'repository', repoId: repo.id }),
    '{org}': await factory.runner({ kind: 'owner', ownerId: org.id }),
    '/user': await factory.runner({ kind: 'owner', ownerId: root.user.id }),
    '/admin': await factory.runner({ kind: 'site' }),
  }
  for (const [at, id] of Object.entries(runners))
    PLACES.unshift([new RegExp(`^.*${at.replaceAll(/[{}]/g, '\\$&')}/actions/runners`), { runner_id: String(id) }])
  for (const at of ['/repos/acme/code', '/orgs/acme', '/user']) await make(`${at}/actions/variables/V`, { value: 'x' })
  const creatorId = root.user.id
  await addPackageVersion(server.app, { ownerId: org.id, creatorId, name: 'tool', version: '1' })
  await addCleanupRule(server.app, org.id, 'npm')
  await addUpstream(server.app, org.id, 'npm')
  PLACES.unshift(
    [/\/actions\/variables/, { variablename: 'V' }],
    [/\/actions\/runs/, { run: String(run.id) }],
    [/\/actions\/jobs/, { job_id: String(jobs[0]!) }],
    [/\/actions\/artifacts/, { artifact_id: String(artifact) }],
    [/\/actions\/workflows/, { workflow_id: 'ci.yml' }],
    [/^\/packages/, { owner: 'acme', type: 'npm', name: 'tool', version: '1' }],
  )
}

/** Adds a file by a form. */
async function attach(path: string): Promise<{ id: number }> {
  const head = 'content-disposition: form-data; name="attachment"; filename="a.txt"'
  const form = `--edge\r\n${head}\r\n\r\nwords\r\n--edge--\r\n`
  const answer = await root.client.post(path, form, { 'content-type': 'multipart/form-data; boundary=edge' })
  expect(answer.status, path).toBe(201)
  return answer.json
}

/** A path with parameters that lead to something, and with the query without which there is no answer. */
function place({ path }: Operation): string {
  const found = PLACES.filter(([pattern]) => pattern.test(path)).map(([, values]) => values)
  const filled = path.replaceAll(/\{(\w+)[^}]*\}/g, (_, name: string) =>
    encodeURIComponent(found.find((values) => name in values)?.[name] ?? '1'),
  )
  if (path.endsWith('/git/blobs')) return `${filled}?shas=${found.find((values) => 'shas' in values)!['shas']}`
  if (path.endsWith('/search/code')) return `${filled}?q=package`
  if (path.endsWith('/quota/check')) return `${filled}?subject=size:all`
  return path.endsWith('/file-contents') ? `${filled}?body=${encodeURIComponent('{"files":["README.md"]}')}` : filled
}

const answersBody = ({ method, responses }: Operation): boolean =>
  method === 'GET' && responses[200] !== undefined && responses[200] !== null

/**
 * They have nothing to show here: no GPG key, no signing key, no token of the request, no token of a job,
 * no git hooks; and a text that is new every time, streams,
 * which do not end, and files at addresses that are made for one download.
 */
const NOTHING_HERE = new Set([
  'userCurrentGetGPGKey',
  'getSigningKey',
  'getSigningKeySSH',
  'getSSHSigningKey',
  'repoSigningKey',
  'repoSigningKeySSH',
  'repoListGitHooks',
  'repoGetGitHook',
  'getCurrentToken',
  'getVerificationToken',
  'getActionsRun',
  'downloadActionsRunJobLogs',
  'repoGetActionRunLogs',
  'downloadArtifact',
  'downloadArtifactRaw',
  'notifyStream',
  'repoStreamEvents',
  'repoStreamActionJobLogs',
  'repoStreamMigration',
])

describe('conditional requests to every operation', () => {
  it('are answered 304 without a body, and in full to who has something else', async () => {
    const wrong: string[] = []
    const chosen = server.app.operations.filter(
      (operation) => answersBody(operation) && !NOTHING_HERE.has(operation.id),
    )
    expect(chosen.length).toBeGreaterThan(130)
    for (const operation of chosen) {
      const path = place(operation)
      const first = await root.client.get(path)
      const tag = first.headers.get('etag')
      if (first.status !== 200)
        wrong.push(`${operation.id} ${path}: ${first.status}; make one in fill() and say in PLACES where it is`)
      else if (tag === null) wrong.push(`${operation.id} ${path}: no tag`)
      else {
        const again = await root.client.get(path, { 'if-none-match': tag })
        if (again.status !== 304 || again.text !== '' || again.headers.get('etag') !== tag)
          wrong.push(`${operation.id} ${path}: ${again.status} for ${tag}`)
        const other = await root.client.get(path, { 'if-none-match': '"other"' })
        if (other.status !== 200) wrong.push(`${operation.id} ${path}: ${other.status} for another tag`)
      }
    }
    expect(wrong).toEqual([])
  })
})

type Json = Readonly<Record<string, unknown>>

/** Every object with an `html_url` in a value, at any depth. */
function linked(value: unknown): Json[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(linked)
  return !Array.isArray(value) && 'html_url' in value ? [value as Json, ...inner] : inner
}

/** What people call an object; empty for a review without a text. */
function titleOf(object: Json): string {
  const { message = '' } = { ...(object['commit'] as { message?: string } | undefined) }
  const names = ['title', 'display_title', 'filename', 'body', 'tag_name', 'login', 'name', 'sha'].map(
    (key) => object[key],
  )
  return message.split('\n')[0] || String(names.find((name) => typeof name === 'string') ?? '')
}

describe('every html_url in the answers', () => {
  const found = new Map<string, string>()
  const open = async (url: string, authorization?: string): Promise<{ status: number; text: string }> => {
    const answer = await fetch(url, { headers: authorization === undefined ? {} : { authorization } })
    return { status: answer.status, text: await answer.text() }
  }

  it('opens as a page with the title of the object, and has the target that it names', async () => {
    for (const operation of server.app.operations.filter(
      (known) => answersBody(known) && !NOTHING_HERE.has(known.id),
    )) {
      const answer = await root.client.get(place(operation))
      if (!answer.headers.get('content-type')?.startsWith('application/json')) continue
      for (const object of linked(answer.json))
        if (object['html_url'] !== '') found.set(String(object['html_url']), titleOf(object))
    }
    const kinds = [
      '/issues/',
      '/pulls/',
      '#issuecomment-',
      '/commit/',
      '/src/',
      '/releases/',
      '/runs/',
      '/jobs/',
      '/-/packages/',
    ]
    for (const kind of [...kinds, '/projects/', '/-/projects/', '/wiki/'])
      expect([kind, [...found.keys()].some((url) => url.includes(kind))]).toEqual([kind, true])
    const authorization = `token ${await root.token('all')}`
    const wrong: string[] = []
    for (const [url, title] of found) {
      const { status, text } = await open(url, authorization)
      const [, target] = url.split('#')
      if (status !== 200) wrong.push(`${url}: ${status}`)
      else if (!text.includes(escapeHtml(title).replaceAll("'", '&#39;'))) wrong.push(`${url}: without ${title}`)
      else if (target !== undefined && !text.includes(`id="${target}"`)) wrong.push(`${url}: without the target`)
    }
    expect(wrong).toEqual([])
  }, 60_000)

  it('is missing for others when it is of a private repository', async () => {
    expect((await root.client.patch('/repos/acme/code', { private: true })).status).toBe(200)
    const outsider = `token ${await (await server.world.user('outsider')).token('all')}`
    const urls = [...found.keys()].filter((url) => new URL(url).pathname.startsWith('/acme/code'))
    expect(urls.length).toBeGreaterThan(15)
    for (const url of urls)
      for (const credentials of [undefined, outsider])
        expect([url, (await open(url, credentials)).status]).toEqual([url, 404])
  })
})
