import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { answers } from './forge-world.ts'
import { migrate, storedRepos } from './import-world.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const API = 'GET /api/v1/repos/o/app'
const ISSUES = `${API}/issues?state=all&type=issues&sort=oldest&page=1&limit=50`
const COMMENTS = `${API}/issues/comments?page=1&limit=50`
const RELEASES = `${API}/releases?page=1&limit=50`
const DEPTH = 200_000

type Route = (request: IncomingMessage, response: ServerResponse) => void

const issue = { number: 1, title: 'One', state: 'open', body: 'text', created_at: '2020-01-01T00:00:00Z' }
const raw =
  (body: Buffer | string, headers: Record<string, string> = {}): Route =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body)

describeOnBoth('answers of a hostile service', (kind) => {
  let upstream: Upstream
  let target: TestServer
  let tom: Person
  let count = 0

  beforeAll(async () => {
    upstream = await startUpstream()
    await upstream.create('o/app')
    target = await startServer({
      on: kind,
      settings: { 'release.file_max_size': '1' },
      tuning: { importSleep: async () => {}, importApis: { codebase: upstream.url, codecommit: upstream.url } },
    })
    tom = await target.world.user('tom')
    await target.world.user('victim')
  })
  afterAll(async () => {
    await target.close()
    await upstream.close()
  })
  beforeEach(() => {
    upstream.routes.clear()
    upstream.routes.set(API, answers({ description: '' }))
    upstream.routes.set(ISSUES, answers([issue]))
  })

  const run = (more: object = {}): Promise<Any> =>
    migrate(tom, {
      clone_addr: `${upstream.url}/o/app.git`,
      repo_name: `h${++count}`,
      service: 'gitea',
      auth_token: 'their-token',
      labels: true,
      milestones: true,
      issues: true,
      pull_requests: true,
      releases: true,
      ...more,
    })
  const get = async (path: string): Promise<Any> => (await tom.client.get(`/repos/tom/h${count}${path}`)).json
  const times = (list: Any[]): number[] => list.map(({ created_at }) => Date.parse(created_at))

  const failures = (count: number, then: Route): Route => {
    let left = count
    return (request, response) => (left-- > 0 ? void response.writeHead(500).end() : then(request, response))
  }

  it.each<[what: string, route: string, answer: Route, expected: (issues: Any[]) => unknown]>([
    ['a byte order mark', ISSUES, raw(`\u{feff}${JSON.stringify([issue])}`), ([one]) => expect(one.title).toBe('One')],
    [
      'bytes that are no UTF-8',
      ISSUES,
      raw(Buffer.concat([Buffer.from('[{"number":1,"title":"a'), Buffer.from([0xff, 0xc3]), Buffer.from('b"}]')])),
      ([one]) => expect(one.title).toMatch(/^a\u{fffd}+b$/u),
    ],
    [
      'halves of surrogate pairs and NUL',
      ISSUES,
      raw(String.raw`[{"number":1,"title":"a\ud800b\u0000","body":"\udfff\u0000"}]`),
      ([one]) => expect([one.title, one.body]).toEqual(['a\u{fffd}b', '\u{fffd}']),
    ],
    ['two failures', ISSUES, failures(2, answers([issue])), (issues) => expect(issues).toHaveLength(1)],
    [
      'times that are none',
      ISSUES,
      answers([{ ...issue, created_at: 'yesterday', updated_at: -1, closed_at: {}, due_date: '0000-00-00' }]),
      (issues) => expect(times(issues)[0]).toBeGreaterThan(Date.UTC(2020, 0, 2)),
    ],
    [
      'the name of an account of this server',
      ISSUES,
      answers([{ ...issue, user: { id: 1, login: 'victim' }, assignees: [{ id: 1, login: 'victim' }] }]),
      ([one]) => expect([one.user.login, one.original_author, one.assignees ?? []]).toEqual(['tom', 'victim', []]),
    ],
    [
      'numbers that are none',
      ISSUES,
      answers([{ ...issue, number: -1 }, { ...issue, number: 1e300 }, { ...issue, number: {} }, null, 'x', [], issue]),
      (issues) => expect(issues.map(({ number }) => number)).toEqual([1]),
    ],
    ['an object for a list', COMMENTS, answers({ id: 1 }), (issues) => expect(issues).toHaveLength(1)],
    [
      'members of the wrong kind',
      ISSUES,
      answers([{ number: 1, title: [], body: {}, state: 3, labels: 'x', milestone: [], assets: 7, user: 'x' }]),
      ([one]) => expect([one.state, one.original_author]).toEqual(['open', 'Ghost']),
    ],
    [
      'JSON of great depth',
      ISSUES,
      raw(`[{"number":1,"title":"One","assets":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}]`),
      ([one]) => expect(one.title).toBe('One'),
    ],
    [
      'a hundred thousand labels of one issue',
      ISSUES,
      answers([{ ...issue, labels: Array.from({ length: 100_000 }, (_, id) => ({ id, name: `l${id}` })) }]),
      ([one]) => expect(one.labels).toEqual([]),
    ],
  ])('are taken as far as they can be: %s', async (_, route, answer, expected) => {
    upstream.routes.set(route, answer)
    const made = await run()
    expect([made.status, made.json?.message]).toEqual([201, undefined])
    expected(await get('/issues?state=all'))
  })

  it.each<[what: string, route: string, answer: Route]>([
    [
      'a page that grows when it is unpacked',
      ISSUES,
      raw(gzipSync(`[${' '.repeat(60_000_000)}]`), { 'content-encoding': 'gzip' }),
    ],
    ['JSON without an end', ISSUES, raw('['.repeat(DEPTH))],
    ['a text for the repository', API, raw('"', { 'content-type': 'text/plain' })],
    [
      'a redirect to itself',
      ISSUES,
      (request, response) => void response.writeHead(302, { location: request.url! }).end(),
    ],
    ['a redirect to nowhere', ISSUES, (_, response) => void response.writeHead(302, { location: 'http://[' }).end()],
    ['a connection that breaks', COMMENTS, (request) => void request.socket.destroy()],
    [
      'an answer that is cut',
      COMMENTS,
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('[')
        response.destroy()
      },
    ],
  ])('end with a reason and leave nothing: %s', async (_, route, answer) => {
    const before = storedRepos(target)
    upstream.routes.set(route, answer)
    const failed = await run()
    expect([failed.status, failed.json.message]).toEqual([422, expect.stringMatching(/^Migration failed: .+/)])
    expect(failed.text).not.toContain('their-token')
    expect(storedRepos(target)).toEqual(before)
    expect(await rows(target, 'repo', { owner_id: -3 })).toEqual([])
    upstream.routes.set(ISSUES, answers([issue]))
    upstream.routes.set(API, answers({ description: '' }))
    upstream.routes.delete(COMMENTS)
    count--
    expect((await run()).status).toBe(201)
  })

  const ONEDEV = 'GET /~api'
  const bomb = `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(1000)}">]><x>&a;</x>`
  const onedevIssue = { id: 1, number: 1, projectId: 7, title: 'One', submitDate: '2020-01-01T00:00:00Z' }

  it.each<[what: string, service: string, routes: Record<string, Route>]>([
    ['a page of HTML for the project', 'onedev', { [`${ONEDEV}/projects/ids/o/app`]: raw('<html>') }],
    ['a list that fails after twenty pages', 'onedev', { [`${ONEDEV}/projects/ids/o/app`]: answers(7), ...endless() }],
    ['XML with entities', 'codebase', { 'GET /o/app': raw(bomb) }],
    ['XML that is cut', 'codebase', { 'GET /o/app': raw('<repository><name>') }],
    ['XML of great depth', 'codebase', { 'GET /o/app': raw('<a>'.repeat(DEPTH) + '</a>'.repeat(DEPTH)) }],
    ['XML of 5 MB', 'codebase', { 'GET /o/app': raw(`<x>${'y'.repeat(5_000_000)}</x>`) }],
    ['HTML', 'codecommit', { 'POST /': raw('<html>') }],
    ['an error that it does not name', 'codecommit', { 'POST /': (_, response) => response.writeHead(400).end('{') }],
    ['a redirect', 'codecommit', { 'POST /': (_, response) => response.writeHead(307, { location: '/' }).end() }],
  ])('of other services end with a reason and leave nothing: %s of %s', async (_, service, routes) => {
    const before = storedRepos(target)
    for (const [route, answer] of Object.entries(routes)) upstream.routes.set(route, answer)
    const failed = await run({ service, aws_access_key_id: 'AKID', aws_secret_access_key: 'their-token' })
    expect([failed.status, failed.json.message]).toEqual([422, expect.stringMatching(/^Migration failed: .+/)])
    expect(failed.text).not.toContain('their-token')
    expect(storedRepos(target)).toEqual(before)
  })

  /** Each page has a new issue. */
  function endless(): Record<string, Route> {
    let number = 0
    return {
      [`${ONEDEV}/issues`]: (request, response) => {
        number++
        if (number > 20) response.writeHead(500).end()
        else answers([{ ...onedevIssue, number }])(request, response)
      },
    }
  }

  it('of other services are taken as far as they can be', async () => {
    const wrong = { id: {}, number: 2, projectId: 7, title: [], description: 3, state: {}, fields: [1, {}], pinDate: 7 }
    for (const [path, value] of Object.entries({
      '/projects/ids/o/app': 7,
      '/projects/7': { description: [] },
      '/issues': [wrong, null, 'x', { ...onedevIssue, commentCount: 1, fields: { A: { b: 1 }, C: [null, [], 'd'] } }],
      '/issues/1/comments': { id: 1 },
      '/issues/1/iterations': 'none',
      '/issues/1/changes': [null, { data: 'x' }, { data: { oldState: {}, newState: 'Closed' } }],
      '/pulls': [{ id: 9, number: 1, targetProjectId: 7, status: 7, sourceBranch: '../../x', baseCommitHash: '--all' }],
      '/pulls/9/updates': [{ headCommitHash: '-h' }],
      '/pulls/9/reviews': [{ status: 'APPROVED', userId: 'x' }],
    }))
      upstream.routes.set(`${ONEDEV}${path}`, answers(value))
    upstream.routes.set(`${ONEDEV}/issues`, pageOnce(upstream.routes.get(`${ONEDEV}/issues`)!))
    upstream.routes.set(`${ONEDEV}/pulls`, pageOnce(upstream.routes.get(`${ONEDEV}/pulls`)!))
    upstream.routes.set(`${ONEDEV}/label-specs`, answers([]))
    upstream.routes.set(`${ONEDEV}/projects/7/iterations`, answers({}))
    const made = await run({ service: 'onedev' })
    expect([made.status, made.json?.message]).toEqual([201, undefined])
    const issues: Any[] = await get('/issues?state=all&type=issues')
    expect(issues.map(({ number, title, labels }) => [number, title, labels.map(({ name }: Any) => name)])).toEqual([
      [2, expect.any(String), []],
      [1, 'One', ['C/d']],
    ])
    expect(await get('/pulls/3')).toMatchObject({ state: 'closed', merged: false })
  })

  const pageOnce =
    (route: Route): Route =>
    (request, response) =>
      /[?&]offset=0&/.test(request.url!) ? route(request, response) : answers([])(request, response)

  it('send the token to no other host to which lists and files link', async () => {
    const seen: (string | undefined)[] = []
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization)
      answers([])(request, response)
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const away: Route = (_, response) => void response.writeHead(302, { location: `${url}/list` }).end()
    upstream.routes.set(COMMENTS, away)
    upstream.routes.set('GET /file', away)
    upstream.routes.set(
      RELEASES,
      answers([
        {
          tag_name: 'v1',
          assets: [`${url}/a`, `${upstream.url}/file`].map((address, index) => ({
            name: `a${index}.txt`,
            browser_download_url: address,
          })),
        },
      ]),
    )
    expect((await run()).status).toBe(201)
    expect(seen).toEqual([undefined, undefined, undefined])
    expect([...upstream.credentials].some((line) => line.includes('their-token'))).toBe(true)
    await new Promise((resolve) => other.close(resolve))
  })

  it('read files only up to the size limit of this server', async () => {
    let sent = 0
    const part = Buffer.alloc(1024 * 1024)
    upstream.routes.set('GET /huge', (_, response) => {
      response.writeHead(200, { 'content-length': String(2 * 1024 ** 3) })
      const send = (): void => {
        if (response.destroyed) return
        sent += part.length
        if (response.write(part)) setImmediate(send)
        else response.once('drain', send)
      }
      send()
    })
    const assets = [{ name: 'huge.txt', browser_download_url: `${upstream.url}/huge` }]
    upstream.routes.set(RELEASES, answers([{ tag_name: 'v1', assets }]))
    const made = await run()
    expect([made.status, made.headers.get('x-ingot-warning')]).toEqual([
      201,
      expect.stringContaining('the file "huge.txt" of the release v1 was not imported: '),
    ])
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  it('count for the size of an import, a list without an end too', async () => {
    const strict = await startServer({ on: kind, settings: { 'migrations.max_size': '1' } })
    try {
      let pages = 0
      const body = 'x'.repeat(1000)
      upstream.routes.set(`${API}/issues/comments`, (request, response) => {
        const first = 50 * pages++
        const page = Array.from({ length: 50 }, (_, id) => ({ id: first + id + 1, body, issue_url: '/issues/1' }))
        answers(page)(request, response)
      })
      const failed = await migrate(await strict.world.user('eve'), {
        clone_addr: `${upstream.url}/o/app.git`,
        repo_name: 'endless',
        service: 'gitea',
        issues: true,
      })
      expect([failed.status, failed.json.message]).toEqual([
        422,
        'Migration failed: the repository with its files and issues is larger than this server takes.',
      ])
      expect(pages).toBeLessThan(30)
      expect(storedRepos(strict)).toEqual([])
    } finally {
      await strict.close()
    }
  })
})
