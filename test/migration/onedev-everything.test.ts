import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { answers } from './forge-world.ts'
import { migrate } from './import-world.ts'
import { createMergedHistory } from './merged-history.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const at = (day: number): string => new Date(Date.UTC(2020, 0, day)).toISOString().replace('Z', '+00:00')
const time = (day: number): string => new Date(Date.UTC(2020, 0, day)).toISOString().replace('.000', '')
const PATH = 'team/app'
const FILE = '/~downloads/projects/7/attachments/01234567-89ab-cdef-0123-456789abcdef/note.txt'

describeOnBoth('an import of everything from OneDev', (kind) => {
  let upstream: Upstream
  let target: TestServer
  let tom: Person
  let head: string
  let merge: string
  let warnings: string

  beforeAll(async () => {
    upstream = await startUpstream()
    target = await startServer({ on: kind, tuning: { importSleep: async () => {} } })
    tom = await target.world.user('tom')
    const history = await createMergedHistory(upstream, PATH, ['refs/pulls/1/head', 'refs/pulls/2/head'])
    ;({ head, merge } = history)
    serve(history.base)
    const made = await migrate(tom, {
      clone_addr: `${upstream.url}/${PATH}.git`,
      repo_name: 'app',
      service: 'onedev',
      auth_token: 'secret',
      labels: true,
      milestones: true,
      issues: true,
      pull_requests: true,
      releases: true,
    })
    expect([made.status, made.json.message]).toEqual([201, undefined])
    warnings = made.headers.get('x-ingot-warning') ?? ''
  }, 60_000)
  afterAll(async () => {
    await target.close()
    await upstream.close()
  })

  /** Answers as the pages `/~help/api` say. */
  function serve(base: string): void {
    const one = (path: string, value: unknown): unknown => upstream.routes.set(`GET /~api${path}`, answers(value))
    const list = (path: string, items: readonly object[], query?: string): void =>
      void upstream.routes.set(`GET /~api${path}`, (request, response) => {
        const { searchParams } = new URL(request.url!, upstream.url)
        const [offset, count] = [Number(searchParams.get('offset')), Number(searchParams.get('count'))]
        if (query !== undefined) expect(searchParams.get('query')).toBe(query)
        answers(items.slice(offset, offset + count))(request, response)
      })
    one('/projects/ids/team/app', 7)
    one('/projects/7', { id: 7, name: 'app', path: PATH, description: 'An app' })
    for (const [id, name] of [
      [1, 'ann'],
      [2, 'bob'],
    ] as const)
      one(`/users/${id}`, { id, name, fullName: name, disabled: false, type: 'ORDINARY' })
    one('/users/1/email-addresses', [{ id: 1, value: 'ann@example.org', primary: true, ownerId: 1 }])
    list('/label-specs', [{ id: 4, name: 'urgent', color: '#ff0000' }])
    const first = { id: 21, name: 'one', description: 'first', startDay: 18_000, dueDay: 18_300, closed: true }
    list('/projects/7/iterations', [first, { id: 22, name: 'two', closed: false }])
    const issue = (number: number, more: object): object => ({
      id: 100 + number,
      number,
      title: `Issue ${number}`,
      description: `Text ${number}`,
      state: 'Open',
      submitDate: at(number),
      submitterId: 1,
      projectId: 7,
      commentCount: 0,
      lastActivity: { userId: 1, date: at(number + 1), description: 'commented' },
      ...more,
    })
    const fields = { Type: 'Bug', Assignees: ['bob'], Platforms: ['linux', 'mac'], Notes: 'x'.repeat(60), Story: null }
    list(
      '/issues',
      [
        issue(1, {
          state: 'Closed',
          description: `see pull request #1, issue #3 and \`pull request #1\` ${FILE}`,
          commentCount: 2,
          fields,
          thumbsUpCount: 1,
          ownEstimatedTime: 90,
          ownSpentTime: 30,
          pinDate: at(20),
        }),
        issue(2, { confidential: true, fields: {} }),
        issue(3, { state: 'In Progress', fields: { Type: 'Task' }, pinDate: at(19), submitterId: 9 }),
        issue(4, { fields: {}, projectId: 8 }),
      ],
      `"Project" is "${PATH}" order by "Submit Date" asc`,
    )
    one('/issues/101/iterations', [first])
    one('/issues/103/iterations', [])
    one('/issues/101/works', [{ id: 5, issueId: 101, userId: 2, date: at(4), minutes: 30, note: '' }])
    one('/issues/101/comments', [
      { id: 12, issueId: 101, date: at(6), userId: 2, content: 'second' },
      { id: 11, issueId: 101, date: at(5), userId: 1, content: 'first' },
    ])
    one('/issues/101/changes', [
      {
        id: 31,
        userId: 2,
        date: at(7),
        data: { '@type': 'IssueStateChangeData', oldState: 'Open', newState: 'Closed' },
      },
      {
        id: 30,
        userId: 1,
        date: at(6),
        data: { '@type': 'IssueTitleChangeData', oldTitle: 'Isue', newTitle: 'Issue 1' },
      },
    ])
    one('/issues/103/changes', [])
    one('/issues/103/links', [{ id: 1, sourceId: 103, targetId: 101, specId: 2, position: 0 }])
    const pull = (number: number, more: object): object => ({
      id: 200 + number,
      number,
      title: `Pull ${number}`,
      description: '',
      status: 'OPEN',
      submitterId: 2,
      submitDate: at(number + 1),
      sourceProjectId: 7,
      targetProjectId: 7,
      targetBranch: 'main',
      sourceBranch: 'topic',
      baseCommitHash: base,
      commentCount: 0,
      lastActivity: { userId: 1, date: at(9) },
      ...more,
    })
    list(
      '/pulls',
      [
        pull(1, { status: 'MERGED', closeDate: at(8), commentCount: 1, codeCommentsUpdateDate: at(7) }),
        pull(2, { sourceProjectId: 9 }),
      ],
      `"Target Project" is "${PATH}" order by "Submit Date" asc`,
    )
    for (const id of [201, 202]) {
      one(`/pulls/${id}/updates`, [
        { id: 2, headCommitHash: head, targetHeadCommitHash: base, date: at(4) },
        { id: 1, headCommitHash: base, targetHeadCommitHash: base, date: at(3) },
      ])
      one(`/pulls/${id}/labels`, id === 201 ? [{ id: 1, requestId: id, specId: 4 }] : [])
      one(`/pulls/${id}/assignments`, [])
      one(`/pulls/${id}/merge-preview`, { mergeStrategy: 'CREATE_MERGE_COMMIT', mergeCommitHash: merge })
    }
    one('/pulls/201/reviews', [
      { id: 1, userId: 1, requestId: 201, status: 'APPROVED', statusDate: at(6) },
      { id: 2, userId: 2, requestId: 201, status: 'REQUESTED_FOR_CHANGES', statusDate: at(5) },
      { id: 3, userId: 2, requestId: 201, status: 'PENDING', statusDate: at(5) },
    ])
    one('/pulls/202/reviews', [])
    one('/pulls/201/changes', [{ id: 40, userId: 1, date: at(8), data: { '@type': 'PullRequestMergeData' } }])
    one('/pulls/202/changes', [])
    one('/pulls/201/comments', [{ id: 51, requestId: 201, date: at(6), userId: 1, content: 'good' }])
    upstream.routes.set(`GET ${FILE}`, (_, response) => void response.end('a note'))
  }

  const get = async (path: string): Promise<Any> => {
    const { status, json } = await tom.client.get(`/repos/tom/app${path}`)
    expect([path, status]).toEqual([path, 200])
    return json
  }

  it('signs in with the token and names what cannot be read', () => {
    expect([...upstream.credentials].some((line) => line.endsWith(' Bearer secret'))).toBe(true)
    for (const text of [
      'from onedev: releases',
      'issue #2 was not imported: it is confidential',
      'the field "Notes" of issue 1 was not imported: its value is too long',
      'reactions to #1 were not imported: the API of OneDev gives their number alone',
      '1 links of issue 3 were not imported: their kinds have free names',
      "comments on lines of pull request 4 were not imported: OneDev's API lacks them",
    ])
      expect(warnings).toContain(text)
  })

  it('has the description, labels of fields and pull requests, and iterations as milestones', async () => {
    expect(await get('')).toMatchObject({ description: 'An app' })
    const labels: Any[] = await get('/labels')
    expect(labels.map(({ name, exclusive }) => [name, exclusive])).toEqual([
      ['Platforms/linux', false],
      ['Platforms/mac', false],
      ['State/In Progress', true],
      ['Type/Bug', true],
      ['Type/Task', true],
      ['urgent', false],
    ])
    expect(await get('/milestones?state=all')).toMatchObject([
      { title: 'two', state: 'open' },
      { title: 'one', description: 'first', state: 'closed', due_on: '2020-02-08T00:00:00Z', closed_issues: 1 },
    ])
  })

  it('has issues with authors, times, pins, files, comments, events and tracked times', async () => {
    const issue = await get('/issues/1')
    const [asset] = issue.assets
    expect(issue).toMatchObject({
      title: 'Issue 1',
      body: `see pull request #4, issue #3 and \`pull request #1\` ${target.app.site.rootUrl()}/attachments/${asset.uuid}`,
      state: 'closed',
      original_author: 'ann',
      original_author_id: 1,
      created_at: time(1),
      updated_at: time(2),
      closed_at: time(2),
      pin_order: 2,
      time_estimate: 5400,
      milestone: { title: 'one' },
    })
    expect(issue.labels.map(({ name }: Any) => name)).toEqual(['Platforms/linux', 'Platforms/mac', 'Type/Bug'])
    expect(asset).toMatchObject({ name: 'note.txt', size: 6 })
    expect((await tom.client.get('/repos/tom/app/issues/2')).status).toBe(404)
    expect(await get('/issues/3')).toMatchObject({
      state: 'open',
      original_author: 'Ghost',
      pin_order: 1,
      labels: [{ name: 'State/In Progress' }, { name: 'Type/Task' }],
    })
    expect(await get('/issues/1/comments')).toMatchObject([
      { body: 'first', original_author: 'ann', created_at: time(5) },
      { body: 'second', original_author: 'bob', created_at: time(6) },
    ])
    const timeline: Any[] = await get('/issues/1/timeline')
    expect(timeline.filter(({ type }) => type !== 'comment').map(({ type, created_at }) => [type, created_at])).toEqual(
      [
        ['add_time_manual', time(4)],
        ['change_title', time(6)],
        ['close', time(7)],
      ],
    )
    expect(await get('/issues/1/times')).toMatchObject([{ time: 1800, created: time(4) }])
  })

  it('has pull requests after the issues, with commits, reviews and comments', async () => {
    expect(await get('/pulls/4')).toMatchObject({
      title: 'Pull 1',
      merged: true,
      merged_at: time(8),
      merge_commit_sha: merge,
      original_author: 'bob',
      head: { sha: head },
      base: { ref: 'main' },
      labels: [{ name: 'urgent' }],
      merge_base: expect.stringMatching(/^[0-9a-f]{40}$/),
    })
    expect(await get('/pulls/5')).toMatchObject({ state: 'open', head: { sha: head, ref: 'refs/pull/5/head' } })
    const reviews: Any[] = await get('/pulls/4/reviews')
    expect(reviews.map(({ state, original_author, submitted_at }) => [state, original_author, submitted_at])).toEqual([
      ['APPROVED', 'ann', time(6)],
      ['REQUEST_CHANGES', 'bob', time(5)],
    ])
    expect(await get('/issues/4/comments')).toMatchObject([{ body: 'good', original_author: 'ann' }])
    const timeline: Any[] = await get('/issues/4/timeline')
    expect(timeline.map(({ type }) => type)).toContain('merge_pull')
    expect((await tom.client.post('/repos/tom/app/issues', { title: 'next' })).json.number).toBe(6)
  })
})
