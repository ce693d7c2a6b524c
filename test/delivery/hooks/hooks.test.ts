import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Any, Client } from '../../harness/client.ts'
import { rows } from '../../harness/expect.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

const config = { url: 'http://127.0.0.1:9/x', content_type: 'json' }

describe('webhook records', () => {
  let server: TestServer
  let [ann, bob, cat, root] = [] as unknown as [Person, Person, Person, Person]

  beforeAll(async () => {
    server = await startServer()
    const { world } = server
    ;[ann, bob, cat, root] = [
      await world.user('ann'),
      await world.user('bob'),
      await world.user('cat'),
      await world.admin(),
    ]
    await world.org('guild', { owner: ann })
    await world.repo({ owner: ann, name: 'r' })
    await world.repo({ owner: ann, name: 'other' })
    await world.repo({ owner: ann, name: 'hid', isPrivate: true })
  })
  afterAll(() => server.close())

  const status = async (answer: Promise<{ status: number }>): Promise<number> => (await answer).status
  const hook = (client: Client, path: string, more: object = {}): Promise<Any> =>
    client.post(path, { type: 'gitea', config, ...more })

  it('are for administrators of the owner', async () => {
    for (const path of ['/repos/ann/r/hooks', '/orgs/guild/hooks', '/user/hooks', '/admin/hooks']) {
      expect(await status(server.anonymous.get(path))).toBe(401)
      expect(await status(server.anonymous.post(path, { type: 'gitea', config }))).toBe(401)
    }
    for (const path of ['/repos/ann/r/hooks', '/orgs/guild/hooks', '/admin/hooks'])
      expect(await status(hook(bob.client, path))).toBe(403)
    expect(await status(bob.client.get('/repos/ann/hid/hooks'))).toBe(404)
    expect(await status(hook(await ann.withToken('read:repository'), '/repos/ann/r/hooks'))).toBe(403)
  })

  it('are not git hooks, which no account may edit', async () => {
    const path = '/repos/ann/r/hooks/git'
    const calls = (client: Client): Promise<Any>[] => [
      client.get(path),
      client.get(`${path}/update`),
      client.patch(`${path}/update`, { content: 'id' }),
      client.delete(`${path}/update`),
    ]
    expect((await Promise.all(calls(server.anonymous))).map((answer) => answer.status)).toEqual([401, 401, 401, 401])
    expect((await Promise.all(calls(bob.client))).map((answer) => answer.json.message)).toEqual(
      Array(4).fill('user should be an owner or a collaborator with admin write of a repository'),
    )
    for (const person of [ann, root])
      expect((await Promise.all(calls(person.client))).map((answer) => [answer.status, answer.json.message])).toEqual(
        Array(4).fill([403, 'must be allowed to edit Git hooks']),
      )
    expect(await status(bob.client.get('/repos/ann/hid/hooks/git'))).toBe(404)
  })

  it.each(['/repos/ann/r/hooks', '/orgs/guild/hooks', '/user/hooks'])(
    'are created, read, edited and deleted at %s',
    async (path) => {
      const made = await hook(ann.client, path, {
        name: ' first ',
        config: { ...config, secret: 'S3CRET' },
        events: ['push', 'issues'],
        authorization_header: 'Bearer abc',
        branch_filter: 'v*',
      })
      expect(made.status).toBe(201)
      expect(made.text).not.toContain('S3CRET')
      expect(made.json).toMatchObject({
        name: 'first',
        active: false,
        config,
        url: config.url,
        content_type: 'json',
        metadata: null,
        authorization_header: 'Bearer abc',
        branch_filter: 'v*',
      })
      expect(made.json.events.toSorted()).toEqual([
        'issue_assign',
        'issue_comment',
        'issue_label',
        'issue_milestone',
        'issues',
        'push',
      ])
      const one = `${path}/${made.json.id}`
      expect((await ann.client.get(one)).json).toEqual(made.json)
      const list = await ann.client.get(path)
      expect([list.headers.get('x-total-count'), list.json.length]).toEqual(['1', 1])

      const edited = await ann.client.patch(one, { config: { content_type: 'form' }, active: true })
      expect(edited.json).toMatchObject({
        name: 'first',
        active: true,
        config: { url: config.url, content_type: 'form' },
        events: ['push'],
        branch_filter: '',
        authorization_header: '',
      })
      expect(await status(ann.client.patch(one, { config: { url: 'nope' } }))).toBe(422)
      expect(await status(ann.client.patch(`${path}/999999`, {}))).toBe(404)
      for (const elsewhere of [`/repos/ann/other/hooks/${made.json.id}`, `/admin/hooks/${made.json.id}`])
        expect(await status(root.client.get(elsewhere))).toBe(404)
      expect(await status(bob.client.get(`/user/hooks/${made.json.id}`))).toBe(404)
      expect(await status(ann.client.delete(one))).toBe(204)
      expect(await status(ann.client.delete(one))).toBe(404)
    },
  )

  it('stores secrets and headers encrypted', async () => {
    await hook(ann.client, '/repos/ann/other/hooks', {
      config: { ...config, secret: 'S3CRET' },
      authorization_header: 'Bearer abc',
    })
    const [row] = await rows(server, 'webhook')
    expect(JSON.stringify(row)).not.toMatch(/S3CRET|Bearer/)
    expect(row!.secret).not.toBe('')
  })

  it.each([
    [422, '[Type]: Required', { config }],
    [422, '[Config]: Required', { type: 'gitea' }],
    [422, '[BranchFilter]', { type: 'nonsense', config, branch_filter: '[a' }],
    [422, 'Invalid hook type: nonsense', { type: 'nonsense', config: {} }],
    [422, 'Missing config option: url', { type: 'gitea', config: { content_type: 'json' } }],
    [422, 'Missing config option: content_type', { type: 'gitea', config: { url: 'nope' } }],
    [422, 'Invalid content type', { type: 'gitea', config: { url: 'nope', content_type: 'xml' } }],
    [422, 'Invalid url', { type: 'gitea', config: { url: 'ftp://x/y', content_type: 'json' } }],
    [422, 'Invalid url', { type: 'gitea', config: { url: 'http:///x', content_type: 'json' } }],
    [422, '[AuthorizationHeader]', { type: 'gitea', config, authorization_header: 'two\r\nX-Lines: 1' }],
    [422, '[AuthorizationHeader]', { type: 'gitea', config, authorization_header: 'Bearer \u{1F600}' }],
    [422, 'Missing config option: channel', { type: 'slack', config }],
    [400, 'Invalid slack channel name', { type: 'slack', config: { ...config, channel: '# no' } }],
    [422, 'onfig', { type: 'gitea', config: { ...config, secret: 's'.repeat(65_536) } }],
    [422, 'json: cannot unmarshal', { type: 'gitea', config: { ...config, is_system_webhook: true } }],
  ])('responds with %i %s', async (code, message, body) => {
    const answer = await ann.client.post('/repos/ann/r/hooks', body)
    expect([answer.status, answer.text]).toEqual([code, expect.stringContaining(message)])
  })

  it('accepts unknown events, with a warning that names them', async () => {
    const warning = 'events: unknown and ignored: nonsense, pushes'
    const made = await hook(ann.client, '/repos/ann/r/hooks', { events: ['nonsense', 'release', 'pushes'] })
    expect([made.status, made.json.events, made.headers.get('x-ingot-warning')]).toEqual([201, ['release'], warning])
    const path = `/repos/ann/r/hooks/${made.json.id}`
    const edited = await ann.client.patch(path, { events: ['nonsense', 'pushes'] })
    expect([edited.status, edited.json.events, edited.headers.get('x-ingot-warning')]).toEqual([200, [], warning])
    const known = await ann.client.patch(path, { events: [' Push', 'issues_only', 'pull_request_review_approved'] })
    expect([known.status, known.headers.get('x-ingot-warning')]).toEqual([200, null])
  })

  it('stores the options of Slack hooks', async () => {
    const made = await hook(ann.client, '/repos/ann/r/hooks', {
      type: 'slack',
      config: { ...config, channel: '#dev', username: 'bot' },
    })
    const edited = await ann.client.patch(`/repos/ann/r/hooks/${made.json.id}`, { config: { channel: 'ops' } })
    expect(edited.json.config).toEqual({ ...config, channel: 'ops', username: 'bot', icon_url: '', color: '' })
    expect(edited.json.metadata).toEqual({ channel: 'ops', username: 'bot', icon_url: '', color: '' })
  })

  it('distinguishes system hooks from default hooks, which are copied to new repositories', async () => {
    expect(
      (await hook(root.client, '/admin/hooks', { config: { ...config, is_system_webhook: 'maybe' } })).text,
    ).toContain('Invalid is_system_webhook value')
    const system = (await hook(root.client, '/admin/hooks')).json
    const initial = (
      await hook(root.client, '/admin/hooks', {
        type: 'gogs',
        config: { ...config, is_system_webhook: 'false', secret: 'x' },
        active: true,
      })
    ).json
    const ids = async (query: string): Promise<number[]> =>
      (await root.client.get(`/admin/hooks${query}`)).json.map(({ id }: Any) => id)
    expect([await ids(''), await ids('?type=system'), await ids('?type=default'), await ids('?type=all')]).toEqual([
      [system.id],
      [system.id],
      [initial.id],
      [system.id, initial.id],
    ])
    expect(
      (await root.client.patch(`/admin/hooks/${initial.id}`, { active: true, events: ['release'] })).json.events,
    ).toEqual(['release'])
    await cat.client.post('/user/repos', { name: 'fresh' })
    const [copy] = (await cat.client.get('/repos/cat/fresh/hooks')).json
    expect(copy).toMatchObject({ type: 'gogs', events: ['release'], active: true })
    expect(copy.id).not.toBe(initial.id)
    const unlike = (await hook(root.client, '/admin/hooks', { is_system_webhook: false })).json
    expect([await ids(''), await ids('?type=default')]).toEqual([[system.id], [initial.id, unlike.id]])
    const alike = (await hook(root.client, '/admin/hooks', { is_system_webhook: true })).json
    expect(await ids('')).toEqual([system.id, alike.id])
    for (const { id } of [system, initial, unlike, alike])
      expect(await status(root.client.delete(`/admin/hooks/${id}`))).toBe(204)
    expect((await cat.client.get('/repos/cat/fresh/hooks')).json).toHaveLength(1)
  })
})

it('are only for site administrators if so configured', async () => {
  const server = await startServer({ settings: { 'webhook.disabled': 'true' } })
  const [ann, root] = [await server.world.user('ann'), await server.world.admin()]
  const answer = await ann.client.post('/user/hooks', { type: 'gitea', config })
  expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('webhooks disabled by administrator')])
  expect((await root.client.post('/admin/hooks', { type: 'gitea', config })).status).toBe(201)
  await server.close()
})
