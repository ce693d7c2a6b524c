import type { IncomingMessage, ServerResponse } from 'node:http'
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
const MORE_COMMENTS = `${API}/issues/comments?page=2&limit=50`

type Route = (request: IncomingMessage, response: ServerResponse) => void

const issue = (number: number, more: object = {}) => ({ number, title: `Issue ${number}`, state: 'open', ...more })
const comment = (id: number, of: number) => ({ id, issue_url: `x/issues/${of}`, body: `Comment ${id}` })
const sends =
  (body: Buffer | string, status = 200): Route =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(body)

describeOnBoth('imports from a hostile service', (kind) => {
  let upstream: Upstream
  let target: TestServer
  let tom: Person
  let count = 0

  beforeAll(async () => {
    upstream = await startUpstream()
    await upstream.create('o/app')
    target = await startServer({ on: kind, tuning: { importSleep: async () => {} } })
    tom = await target.world.user('tom')
  })
  afterAll(async () => {
    await target.close()
    await upstream.close()
  })
  beforeEach(() => {
    upstream.routes.clear()
    upstream.routes.set(API, answers({ description: '' }))
    upstream.routes.set(ISSUES, answers([issue(1), issue(2)], { 'x-total-count': '2' }))
    upstream.routes.set(COMMENTS, answers([comment(1, 1)], { 'x-total-count': '2' }))
    upstream.routes.set(MORE_COMMENTS, answers([comment(2, 2)], { 'x-total-count': '2' }))
  })

  const run = (name = `r${++count}`): Promise<Any> =>
    migrate(tom, { clone_addr: `${upstream.url}/o/app.git`, repo_name: name, service: 'gitea', issues: true })
  const get = async (path: string): Promise<Any> => (await tom.client.get(`/repos/tom/r${count}${path}`)).json

  it.each<[what: string, route: string, answer: Route, message: string]>([
    ['HTML', ISSUES, sends('<html>Sign in</html>'), 'Migration failed: the other server did not answer with JSON.'],
    ['half of an answer', COMMENTS, sends('[{"id":1,'), 'Migration failed: the other server did not answer with JSON.'],
    [
      'a token that expires between two pages',
      MORE_COMMENTS,
      sends('{}', 401),
      'Authentication failed: the API of the other server answered with status 401.',
    ],
    ['a page of 40 MB', COMMENTS, sends(`[{"id":1,"body":"${'x'.repeat(40_000_000)}"}]`), 'Migration failed: '],
    [
      'an error of the last page',
      MORE_COMMENTS,
      sends('', 502),
      'Migration failed: the API of the other server answered with status 502.',
    ],
  ])('end with the reason and leave nothing: %s', async (_, route, answer, message) => {
    const before = storedRepos(target)
    upstream.routes.set(route, answer)
    const failed = await run()
    expect([failed.status, failed.json.message]).toEqual([422, expect.stringContaining(message)])
    expect(storedRepos(target)).toEqual(before)
    expect(await rows(target, 'repo', { owner_id: -3 })).toEqual([])
    expect(await rows(target, 'unfinished_import', {})).toEqual([])
    upstream.routes.set(route, answers([]))
    expect((await run(`r${count}`)).status).toBe(201)
  })

  it('accept pages of 10 MB, with texts cut to their limit', async () => {
    const body = 'é'.repeat(5_000_000)
    upstream.routes.set(ISSUES, answers([issue(1, { body })], { 'x-total-count': '1' }))
    const made = await run()
    expect(made.headers.get('x-ingot-warning')).toContain('the text of issue 1 was cut to')
    expect((await get('/issues/1')).body).toHaveLength(1_048_576)
  })

  it('accept wrong encodings, duplicate numbers, dates in the future and comments of missing issues', async () => {
    const future = '2999-01-01T00:00:00Z'
    const latin = Buffer.from(
      JSON.stringify([issue(1, { title: 'Zürich' }), issue(1), issue(2, { created_at: future, updated_at: future })]),
      'latin1',
    )
    upstream.routes.set(ISSUES, (_, response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'x-total-count': '3' }).end(latin),
    )
    upstream.routes.set(MORE_COMMENTS, answers([comment(2, 77)], { 'x-total-count': '2' }))
    const made = await run()
    expect(made.status).toBe(201)
    expect((await get('/issues/1')).title).toBe('Z\u{fffd}rich')
    expect(Date.parse((await get('/issues/2')).created_at)).toBeLessThanOrEqual(Date.now())
    expect(await get('/issues?state=all')).toHaveLength(2)
    expect((await get('/issues/comments')).map(({ body }: Any) => body)).toEqual(['Comment 1'])
    const [{ warnings }] = (await tom.client.get('/repos/migrations')).json
    expect(warnings).toEqual(
      expect.arrayContaining([
        'times of issue 2 that are in the future were imported as now',
        'comment 2 was not imported: there is no issue 77',
      ]),
    )
  })

  it('of one repository at once are two repositories, or a conflict for one name', async () => {
    const [one, other, same] = await Promise.all([run('both'), run('other'), run('BOTH')])
    expect([one.status, same.status].toSorted((a, b) => a - b)).toEqual([201, 409])
    expect(other.status).toBe(201)
    for (const name of ['both', 'other'])
      expect((await tom.client.get(`/repos/tom/${name}/issues/comments`)).json).toHaveLength(2)
  })
})
