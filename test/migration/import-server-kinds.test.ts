import { generateKey } from 'openpgp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { type ServerWorld, startServerWorld } from './server-world.ts'

const TIMEOUT = 120_000
const DESK = '/repos/ann/desk'
const PEOPLE = ['ann', 'bob', 'boss', 'zed']

/** Reads from one of the two servers, as an administrator. */
type Get = (path: string) => Promise<Any>
type Reader = (get: Get) => Promise<readonly unknown[]>

const memberOf = (item: Any, path: string): unknown =>
  path.split('.').reduce((value, name) => value?.[name], item) ?? null

/** These members of each item, in an order that both servers have. */
const pick = (list: readonly Any[], members: readonly string[]): string[] =>
  list.map((item) => JSON.stringify(members.map((path) => memberOf(item, path)))).toSorted()

const list =
  (path: string, ...members: string[]): Reader =>
  async (get) =>
    pick(await get(path), members)

const object =
  (path: string, ...members: string[]): Reader =>
  async (get) =>
    pick([await get(path)], members)

/** A list of several accounts or places; nothing of those without items. */
const lists =
  (names: readonly string[], path: (name: string) => string, ...members: string[]): Reader =>
  async (get) => {
    const found = await Promise.all(names.map(async (name) => [name, pick(await get(path(name)), members)] as const))
    return found.filter(([, items]) => items.length > 0)
  }

const listsOfTeams =
  (path: string, member: string): Reader =>
  async (get) => {
    const teams: Any[] = await get('/orgs/guild/teams')
    return Promise.all(
      teams
        .toSorted((one, other) => (one.name < other.name ? -1 : 1))
        .map(async ({ id, name }) => [name, pick(await get(`/teams/${id}/${path}`), [member])]),
    )
  }

/** Accounts but those that the new server had before. */
const accounts =
  (...members: string[]): Reader =>
  async (get) =>
    pick(
      ((await get('/admin/users?limit=50')) as Any[]).filter(({ login }) => PEOPLE.includes(login)),
      ['login', ...members],
    )

const images: Reader = async (get) =>
  Promise.all(
    ['/users/ann', '/orgs/guild', DESK].map(async (path) =>
      Buffer.from(await (await fetch((await get(path)).avatar_url)).arrayBuffer()).toString('base64'),
    ),
  )

const permissions: Reader = async (get) =>
  Promise.all(
    ((await get(`${DESK}/collaborators`)) as Any[]).map(async ({ login }) => [
      login,
      (await get(`${DESK}/collaborators/${login}/permission`)).permission,
    ]),
  )

/**
 * How each kind of object is compared. The names are those of the journal of the import, or of objects in repositories.
 */
const KINDS: Readonly<Record<string, Reader>> = {
  account: accounts('full_name', 'email', 'location', 'website', 'description', 'visibility', 'is_admin', 'created'),
  restrictions: accounts('active', 'prohibit_login', 'restricted'),
  email: async (get) =>
    pick(
      ((await get('/admin/emails?limit=50')) as Any[]).filter(({ username }) => PEOPLE.includes(username)),
      ['username', 'email', 'verified', 'primary'],
    ),
  keys: lists(PEOPLE, (name) => `/users/${name}/keys`, 'title', 'fingerprint'),
  'gpg-keys': lists(PEOPLE, (name) => `/users/${name}/gpg_keys`, 'key_id', 'emails.0.email'),
  settings: object('/user/settings?sudo=ann', 'hide_email', 'hide_activity', 'theme', 'language', 'diff_view_style'),
  avatar: images,
  follows: lists(PEOPLE, (name) => `/users/${name}/following`, 'login'),
  stars: lists(PEOPLE, (name) => `/users/${name}/starred`, 'full_name'),
  blocks: lists(PEOPLE, (name) => `/user/blocks?sudo=${name}`, 'login'),
  'org-blocks': list('/orgs/guild/blocks', 'login'),
  organization: object('/orgs/guild', 'name', 'full_name', 'description', 'website', 'location', 'visibility'),
  team: list(
    '/orgs/guild/teams',
    'name',
    'permission',
    'units_map',
    'includes_all_repositories',
    'can_create_org_repo',
  ),
  teams: list('/orgs/guild/teams', 'name'),
  'team-members': listsOfTeams('members', 'login'),
  'team-repos': listsOfTeams('repos', 'full_name'),
  'public-members': list('/orgs/guild/public_members', 'login'),
  'org-labels': list('/orgs/guild/labels', 'name', 'color', 'exclusive'),
  repository: list('/repos/search?limit=50', 'full_name'),
  'repo-settings': object(DESK, 'description', 'private', 'has_projects', 'default_merge_style', 'default_branch'),
  'repo-created': object(DESK, 'created_at'),
  topics: (get) => get(`${DESK}/topics`),
  fork: object('/repos/bob/desk-fork', 'fork', 'parent.full_name'),
  collaborators: permissions,
  'deploy-keys': list(`${DESK}/keys`, 'title', 'read_only', 'fingerprint'),
  'branch-protections': list(
    `${DESK}/branch_protections`,
    'rule_name',
    'required_approvals',
    'push_whitelist_usernames',
  ),
  'tag-protections': list(`${DESK}/tag_protections`, 'name_pattern', 'whitelist_usernames'),
  hooks: lists([DESK, '/orgs/guild'], (place) => `${place}/hooks`, 'type', 'config.url'),
  hook: lists([DESK, '/orgs/guild'], (place) => `${place}/hooks`, 'config.content_type', 'branch_filter', 'events'),
  variables: lists(
    ['/user', '/orgs/guild', DESK],
    (place) => `${place}/actions/variables${place === '/user' ? '?sudo=ann' : ''}`,
    'name',
    'data',
  ),
  watches: list(`${DESK}/subscribers`, 'login'),
  branches: list(`${DESK}/branches`, 'name', 'commit.id'),
  labels: list(`${DESK}/labels`, 'name', 'color', 'description'),
  milestones: list(`${DESK}/milestones`, 'title', 'state'),
  releases: list(`${DESK}/releases`, 'tag_name', 'name', 'body'),
  issues: list(
    `${DESK}/issues?state=all`,
    'number',
    'title',
    'body',
    'user.login',
    'state',
    'created_at',
    'labels.0.name',
  ),
  comments: list(`${DESK}/issues/comments`, 'body', 'user.login', 'created_at'),
  reactions: list(`${DESK}/issues/1/reactions`, 'content', 'user.login'),
  pulls: list(`${DESK}/pulls?state=all`, 'number', 'title', 'user.login', 'head.sha', 'base.ref'),
  wiki: list(`${DESK}/wiki/pages`, 'title'),
}

describeOnBoth('ingot import server', (on) => {
  let world: ServerWorld

  beforeAll(async () => {
    world = await startServerWorld(on)
    const { ann, boss, source } = world
    await source.world.user('zed')
    const { publicKey } = await generateKey({ userIDs: [{ email: 'ann@example.test' }] })
    const requests: readonly (readonly [
      person: typeof ann,
      method: 'patch' | 'post' | 'put',
      path: string,
      body?: object,
    ])[] = [
      [boss, 'patch', '/admin/users/zed', { prohibit_login: true, restricted: true }],
      [ann, 'post', '/user/gpg_keys', { armored_public_key: publicKey }],
      [ann, 'put', '/orgs/guild/blocks/zed'],
      [ann, 'put', `${DESK}/topics`, { topics: ['tools', 'wood'] }],
      [
        ann,
        'post',
        `${DESK}/branch_protections`,
        {
          rule_name: 'main',
          required_approvals: 2,
          enable_push: true,
          enable_push_whitelist: true,
          push_whitelist_usernames: ['bob'],
        },
      ],
      [ann, 'post', `${DESK}/tag_protections`, { name_pattern: 'v*', whitelist_usernames: ['bob'] }],
      [ann, 'post', `${DESK}/issues/1/reactions`, { content: 'heart' }],
      [ann, 'post', `${DESK}/wiki/new`, { title: 'Home', content_base64: Buffer.from('text').toString('base64') }],
      [ann, 'post', `${DESK}/contents/new`, { content: '', branch: 'main', new_branch: 'topic' }],
      [ann, 'post', `${DESK}/pulls`, { title: 'new file', head: 'topic', base: 'main' }],
    ]
    for (const [person, method, path, body] of requests) {
      const { status, text } = await person.client[method](path, body)
      expect(status, `${method} ${path}: ${text}`).toBeLessThan(400)
    }
    await source.drain()
    const { code, stdout } = await world.run('server')
    expect(code, stdout).toBe(0)
  }, TIMEOUT)
  afterAll(() => world.close())

  it.each(Object.entries(KINDS))('imports %s unchanged', async (_, read) => {
    const [theirs, ours] = [await read(get(world.boss)), await read(get(world.admin))]
    expect(ours).toEqual(theirs)
    expect(theirs, 'the other server has some').not.toEqual([])
  })

  it('has no kind of object that this test does not compare', async () => {
    const rows = await world.target.app.database.read.selectFrom('server_import').select('kind').distinct().execute()
    const kinds = new Set(rows.map(({ kind }) => kind.split(' ')[0]!))
    expect([...kinds].filter((kind) => !Object.hasOwn(KINDS, kind))).toEqual([])
  })

  it('leaves all hooks inactive, because their secrets cannot be read', async () => {
    for (const place of [DESK, '/orgs/guild'])
      for (const hook of await get(world.admin)(`${place}/hooks`)) expect(hook.active).toBe(false)
  })
})

const get =
  ({ client }: ServerWorld['boss']): Get =>
  async (path) => {
    const { status, json, text } = await client.get(path)
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    return path.startsWith('/repos/search') ? json.data : path.endsWith('/topics') ? json.topics : json
  }
