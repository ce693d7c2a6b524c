import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  allOf,
  type FakeService,
  json,
  locationOf,
  NOW,
  startFakeService,
  status,
} from '../../../../../../test/migration/fake-service.ts'
import type { Source } from '../../source.ts'
import type { SourceLocation } from '../../source-location.ts'
import { openGitlab } from './gitlab.source.ts'

const signal = new AbortController().signal
const ALL = { issues: true, pulls: true, after: 0 }
const at = '2020-01-01T00:00:00.000Z'
const later = '2020-02-01T00:00:00.000Z'
const ann = { id: 5, username: 'ann' }
const bob = { id: 6, username: 'bob' }
const HASH = '0123456789abcdef0123456789abcdef'
let service: FakeService
let warnings: string[]

beforeEach(async () => {
  service = await startFakeService()
  warnings = []
  const base = '/api/v4/projects/7'
  const lists: Record<string, unknown[]> = {
    labels: [{ name: 'kind::bug', color: '#ff0000' }],
    milestones: [{ id: 31, iid: 1, title: 'v1', state: 'closed', due_date: '2020-03-01', updated_at: later }],
    issues: [
      {
        iid: 1,
        title: 'One',
        description: 'see !2',
        state: 'closed',
        author: ann,
        labels: ['kind::bug', 'plain'],
        milestone: { id: 31 },
        assignees: [bob],
        due_date: '2020-03-04',
        time_stats: { time_estimate: 3600 },
        discussion_locked: true,
        created_at: at,
        closed_at: later,
      },
      { iid: 3, title: 'Three', state: 'opened', author: null, created_at: at, user_notes_count: 0 },
      { iid: 4, title: 'Secret', state: 'opened', confidential: true, created_at: at },
    ],
    'issues/1/award_emoji': [
      { name: 'tada', user: bob, created_at: at },
      { name: 'unicorn', user: bob },
    ],
    'issues/1/notes': [
      { id: 90, body: 'closed', system: true, author: ann },
      { id: 92, body: 'mentioned in merge request !1', system: true, author: bob, created_at: at },
      { id: 93, body: 'assigned to @ann and @b.ob-2 and unassigned @eve', system: true, author: bob, created_at: at },
      { id: 91, body: 'a comment', author: bob, created_at: at, type: null },
    ],
    'issues/4/notes': [{ id: 95, body: 'secret', author: bob }],
    'issues/1/resource_state_events': [{ user: ann, created_at: later, state: 'closed' }],
    'issues/1/resource_label_events': [
      { user: ann, created_at: at, label: { name: 'kind::bug' }, action: 'add' },
      { user: ann, created_at: at, label: null, action: 'add' },
    ],
    'issues/1/resource_milestone_events': [{ user: bob, created_at: at, milestone: { id: 31 }, action: 'add' }],
    'issues/1/links': [
      { iid: 3, project_id: 7, link_type: 'is_blocked_by' },
      { iid: 9, project_id: 8, link_type: 'is_blocked_by', references: { full: 'group/other#9' } },
      { iid: 3, project_id: 7, link_type: 'relates_to' },
    ],
    merge_requests: [
      { iid: 1, title: 'Draft: mine', state: 'opened', draft: true, author: ann, created_at: at },
      { iid: 2, title: 'Merged', state: 'merged', merged_at: later, merge_user: bob, author: ann, created_at: at },
    ],
    'merge_requests/2/notes': [
      { id: 92, body: 'talk', author: ann, created_at: at },
      { id: 93, body: 'on a line', type: 'DiffNote' },
    ],
    'merge_requests/2/discussions': [
      { notes: [{ id: 92, body: 'talk' }] },
      {
        notes: [
          {
            id: 93,
            body: 'on a line',
            type: 'DiffNote',
            author: bob,
            created_at: at,
            resolved: true,
            resolved_by: ann,
            position: { new_path: 'n', old_path: 'o', new_line: null, old_line: 4, head_sha: 'head' },
          },
          { id: 94, body: 'answer', type: 'DiffNote', author: ann, created_at: later },
        ],
      },
      { notes: [{ id: 96, system: true, body: 'approved this merge request', author: bob, created_at: later }] },
    ],
    'merge_requests/2/resource_state_events': [{ user: bob, created_at: later, state: 'merged' }],
  }
  service.routes.set(
    '/api/v4/projects/group%2Fsub%2Fapp',
    json({
      id: 7,
      path_with_namespace: 'group/sub/app',
      description: 'Lab',
      visibility: 'private',
      default_branch: 'main',
      namespace: { kind: 'group', full_path: 'group/sub' },
    }),
  )
  for (const [path, items] of Object.entries(lists))
    service.routes.set(`${base}/${path}`, json(items, { 'x-total': String(items.length) }))
  service.routes.set('/api/v4/groups/group%2Fsub/milestones', json([{ id: 40, title: 'group' }], { 'x-total': '1' }))
  service.routes.set(`${base}/merge_requests/2/approvals`, json({ approved_by: [{ user: bob }] }))
  service.routes.set(
    `${base}/merge_requests/2`,
    json({
      iid: 2,
      source_branch: 'side',
      target_branch: 'main',
      source_project_id: 7,
      target_project_id: 7,
      sha: 'head',
      diff_refs: { base_sha: 'base', start_sha: 'start', head_sha: 'head' },
      reviewers: [ann],
    }),
  )
})
afterEach(() => service.close())

const open = (location: Partial<SourceLocation> = {}): Source =>
  openGitlab(
    service.deps,
    locationOf(`${service.url}/group/sub/app.git`, {
      token: 't0ken',
      warn: (text) => void warnings.push(text),
      ...location,
    }),
  )

describe('a project of GitLab', () => {
  it('is read with its issues, comments and events', async () => {
    const source = open()
    expect(await source.facts(signal)).toMatchObject({ description: 'Lab', isPrivate: true, defaultBranch: 'main' })
    expect(await allOf(source.labels(signal))).toMatchObject([{ name: 'kind/bug', isExclusive: true }])
    expect(await allOf(source.milestones(signal))).toMatchObject([
      { key: '31', title: 'v1', isClosed: true, dueAt: Date.UTC(2020, 2, 1), closedAt: Date.parse(later) },
      { key: '40', title: 'group' },
    ])
    expect(await allOf(source.issues(0, signal))).toMatchObject([
      {
        number: 1,
        author: { id: 5, login: 'ann' },
        isClosed: true,
        isLocked: true,
        labels: ['kind/bug', 'plain'],
        milestone: '31',
        assignees: [{ login: 'bob' }],
        timeEstimate: 3600,
        reactions: [{ content: 'hooray', user: { login: 'bob' } }],
      },
      { number: 3, author: { id: -1, login: 'Ghost' }, isClosed: false },
    ])
    expect(warnings).toEqual(['issue #4 was not imported: it is confidential'])
    expect(await allOf(source.issues(1, signal))).toHaveLength(1)
    const [first, second] = await allOf(source.comments(ALL, signal))
    expect([first, second]).toMatchObject([
      { issue: 1, body: 'a comment', author: { login: 'bob' } },
      { issue: 6, body: 'talk' },
    ])
    expect(second!.id).toBeGreaterThan(first!.id)
    expect(await allOf(source.comments({ ...ALL, after: first!.id }, signal))).toEqual([second])
    expect(await allOf(source.comments({ ...ALL, after: second!.id }, signal))).toEqual([])
    expect(await allOf(source.events({ number: 1, isPull: false }, signal))).toMatchObject([
      { kind: 'label', label: 'kind/bug', isAdded: true, actor: { login: 'ann' } },
      { kind: 'milestone', old: undefined, new: '31' },
      { kind: 'pull_ref', from: 5, actor: { login: 'bob' } },
      { kind: 'assignees', assignee: { login: 'ann' }, isRemoved: false },
      { kind: 'assignees', assignee: { login: 'b.ob-2' }, isRemoved: false },
      { kind: 'assignees', assignee: { login: 'eve' }, isRemoved: true },
      { kind: 'close', createdAt: Date.parse(later) },
    ])
    expect(await allOf(source.dependencies({ number: 1, isPull: false }, signal))).toEqual([
      { issue: 1, dependsOn: 3 },
      { issue: 1, dependsOn: 'group/other#9' },
    ])
    expect(await source.counts(signal)).toMatchObject({ issues: 3, pulls: 2, labels: 1 })
  })

  it('has its merge requests after the issues, with reviews', async () => {
    const source = open()
    expect(await allOf(source.pulls(0, signal))).toMatchObject([
      { number: 5, isDraft: true, title: 'Draft: mine', headRef: 'refs/merge-requests/1/head', merged: undefined },
      {
        number: 6,
        isClosed: true,
        base: { branch: 'main', oid: 'start' },
        head: { branch: 'side', oid: 'head', isSameRepo: true },
        mergeBase: 'base',
        merged: { at: Date.parse(later), oid: 'head', by: { login: 'bob' }, style: 'fast-forward-only' },
        requestedReviewers: [{ login: 'ann' }],
      },
    ])
    expect(await allOf(source.pulls(5, signal))).toMatchObject([{ number: 6 }])
    expect(await allOf(source.reviews({ number: 6 }, signal))).toMatchObject([
      {
        id: 93,
        kind: 'comment',
        commitOid: 'head',
        comments: [
          { id: 93, path: 'o', side: 'old', line: 4, resolvedBy: { login: 'ann' }, replyTo: undefined },
          { id: 94, path: 'o', body: 'answer', replyTo: 93 },
        ],
      },
      { kind: 'approved', author: { login: 'bob' }, submittedAt: Date.parse(later) },
    ])
    expect(await allOf(source.events({ number: 6, isPull: true }, signal))).toMatchObject([
      { kind: 'merge_pull', oid: 'head', issue: 6 },
    ])
    expect(source.rewriteReferences('see !2')).toBe('see !6')
    const without = open({ withIssues: false })
    expect((await allOf(without.pulls(0, signal))).map(({ number }) => number)).toEqual([1, 2])
    expect(without.rewriteReferences('see !2')).toBe('see !2')
  })

  it('keeps the numbers of an import that continues later, and confidential issues where they may be', async () => {
    const source = open({ startedAt: NOW - 1000, withConfidential: true })
    expect((await allOf(source.issues(0, signal))).map(({ number }) => number)).toEqual([1, 3, 4])
    expect(warnings).toEqual([])
    const before = encodeURIComponent(new Date(NOW - 1000).toISOString())
    expect(service.requests.filter((path) => path.includes('/issues?'))).toSatisfy((paths: string[]) =>
      paths.every((path) => path.includes(`created_before=${before}`)),
    )
  })

  it('has the times of issues and merge requests as sums', async () => {
    const spent = (iid: number, seconds: unknown) => ({
      iid,
      created_at: '2020-01-01T00:00:00Z',
      updated_at: '2020-01-02T00:00:00Z',
      time_stats: { total_time_spent: seconds },
    })
    service.routes.set(
      '/api/v4/projects/7/issues',
      json([spent(1, 60), spent(2, 0), spent(3, 'x')], { 'x-total': '3' }),
    )
    service.routes.set('/api/v4/projects/7/merge_requests', json([spent(1, 90)], { 'x-total': '1' }))
    const pull = { seconds: 90, createdAt: Date.UTC(2020, 0, 2) }
    expect(await allOf(open().trackedTimes(signal))).toMatchObject([
      { issue: 1, seconds: 60, user: { login: 'Ghost' } },
      { issue: 4, ...pull },
    ])
    expect(await allOf(open({ withIssues: false }).trackedTimes(signal))).toMatchObject([{ issue: 1, ...pull }])
  })

  it('may be on a server below a path', async () => {
    const project = service.routes.get('/api/v4/projects/group%2Fsub%2Fapp')!
    service.routes.clear()
    service.routes.set('/api/v4/projects/lab%2Fgroup%2Fsub%2Fapp', (_, response) => void response.end('<html>'))
    service.routes.set('/lab/api/v4/projects/group%2Fsub%2Fapp', project)
    service.routes.set('/lab/api/v4/projects/7/labels', json([{ name: 'x' }], { 'x-total': '1' }))
    const source = open({ url: `${service.url}/lab/group/sub/app.git` })
    expect(await allOf(source.labels(signal))).toMatchObject([{ name: 'x' }])
    await expect(open({ url: `${service.url}/none/app` }).facts(signal)).rejects.toMatchObject({
      kind: 'auth',
      status: 404,
    })
    service.routes.set('/api/v4/projects/closed%2Fapp', status(401))
    await expect(open({ url: `${service.url}/closed/app` }).facts(signal)).rejects.toMatchObject({ status: 401 })
  })

  it('has the files of its texts by the API, or by the web where the API is too old', async () => {
    const source = open()
    const upload = `/uploads/${HASH}/a%20b.png`
    expect(source.filesIn(upload)).toEqual([])
    await source.facts(signal)
    const files = source.filesIn(`![](${upload}) ![](${service.url}/group/sub/app${upload}) /-/project/7${upload}`)
    const url = `${service.url}/group/sub/app${upload}`
    expect(files.map((file) => [file.url, file.textUrl])).toEqual([
      [url, url],
      [url, `/-/project/7${upload}`],
      [url, upload],
    ])
    const read = (): Promise<string> =>
      source.download(files[0]!, signal, async (bytes) => Buffer.concat(await Array.fromAsync(bytes)).toString())
    service.routes.set(`/group/sub/app${upload}`, (_, response) => void response.end('web'))
    expect(await read()).toBe('web')
    service.routes.set(`/api/v4/projects/7${upload}`, (_, response) => void response.end('api'))
    expect(await read()).toBe('api')
  })

  it('is read from a hostile server without an error', async () => {
    const odd = [null, 7, 'x', [], {}, { iid: 'seven' }, { iid: -1 }, { iid: '8', notes: [null, 5] }]
    for (const path of service.routes.keys())
      if (path.includes('/7/')) service.routes.set(path, json(odd, { 'x-total': '8' }))
    const source = open()
    expect(await allOf(source.issues(0, signal))).toMatchObject([
      { number: 8, author: { login: 'Ghost' }, createdAt: NOW },
    ])
    expect(await allOf(source.pulls(0, signal))).toMatchObject([{ number: 16 }])
    await allOf(source.comments(ALL, signal))
    await allOf(source.events({ number: 1, isPull: false }, signal))
    expect(await allOf(source.reviews({ number: 10 }, signal))).toEqual([])
    await allOf(source.labels(signal))
    await allOf(source.milestones(signal))
  })
})
