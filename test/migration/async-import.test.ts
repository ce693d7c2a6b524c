import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { until } from '../core/git/wire/client.ts'
import type { Any } from '../harness/client.ts'
import { rows } from '../harness/expect.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { answers, basicAuth } from './forge-world.ts'
import { migrate, storedRepos } from './import-world.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const TOKEN = 't0ken-of-the-other-server'
const LABELS = 'GET /api/v1/repos/o/app/labels?page=2&limit=50'

const labels = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `label${from + index}`, color: 'ff0000' }))

describeOnBoth('asynchronous imports', (kind) => {
  let upstream: Upstream
  let target: TestServer
  let tom: Person
  let eve: Person
  let root: Person
  /** Resolves when the second page of labels is requested, which is answered once `proceed` is called. */
  let reached: PromiseWithResolvers<void>
  let proceed: () => void

  beforeAll(async () => {
    upstream = await startUpstream()
    await upstream.create('o/app')
    target = await startServer({ on: kind, tuning: { importSleep: async () => {}, jobInterval: 50 } })
    target.app.background.start()
    tom = await target.world.user('tom')
    eve = await target.world.user('eve')
    root = await target.world.admin()
  })
  afterAll(async () => {
    await target.close()
    await upstream.close()
  })
  beforeEach(() => {
    reached = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    proceed = gate.resolve
    upstream.routes.clear()
    upstream.routes.set('GET /api/v1/repos/o/app', answers({ description: 'd', topics: [] }))
    upstream.routes.set('GET /api/v1/repos/o/app/labels?page=1&limit=50', answers(labels(0, 50)))
    upstream.routes.set(LABELS, async (incoming, response) => {
      reached.resolve()
      await gate.promise
      answers(labels(50, 3), { 'x-total-count': '53' })(incoming, response)
    })
    upstream.routes.set(
      'GET /api/v1/repos/o/app/labels?page=1&limit=1',
      answers(labels(0, 1), { 'x-total-count': '53' }),
    )
  })

  const start = (person: Person, name: string, more: object = {}) =>
    person.client.post('/repos/migrate?async=true', {
      clone_addr: `${upstream.url}/o/app.git`,
      auth_token: TOKEN,
      repo_name: name,
      service: 'gitea',
      labels: true,
      ...more,
    })
  const stateOf = async (person: Person, id: number): Promise<Any> =>
    (await person.client.get(`/repos/migrations/${id}`)).json
  const ended = async (person: Person, id: number): Promise<Any> => {
    await until('the import to end', async () => (await stateOf(person, id)).state !== 'running', 30_000)
    return stateOf(person, id)
  }

  it('answer at once, report their progress, and show the repository when it is complete', async () => {
    const begun = await start(tom, 'whole', { private: true })
    expect([begun.status, begun.json]).toMatchObject([
      202,
      { state: 'running', owner: 'tom', name: 'whole', repo_id: null, error: '' },
    ])
    await reached.promise
    const { id } = begun.json
    expect(await stateOf(tom, id)).toMatchObject({
      state: 'running',
      phase: 'labels',
      done: { labels: 50 },
      total: { labels: 53 },
    })
    expect((await tom.client.get('/repos/tom/whole')).status).toBe(404)
    proceed()
    expect(await ended(tom, id)).toMatchObject({
      state: 'done',
      phase: '',
      done: { labels: 53, facts: 1 },
      warnings: [],
    })
    const repo = await tom.client.get('/repos/tom/whole')
    expect(repo.json).toMatchObject({ id: (await stateOf(tom, id)).repo_id, private: true, description: 'd' })
    expect((await tom.client.get('/repos/tom/whole/labels?limit=50&page=2')).json).toHaveLength(3)
    const feed = (await tom.client.get('/users/tom/activities/feeds')).json as Any[]
    expect(feed.filter(({ repo: of }) => of.name === 'whole').map(({ op_type }) => op_type)).toEqual(['create_repo'])
  })

  it('are shown only to administrators and the account that started them', async () => {
    proceed()
    const { id } = (await start(tom, 'mine')).json
    await ended(tom, id)
    expect((await root.client.get(`/repos/migrations/${id}`)).status).toBe(200)
    for (const answer of [
      await eve.client.get(`/repos/migrations/${id}`),
      await eve.client.get(`/repos/migrations/${id}/events`),
      await eve.client.delete(`/repos/migrations/${id}`),
    ])
      expect(answer.status).toBe(404)
    expect((await eve.client.get('/repos/migrations')).json).toEqual([])
    expect((await tom.client.get('/repos/migrations')).json[0]).toMatchObject({ id, name: 'mine' })
    expect((await target.anonymous.get('/repos/migrations')).status).toBe(401)
  })

  it('send their progress as a stream of events', async () => {
    const { id } = (await start(tom, 'streamed')).json
    await reached.promise
    const messages: Any[] = []
    const stream = request(`${target.url}/api/v1/repos/migrations/${id}/events`, {
      headers: { authorization: basicAuth(tom) },
    })
    const opened = Promise.withResolvers<void>()
    stream.on('response', (answer) => {
      let rest = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        opened.resolve()
        const lines = (rest + part).split('\n')
        rest = lines.pop()!
        for (const line of lines) if (line.startsWith('data: ')) messages.push(JSON.parse(line.slice(6)))
      })
      answer.on('error', () => {})
    })
    stream.on('error', () => {}).end()
    try {
      await opened.promise
      proceed()
      await until('the last message', () => messages.at(-1)?.state === 'done', 30_000)
      expect(messages.at(-1)).toMatchObject({ id, done: { labels: 53 } })
    } finally {
      stream.destroy()
    }
  })

  it('leave nothing when they are canceled, and their name is free again', async () => {
    const before = storedRepos(target)
    const { id } = (await start(tom, 'stopped')).json
    await reached.promise
    expect((await start(tom, 'STOPPED')).status).toBe(409)
    expect((await migrate(tom, { clone_addr: `${upstream.url}/o/app.git`, repo_name: 'stopped' })).status).toBe(409)
    expect((await tom.client.delete(`/repos/migrations/${id}`)).status).toBe(204)
    expect(await ended(tom, id)).toMatchObject({ state: 'canceled', repo_id: null })
    expect((await tom.client.delete(`/repos/migrations/${id}`)).status).toBe(409)
    expect(storedRepos(target)).toEqual(before)
    proceed()
    expect(await ended(tom, (await start(tom, 'stopped')).json.id)).toMatchObject({ state: 'done' })
  })

  it('leave nothing when they fail, and say why without the token', async () => {
    const before = storedRepos(target)
    upstream.routes.set(LABELS, (_, response) => void response.writeHead(401).end(TOKEN))
    const failed = await ended(tom, (await start(tom, 'failing')).json.id)
    expect(failed).toMatchObject({ state: 'failed', repo_id: null })
    expect(failed.error).toMatch(/^Authentication failed: /)
    expect(JSON.stringify(failed)).not.toContain(TOKEN)
    expect(storedRepos(target)).toEqual(before)
    expect((await tom.client.get('/repos/tom/failing')).status).toBe(404)
  })

  it('fail when another repository is created with the name during the import', async () => {
    const { id } = (await start(tom, 'contested')).json
    await reached.promise
    expect((await tom.client.post('/user/repos', { name: 'contested' })).status).toBe(201)
    proceed()
    expect(await ended(tom, id)).toMatchObject({
      state: 'failed',
      error: 'The repository with the same name already exists.',
    })
    expect((await tom.client.get('/repos/tom/contested')).json).toMatchObject({ empty: true })
  })

  it('write nothing behind a step of another run, and go on from there', async () => {
    const { id } = (await start(tom, 'fenced')).json
    await reached.promise
    const moveTo = (cursor: string) =>
      target.app.database.transaction((tx) =>
        tx.updateTable('repo_import').set({ cursor }).where('id', '=', id).execute(),
      )
    const [{ cursor }] = (await rows(target, 'repo_import', { id })) as unknown as [{ readonly cursor: string }]
    await moveTo('of-another-run')
    const job = async () => (await rows(target, 'job', { kind: 'imports.run', key: String(id) }))[0]
    proceed()
    await until('the run to end', async () => (await job())?.last_error !== '', 30_000)
    expect(await stateOf(tom, id)).toMatchObject({ state: 'running', done: { labels: 50 } })
    await moveTo(cursor)
    expect(await ended(tom, id)).toMatchObject({ state: 'done', done: { labels: 53 } })
    expect((await tom.client.get('/repos/tom/fenced/labels?limit=50&page=2')).json).toHaveLength(3)
  })

  it('fail when the account is deactivated during the import', async () => {
    const zoe = await target.world.user('zoe')
    const { id } = (await start(zoe, 'of-zoe')).json
    await reached.promise
    const edit = { login_name: 'zoe', source_id: 0, prohibit_login: true }
    expect((await root.client.patch('/admin/users/zoe', edit)).status).toBe(200)
    proceed()
    expect(await ended(root, id)).toMatchObject({
      state: 'failed',
      error: 'the account that started the import may not use the server any more',
    })
    expect((await root.client.get('/repos/zoe/of-zoe')).status).toBe(404)
  })

  it('check the request before they begin', async () => {
    expect(await start(tom, 'x', { repo_owner: 'eve' })).toMatchObject({ status: 403 })
    expect(await start(tom, 'x', { users: { ann: 'eve' } })).toMatchObject({ status: 403 })
    expect(await start(root, 'x', { users: { ann: 'nobody' } })).toMatchObject({
      status: 422,
      json: { message: 'users: user does not exist [name: nobody]' },
    })
    expect(await start(tom, 'x', { clone_addr: '/etc' })).toMatchObject({ status: 422 })
    expect((await tom.client.get('/repos/migrations')).json).not.toContainEqual(expect.objectContaining({ name: 'x' }))
  })

  it('are in no list while they run, not even for administrators', async () => {
    const issue = {
      id: 1,
      number: 1,
      title: 'hidden-by-lists',
      body: 'hidden-by-lists',
      state: 'open',
      user: { id: 1 },
    }
    const base = 'GET /api/v1/repos/o/app/issues'
    upstream.routes.set(`${base}?state=all&type=issues&sort=oldest&page=1&limit=50`, answers([issue]))
    upstream.routes.set(`${base}?state=all&type=issues&sort=oldest&page=2&limit=50`, answers([]))
    const commented = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    upstream.routes.set(`${base}/comments?page=1&limit=50`, async (incoming, response) => {
      commented.resolve()
      await gate.promise
      answers([])(incoming, response)
    })
    proceed()
    const { id } = (await start(root, 'hidden-by-lists', { repo_owner: 'tom', issues: true })).json
    await commented.promise
    expect((await stateOf(root, id)).done).toMatchObject({ labels: 53, issues: 1 })
    const lists = target.app.operations.filter(({ method, path }) => method === 'GET' && isListed(path))
    expect(lists.length).toBeGreaterThan(40)
    const total = (await root.client.get('/repos/search?limit=50')).headers.get('x-total-count')
    for (const { path } of lists) {
      const answer = await root.client.get(filled(path))
      expect([path, answer.status < 500, /importer|hidden-by-lists|label49/i.test(answer.text)]).toEqual([
        path,
        true,
        path.endsWith('migrations'),
      ])
    }
    const { repo_id: repoId } = (await rows(target, 'repo_import', { id }))[0]!
    expect(repoId).toBeGreaterThan(0)
    expect((await root.client.get(`/repositories/${repoId}`)).status).toBe(404)
    expect((await root.client.get('/users/Importer')).status).toBe(404)
    gate.resolve()
    expect(await ended(root, id)).toMatchObject({ state: 'done', repo_id: repoId })
    const after = (await root.client.get('/repos/search?limit=50')).headers.get('x-total-count')
    expect(Number(after)).toBe(Number(total) + 1)
    expect((await root.client.get('/repos/issues/search?q=hidden')).json).toHaveLength(1)
  })
})

/** Lists need no object but a user or an organization. */
const isListed = (path: string): boolean =>
  /^[^{]*(?:\{(?:username|owner|user)\}[^{]*)?$/.test(path) && !/stream|events$/.test(path)
const filled = (path: string): string => path.replace(/\{[^}]*\}/, 'tom')
