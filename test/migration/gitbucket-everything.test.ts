import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { answers } from './forge-world.ts'
import { migrate } from './import-world.ts'
import { createMergedHistory } from './merged-history.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const at = (day: number): string => new Date(Date.UTC(2020, 0, day)).toISOString().replace('.000', '')
const ann = { login: 'ann', email: 'ann@example.org', type: 'User', site_admin: false }
const bob = { login: 'bob', email: 'bob@example.org', type: 'User', site_admin: false }
const API = 'GET /bucket/api/v3/repos/root/app'

describeOnBoth('an import of everything from GitBucket', (kind) => {
  let upstream: Upstream
  let target: TestServer
  let tom: Person
  let head: string
  let merge: string

  beforeAll(async () => {
    upstream = await startUpstream()
    target = await startServer({ on: kind, tuning: { importSleep: async () => {} } })
    tom = await target.world.user('tom')
    const history = await createMergedHistory(upstream, 'bucket/root/app', ['refs/pull/3/head', 'refs/pull/4/head'])
    ;({ head, merge } = history)
    serve(history.base)
    const made = await migrate(tom, {
      clone_addr: `${upstream.url}/bucket/root/app.git`,
      repo_name: 'app',
      service: 'gitbucket',
      auth_token: 'secret',
      labels: true,
      milestones: true,
      issues: true,
      pull_requests: true,
      releases: true,
    })
    expect([made.status, made.json.message, made.headers.get('x-ingot-warning')]).toEqual([201, undefined, null])
  }, 60_000)
  afterAll(async () => {
    await target.close()
    await upstream.close()
  })

  /**
   * Answers as its API documentation says: no list of all comments, no `state=all`, and answers without numbers of
   * accounts.
   */
  function serve(base: string): void {
    const list = (path: string, items: readonly object[]): void => {
      const query = (page: number): string => `${path}${path.includes('?') ? '&' : '?'}page=${page}&per_page=100`
      upstream.routes.set(`${API}/${query(1)}`, answers(items))
      upstream.routes.set(`${API}/${query(2)}`, answers([]))
    }
    const { routes, url } = upstream
    const issue = (number: number, state: string, more: object = {}): object => ({
      number,
      title: `Issue ${number}`,
      body: `Text ${number}`,
      user: ann,
      state,
      labels: [],
      comments: 0,
      created_at: at(number),
      updated_at: at(number + 1),
      ...more,
    })
    const bug = { name: 'bug', color: 'fc2929' }
    routes.set(API, answers({ name: 'app', description: 'An app', private: true, default_branch: 'main' }))
    list('labels', [bug])
    const first = { id: 1, number: 1, title: 'one', description: 'first', state: 'closed', due_on: at(40) }
    list('milestones?state=all', [first])
    list('issues?state=open', [issue(5, 'open'), issue(2, 'open', { assignees: [bob] })])
    list('issues?state=closed', [issue(1, 'closed', { labels: [bug], milestone: first })])
    const repo = { full_name: 'root/app' }
    const pull = (number: number, more: object): object => ({
      ...issue(number, 'open'),
      user: bob,
      head: { ref: 'topic', sha: head, repo },
      base: { ref: 'main', sha: base, repo },
      ...more,
    })
    const merged = pull(3, { state: 'closed', merged: true, merged_at: at(6), merge_commit_sha: merge, merged_by: ann })
    const open = pull(4, { draft: true })
    list('pulls?state=open', [open])
    list('pulls?state=closed', [merged])
    routes.set(`${API}/pulls/3`, answers(merged))
    routes.set(`${API}/pulls/4`, answers(open))
    const comment = (id: number, body: string, user: object): object => ({
      id,
      user,
      body,
      created_at: at(7),
      updated_at: at(8),
    })
    routes.set(`${API}/issues/1/comments`, answers([comment(9, 'first', ann), comment(11, 'second', bob)]))
    routes.set(`${API}/issues/3/comments`, answers([comment(10, 'merged', ann)]))
    list('releases', [
      {
        name: 'One',
        tag_name: 'v1',
        body: 'notes',
        author: ann,
        assets: [{ name: 'a.txt', size: 5, label: 'a', browser_download_url: `${url}/bucket/a.txt` }],
      },
    ])
    routes.set('GET /bucket/a.txt', (_, response) => void response.end('bytes'))
  }

  const get = async (path: string): Promise<Any> => {
    const { status, json } = await tom.client.get(`/repos/tom/app${path}`)
    expect([path, status]).toEqual([path, 200])
    return json
  }

  it('signs in with the token in the form of GitBucket', () => {
    const { host } = new URL(upstream.url)
    expect([...upstream.credentials].filter((line) => line.endsWith('secret'))).toEqual([`${host} token secret`])
  })

  it('has labels, milestones, open and closed issues with their comments', async () => {
    expect(await get('')).toMatchObject({ description: 'An app', release_counter: 1 })
    expect(await get('/labels')).toMatchObject([{ name: 'bug', color: 'fc2929' }])
    expect(await get('/milestones?state=all')).toMatchObject([
      { title: 'one', description: 'first', state: 'closed', due_on: at(40), closed_issues: 1 },
    ])
    const issues: Any[] = await get('/issues?state=all&type=issues')
    expect(issues.map(({ number, state }) => [number, state])).toEqual([
      [5, 'open'],
      [2, 'open'],
      [1, 'closed'],
    ])
    expect(issues[2]).toMatchObject({
      title: 'Issue 1',
      body: 'Text 1',
      original_author: 'ann',
      labels: [{ name: 'bug' }],
      milestone: { title: 'one' },
      created_at: at(1),
      updated_at: at(2),
      comments: 2,
    })
    expect(await get('/issues/1/comments')).toMatchObject([
      { body: 'first', original_author: 'ann', created_at: at(7), updated_at: at(8) },
      { body: 'second', original_author: 'bob' },
    ])
  })

  it('has pull requests with their commits and comments, and releases with files', async () => {
    expect(await get('/pulls/3')).toMatchObject({
      merged: true,
      merged_at: at(6),
      merge_commit_sha: merge,
      original_author: 'bob',
      head: { sha: head },
      base: { ref: 'main' },
    })
    expect(await get('/pulls/4')).toMatchObject({ state: 'open', draft: true, head: { sha: head } })
    expect(await get('/issues/3/comments')).toMatchObject([{ body: 'merged', original_author: 'ann' }])
    expect(await get('/releases')).toMatchObject([
      { tag_name: 'v1', name: 'One', body: 'notes', original_author: 'ann', assets: [{ name: 'a.txt', size: 5 }] },
    ])
  })
})
