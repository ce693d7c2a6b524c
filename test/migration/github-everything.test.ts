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
const ann = { id: 11, login: 'ann', type: 'User' }
const bob = { id: 12, login: 'bob', type: 'User' }
const total = { total_count: 1, '+1': 1 }
const UUID = '01234567-89ab-cdef-0123-456789abcdef'

describeOnBoth('an import of everything from GitHub Enterprise', (kind) => {
  let upstream: Upstream
  let target: TestServer
  let tom: Person
  let head: string
  let merge: string

  beforeAll(async () => {
    upstream = await startUpstream()
    target = await startServer({ on: kind, tuning: { importSleep: async () => {} } })
    tom = await target.world.user('tom')
    await target.world.user('ann')
    const history = await createMergedHistory(upstream, 'octo/app', ['refs/pull/3/head', 'refs/pull/4/head'])
    ;({ head, merge } = history)
    serve(history.base)
    const made = await migrate(tom, {
      clone_addr: `${upstream.url}/octo/app.git`,
      repo_name: 'app',
      service: 'github',
      auth_token: 'secret',
      labels: true,
      milestones: true,
      issues: true,
      pull_requests: true,
      releases: true,
    })
    expect([made.status, made.json.message, made.headers.get('x-ingot-warning')]).toEqual([201, undefined, null])
    await target.drain()
  }, 60_000)
  afterAll(async () => {
    await target.close()
    await upstream.close()
  })

  function serve(base: string): void {
    const api = 'GET /api/v3/repos/octo/app'
    const { routes, url } = upstream
    const list = (path: string, ...pages: readonly (readonly object[])[]): void => {
      for (const [index, items] of pages.entries()) {
        const query = (page: number): string => `${path}${path.includes('?') ? '&' : '?'}page=${page}&per_page=100`
        const next = `<${url}/api/v3/repos/octo/app/${query(index + 2)}>; rel="next"`
        routes.set(`${api}/${query(index + 1)}`, answers(items, index + 1 < pages.length ? { link: next } : {}))
      }
    }
    const bug = { id: 1, name: 'bug', color: 'ee0701', description: null, default: true }
    const first = { id: 501, number: 1, title: 'one', state: 'closed', due_on: at(40), closed_at: at(9) }
    const file = `${url}/user-attachments/assets/${UUID}`
    const one = {
      id: 1001,
      number: 1,
      title: 'Lamp',
      body: `see #3 and @ann\r\n![image](${file})`,
      user: ann,
      state: 'closed',
      state_reason: 'completed',
      locked: true,
      active_lock_reason: 'too heated',
      labels: [bug],
      milestone: first,
      assignees: [ann],
      comments: 1,
      created_at: at(1),
      updated_at: at(8),
      closed_at: at(7),
      reactions: total,
    }
    const two = {
      ...one,
      id: 1002,
      number: 2,
      title: 'Shade',
      body: null,
      state: 'open',
      locked: false,
      milestone: null,
      reactions: { total_count: 0 },
      closed_at: null,
      issue_dependencies_summary: { blocked_by: 0, total_blocked_by: 1, blocking: 0, total_blocking: 0 },
    }
    list('issues/2/dependencies/blocked_by', [{ ...one, repository_url: `${url}/api/v3/repos/octo/app` }])
    const pull = (number: number, more: object): object => ({
      id: 1000 + number,
      number,
      title: `Pull ${number}`,
      body: null,
      user: bob,
      state: 'open',
      locked: false,
      labels: [],
      created_at: at(2),
      updated_at: at(6),
      closed_at: null,
      ...more,
    })
    const repo = { id: 77, full_name: 'octo/app' }
    const ends = {
      base: { ref: 'main', sha: base, repo },
      head: { ref: 'topic', sha: head, repo: null, label: 'bob:topic' },
    }
    const merged = pull(3, { state: 'closed', closed_at: at(6) })
    const open = pull(4, { draft: true })
    routes.set(
      api,
      answers({ ...repo, description: 'An app', homepage: 'https://app.example', topics: ['wood'], private: true }),
    )
    list('labels', [bug], [{ id: 2, name: 'fun', color: '00ff00', description: 'f' }])
    list('milestones?state=all', [first])
    list(
      'issues?state=all&sort=created&direction=asc',
      [one, two],
      [
        { ...merged, pull_request: { url: 'x' } },
        { ...open, pull_request: { url: 'x' } },
      ],
    )
    const review = { user: ann, commit_id: head, submitted_at: at(4) }
    routes.set(
      `${api}/pulls/3`,
      answers({ ...merged, ...ends, merged: true, merged_at: at(6), merged_by: ann, merge_commit_sha: merge }),
    )
    routes.set(
      `${api}/pulls/4`,
      answers({ ...open, ...ends, merged: false, merge_commit_sha: base, requested_reviewers: [ann] }),
    )
    list('issues/comments?sort=created&direction=asc', [
      {
        id: 1,
        issue_url: 'x/issues/1',
        html_url: 'x/issues/1#c',
        body: 'first',
        user: null,
        created_at: at(2),
        updated_at: at(3),
        reactions: total,
      },
      {
        id: 2,
        issue_url: 'x/issues/3',
        html_url: 'x/pull/3#c',
        body: 'second',
        user: bob,
        created_at: at(3),
        updated_at: at(3),
      },
    ])
    for (const path of ['issues/1', 'issues/comments/1', 'pulls/comments/31'])
      list(`${path}/reactions`, [{ user: bob, content: '+1', created_at: at(5) }])
    list('pulls/3/reviews', [
      { ...review, id: 21, state: 'CHANGES_REQUESTED', body: 'no' },
      { ...review, id: 22, state: 'COMMENTED', body: '' },
      { ...review, id: 23, state: 'DISMISSED', body: 'was no' },
      { ...review, id: 24, state: 'PENDING', body: 'hidden' },
      { ...review, id: 25, state: 'APPROVED', body: 'yes', submitted_at: at(5) },
    ])
    const comment = {
      path: 'topic.txt',
      commit_id: head,
      original_commit_id: head,
      position: 1,
      line: 1,
      side: 'RIGHT',
      diff_hunk: '@@ -0,0 +1 @@\n+topic.txt',
      created_at: at(4),
      updated_at: at(5),
    }
    list('pulls/3/comments', [
      { ...comment, id: 31, pull_request_review_id: 22, user: ann, body: 'why', reactions: total },
      { ...comment, id: 32, pull_request_review_id: 26, user: bob, body: 'so', in_reply_to_id: 31 },
    ])
    for (const path of ['pulls/4/reviews', 'pulls/4/comments', 'issues/3/timeline', 'issues/4/timeline']) list(path, [])
    list('issues/1/timeline', [
      { event: 'labeled', actor: ann, label: { name: 'bug' }, created_at: at(2) },
      { event: 'renamed', actor: ann, rename: { from: 'Lmap', to: 'Lamp' }, created_at: at(3) },
      { event: 'locked', actor: ann, lock_reason: 'too heated', created_at: at(6) },
      { event: 'closed', actor: bob, created_at: at(7) },
    ])
    list('releases', [
      {
        id: 1,
        tag_name: 'v1',
        name: 'One',
        body: 'notes',
        draft: false,
        prerelease: true,
        author: bob,
        created_at: at(1),
        published_at: at(3),
        target_commitish: 'main',
        assets: [
          {
            name: 'a.txt',
            state: 'uploaded',
            size: 5,
            download_count: 7,
            url: `${url}/api/v3/repos/octo/app/releases/assets/9`,
            browser_download_url: `${url}/none`,
          },
        ],
      },
      {
        id: 2,
        tag_name: 'v2',
        name: 'Two',
        body: '',
        draft: true,
        prerelease: false,
        author: bob,
        created_at: at(4),
        published_at: null,
        target_commitish: 'main',
        assets: [],
      },
    ])
    routes.set(`${api}/releases/assets/9`, (_, response) => void response.end('bytes'))
    routes.set(`GET /user-attachments/assets/${UUID}`, (_, response) => void response.end('GIF89a'))
  }

  const get = async (path: string): Promise<Any> => {
    const { status, json } = await tom.client.get(`/repos/tom/app${path}`)
    expect([path, status]).toEqual([path, 200])
    return json
  }

  it('has the repository, its labels, milestones and counters', async () => {
    expect(await get('')).toMatchObject({
      description: 'An app',
      website: 'https://app.example',
      topics: ['wood'],
      private: false,
      open_issues_count: 1,
      open_pr_counter: 1,
      release_counter: 1,
    })
    expect(await get('/labels')).toMatchObject([
      { name: 'bug', color: 'ee0701' },
      { name: 'fun', description: 'f' },
    ])
    expect(await get('/milestones?state=all')).toMatchObject([
      { title: 'one', state: 'closed', due_on: at(40), closed_at: at(9), closed_issues: 1, open_issues: 0 },
    ])
    expect((await tom.client.post('/repos/tom/app/issues', { title: 'next' })).json.number).toBe(5)
  })

  it('has issues with authors, times, locks, reactions and files', async () => {
    const issue = await get('/issues/1')
    const [asset] = issue.assets
    expect(issue).toMatchObject({
      title: 'Lamp',
      body: `see #3 and @ann\r\n![image](${target.app.site.rootUrl()}/attachments/${asset.uuid})`,
      user: { login: 'tom' },
      original_author: 'ann',
      original_author_id: 11,
      state: 'closed',
      is_locked: true,
      labels: [{ name: 'bug' }],
      milestone: { title: 'one' },
      comments: 1,
      created_at: at(1),
      updated_at: at(8),
      closed_at: at(7),
    })
    expect(issue.assignees ?? []).toEqual([])
    expect(asset.name).toBe(`${UUID}.gif`)
    const reactions = [{ content: '+1', created_at: at(5), user: { login: 'bob(github)' } }]
    expect(await get('/issues/1/reactions')).toMatchObject(reactions)
    const [comment] = await get('/issues/1/comments')
    expect(comment).toMatchObject({ body: 'first', original_author: 'Ghost', created_at: at(2), updated_at: at(3) })
    expect(await get(`/issues/comments/${comment.id}/reactions`)).toMatchObject(reactions)
    const timeline: Any[] = await get('/issues/1/timeline')
    expect(timeline.filter(({ type }) => type !== 'comment').map(({ type, created_at }) => [type, created_at])).toEqual(
      [
        ['label', at(2)],
        ['change_title', at(3)],
        ['lock', at(6)],
        ['close', at(7)],
      ],
    )
    expect(timeline.find(({ type }) => type === 'lock').body).toBe('too heated')
  })

  it('has dependencies, which are requested only for issues that have some', async () => {
    expect(await get('/issues/2/dependencies')).toMatchObject([{ number: 1, title: 'Lamp' }])
    const asked = upstream.requests.filter((request) => request.includes('/dependencies/'))
    expect(asked).toEqual(['GET /api/v3/repos/octo/app/issues/2/dependencies/blocked_by?page=1&per_page=100'])
  })

  it('has pull requests of deleted forks with their heads, merges, reviews and threads', async () => {
    expect(await get('/pulls/3')).toMatchObject({
      state: 'closed',
      merged: true,
      merged_at: at(6),
      merge_commit_sha: merge,
      merged_by: { login: 'tom' },
      original_author: 'bob',
      original_author_id: 12,
      closed_at: at(6),
      head: { label: 'topic', ref: 'refs/pull/3/head', sha: head, repo: null },
      base: { ref: 'main' },
    })
    expect(await get('/pulls/4')).toMatchObject({ state: 'open', draft: true, merged: false, head: { sha: head } })
    expect(await get('/pulls/3/files')).toMatchObject([{ filename: 'topic.txt', additions: 1 }])
    const reviews: Any[] = await get('/pulls/3/reviews')
    expect(reviews.map(({ state, body, dismissed }) => [state, body, dismissed])).toEqual([
      ['REQUEST_CHANGES', 'no', false],
      ['COMMENT', '', false],
      ['REQUEST_CHANGES', 'was no', true],
      ['APPROVED', 'yes', false],
      ['COMMENT', '', false],
    ])
    expect(reviews[3]).toMatchObject({ submitted_at: at(5), commit_id: head, original_author: 'ann' })
    const comments = await get(`/pulls/3/reviews/${reviews[1].id}/comments`)
    expect(comments).toMatchObject([
      {
        path: 'topic.txt',
        position: 1,
        body: 'why',
        diff_hunk: '@@ -0,0 +1 @@\n+topic.txt',
        commit_id: head,
        created_at: at(4),
        updated_at: at(5),
        original_author: 'ann',
      },
    ])
    expect(await get(`/issues/comments/${comments[0].id}/reactions`)).toMatchObject([{ content: '+1' }])
    const refs = await upstream.run('octo/app', 'ls-remote', `${target.url}/tom/app.git`, 'refs/pull/*')
    expect(refs.trim().split('\n')).toEqual([3, 4].map((number) => `${head}\trefs/pull/${number}/head`))
  })

  it('has releases with files, and drafts without a tag', async () => {
    const [draft, release] = await get('/releases')
    expect(draft).toMatchObject({ tag_name: 'v2', draft: true, prerelease: false })
    expect(release).toMatchObject({
      tag_name: 'v1',
      draft: false,
      prerelease: true,
      body: 'notes',
      published_at: at(3),
      original_author: 'bob',
      assets: [{ name: 'a.txt', size: 5, download_count: 7 }],
    })
  })

  it('notifies nobody and adds one entry to the feed', async () => {
    expect((await tom.client.get('/notifications?all=true')).json).toEqual([])
    const feed: Any[] = (await tom.client.get('/users/tom/activities/feeds')).json
    expect(feed.filter(({ op_type }) => op_type !== 'create_issue').map(({ op_type }) => op_type)).toEqual([
      'create_repo',
    ])
  })
})
