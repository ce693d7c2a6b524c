import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { migrate } from './import-world.ts'

const pick = (value: Any, members: readonly string[]): Any =>
  Object.fromEntries(members.map((member) => [member, value[member]]))
const login = (user: Any): string | undefined => user?.login

const LABEL = ['name', 'color', 'description', 'exclusive', 'is_archived']
const MILESTONE = ['title', 'description', 'state', 'due_on', 'open_issues', 'closed_issues', 'created_at', 'closed_at']
const ISSUE = [
  'number',
  'title',
  'body',
  'state',
  'is_locked',
  'comments',
  'created_at',
  'closed_at',
  'due_date',
  'ref',
  'pin_order',
  'time_estimate',
]

/** What an object says on every server that has it. */
const shown = {
  label: (label: Any) => pick(label, LABEL),
  milestone: (milestone: Any) => pick(milestone, MILESTONE),
  issue: (issue: Any) => ({
    ...pick(issue, ISSUE),
    user: login(issue.user),
    assignees: (issue.assignees ?? []).map(login),
    labels: issue.labels.map(({ name }: Any) => name).toSorted(),
    milestone: issue.milestone?.title,
  }),
  comment: (comment: Any) => ({ ...pick(comment, ['body', 'created_at', 'updated_at']), user: login(comment.user) }),
  entry: (entry: Any) => ({
    ...pick(entry, ['type', 'created_at', 'ref_action', 'ref_commit_sha', 'commit_id', 'old_title', 'new_title']),
    user: login(entry.user),
    label: entry.label?.name,
    body: entry.body.replace('/tom/', '/sue/'),
    refIssue: entry.ref_issue?.number,
    refComment: entry.ref_comment?.body,
  }),
  reaction: (reaction: Any) => ({ ...pick(reaction, ['content', 'created_at']), user: login(reaction.user) }),
  time: (time: Any) => ({ ...pick(time, ['time', 'created', 'user_name']), issue: time.issue.number }),
  release: (release: Any) => ({
    ...pick(release, ['tag_name', 'name', 'body', 'draft', 'prerelease', 'created_at']),
    author: login(release.author),
    assets: release.assets.map(({ name, size }: Any) => ({ name, size })),
  }),
  number: ({ number }: Any) => number as number,
} as const

describeOnBoth('an import of everything from another server', (kind) => {
  let source: TestServer
  let target: TestServer
  let sue: Person
  let root: Person
  let tom: Person
  let body: object

  beforeAll(async () => {
    source = await startServer()
    target = await startServer({ on: kind })
    sue = await source.world.user('sue')
    const fay = await source.world.user('fay')
    root = await target.world.admin()
    tom = await target.world.user('tom')
    for (const name of ['sue', 'fay']) await target.world.user(name)
    await source.world.repo({ owner: sue, name: 'desk', autoInit: true })
    const call = async (
      person: Person,
      method: 'patch' | 'post' | 'put',
      path: string,
      body?: object,
    ): Promise<Any> => {
      const answer = await person.client[method](`/repos/sue/desk${path}`, body)
      expect([path, answer.status, answer.status >= 300 ? answer.text : '']).toEqual([path, answer.status, ''])
      return answer.json
    }
    const post = (path: string, body?: object, person = sue) => call(person, 'post', path, body)
    await call(sue, 'put', '/collaborators/fay', { permission: 'write' })
    await call(sue, 'patch', '', { website: 'https://desk.example', description: 'A desk' })
    await call(sue, 'put', '/topics', { topics: ['wood', 'oak'] })
    const bug = await post('/labels', { name: 'bug', color: 'ee0701', description: 'it is broken' })
    const kindOf = await post('/labels', { name: 'kind/lamp', color: '00ff00', exclusive: true })
    const first = await post('/milestones', { title: 'one', description: 'the first', due_on: '2030-01-02T00:00:00Z' })
    await call(sue, 'patch', `/milestones/${(await post('/milestones', { title: 'two' })).id}`, { state: 'closed' })
    await post('/issues', {
      title: 'The lamp is broken',
      body: 'See **it**\r\n- a\n',
      labels: [bug.id, kindOf.id],
      milestone: first.id,
      assignees: ['fay', 'sue'],
      due_date: '2029-05-06T00:00:00Z',
    })
    await post('/issues', { title: 'The desk is small', body: '#1 and @fay' }, fay)
    await post('/issues', { title: 'Closed one' })
    await call(sue, 'patch', '/issues/3', { state: 'closed', title: 'A closed one' })
    const comment = await post('/issues/1/comments', { body: 'first' }, fay)
    await post('/issues/1/comments', { body: 'second 🎉' })
    await post('/issues/1/reactions', { content: 'heart' }, fay)
    await post(`/issues/comments/${comment.id}/reactions`, { content: '+1' })
    await post('/issues/1/times', { time: 3600 })
    await post('/issues/2/times', { time: 60 }, fay)
    await post('/issues/1/dependencies', { owner: 'sue', repo: 'desk', index: 2 })
    await post('/issues/2/pin')
    await call(sue, 'put', '/issues/3/lock', { lock_reason: 'Too heated' })
    await call(sue, 'patch', '/issues/1', { due_date: '2029-05-07T00:00:00Z' })
    await post('/issues/2/comments', { body: 'like #3, reopens #1' })
    await post('/contents/lamp.txt', { content: btoa('lamp'), message: 'Light\n\nSee #1', new_branch: 'lamp' })
    await post('/pulls', { head: 'lamp', base: 'main', title: 'Lamp', body: 'see #1, closes #2' })
    await source.drain()
    await post('/releases', { tag_name: 'v1', name: 'One', body: 'notes', target_commitish: 'main' })
    await post('/releases', { tag_name: 'v2', name: 'Two', draft: true, prerelease: true, target_commitish: 'main' })
    body = {
      clone_addr: `${source.url}/sue/desk.git`,
      repo_name: 'desk',
      service: 'gitea',
      auth_username: 'sue',
      auth_password: PASSWORD,
      labels: true,
      milestones: true,
      issues: true,
      pull_requests: true,
      releases: true,
      users: { sue: 'sue', FAY: 'fay' },
      repo_owner: 'tom',
    }
    const answer = await migrate(root, body)
    expect([answer.status, answer.json.message, answer.headers.get('x-ingot-warning')]).toEqual([201, undefined, null])
  }, 60_000)
  afterAll(async () => {
    await target.close()
    await source.close()
  })

  const both = async (path: string): Promise<[Any, Any]> => {
    const theirs = await sue.client.get(`/repos/sue/desk${path}`)
    const ours = await tom.client.get(`/repos/tom/desk${path}`)
    expect([theirs.status, ours.status]).toEqual([200, 200])
    return [theirs.json, ours.json]
  }

  it.each([
    ['labels', '/labels', shown.label],
    ['milestones', '/milestones?state=all', shown.milestone],
    ['issues', '/issues?state=all&type=issues', shown.issue],
    ['comments', '/issues/comments', shown.comment],
    ['reactions to issues', '/issues/1/reactions', shown.reaction],
    ['tracked times', '/times', shown.time],
    ['dependencies', '/issues/1/dependencies', shown.number],
    ['blocked issues', '/issues/2/blocks', shown.number],
    ['pinned issues', '/issues/pinned', shown.number],
    ['releases', '/releases', shown.release],
  ])('has the same %s', async (_, path, show) => {
    const [theirs, ours] = (await both(path)) as [Any[], Any[]]
    expect(theirs.length).toBeGreaterThan(0)
    expect(ours.map(show)).toEqual(theirs.map(show))
  })

  it.each([1, 2, 3, 4])('has the timeline of %s', async (number) => {
    const [theirs, ours] = (await both(`/issues/${number}/timeline`)) as [Any[], Any[]]
    // NOTE: all of it happened within a second: the order is not that of the other server.
    const sorted = (entries: readonly Any[]): string[] =>
      entries.map((entry) => JSON.stringify(shown.entry(entry))).toSorted()
    expect(sorted(theirs).length).toBeGreaterThan(0)
    expect(sorted(ours)).toEqual(sorted(theirs))
  })

  it('notifies nobody of what was imported', async () => {
    await target.drain()
    for (const person of [tom, root]) expect((await person.client.get('/notifications?all=true')).json).toEqual([])
    const feed = (await tom.client.get('/users/tom/activities/feeds')).json as Any[]
    const ofRoot = (await root.client.get('/repos/tom/desk/activities/feeds')).json as Any[]
    expect([...feed, ...ofRoot].filter(({ op_type }) => !['create_issue', 'create_repo'].includes(op_type))).toEqual([])
  })

  it('has the same settings, topics and counters, and the next number', async () => {
    const [theirs, ours] = await both('')
    const members = ['description', 'website', 'default_branch', 'topics', 'open_issues_count', 'release_counter']
    expect(pick(ours, members)).toEqual(pick(theirs, members))
    const next = await tom.client.post('/repos/tom/desk/issues', { title: 'new' })
    expect(next.json.number).toBe(5)
  })

  it('has references that an edit does not repeat, and keywords that act', async () => {
    const types = async (): Promise<string[]> =>
      ((await tom.client.get('/repos/tom/desk/issues/1/timeline')).json as Any[]).map(({ type }) => type)
    const before = await types()
    expect(before).toEqual(expect.arrayContaining(['comment_ref', 'commit_ref', 'issue_ref', 'pull_ref']))
    expect((await tom.client.patch('/repos/tom/desk/issues/2', { body: 'again #1' })).status).toBe(201)
    await target.drain()
    expect(await types()).toEqual(before)
    const rights = { permission: 'write' }
    expect((await tom.client.put('/repos/tom/desk/collaborators/sue', rights)).status).toBe(204)
    expect((await tom.client.post('/repos/tom/desk/pulls/4/merge', { Do: 'merge' })).status).toBe(200)
    await target.drain()
    expect((await tom.client.get('/repos/tom/desk/issues/2')).json.state).toBe('closed')
  })

  it('keeps what other issues have to do with one that is imported again', async () => {
    const read = async (path: string): Promise<Any[]> => (await tom.client.get(`/repos/tom/desk/issues/1${path}`)).json
    const about = async (): Promise<string[]> =>
      (await read('/timeline')).flatMap(({ type, ref_issue: from, dependent_issue: other }) =>
        (from ?? other) ? `${type} ${(from ?? other).number}` : [],
      )
    const before = await about()
    expect(before).toEqual(expect.arrayContaining(['issue_ref 2', 'comment_ref 2', 'add_dependency 2']))
    const again = await migrate(root, { ...body, changes: { numbers: [2] } })
    expect([again.status, again.text]).toEqual([201, again.text])
    expect(await about()).toEqual(before)
    expect((await read('/dependencies')).map(shown.number)).toEqual([2])
    const [reference] = (await read('/timeline')).filter(({ type }) => type === 'comment_ref')
    expect(reference.ref_comment.body).toBe('like #3, reopens #1')
    const [comment] = (await tom.client.get('/repos/tom/desk/issues/2/comments')).json
    expect(reference.ref_comment.id).toBe(comment.id)
    const edit = { body: 'like #3, reopens #1, again' }
    expect((await tom.client.patch(`/repos/tom/desk/issues/comments/${comment.id}`, edit)).status).toBe(200)
    await target.drain()
    expect(await about()).toEqual(before)
  })
})
