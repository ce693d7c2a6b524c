import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
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
import { protectionImports } from '../../../../code/index.ts'
import { createForgeApi } from '../../forge-api.ts'
import type { Source } from '../../source.ts'
import { openGitbucket, openGithub } from './github.source.ts'

const signal = new AbortController().signal
const ALL = { issues: true, pulls: true, after: 0 }
let service: FakeService

beforeEach(async () => {
  service = await startFakeService()
})
afterEach(() => service.close())

const open = (path: string, options: { readonly token?: string; readonly with?: typeof openGithub } = {}): Source =>
  (options.with ?? openGithub)(service.deps, locationOf(`${service.url}/${path}.git`, { token: options.token ?? '' }))

/** Answers as GitHub did when it was recorded, below /api/v3. */
function replay(scenario: string): void {
  const root = dirname(createRequire(import.meta.url).resolve('@octokit/fixtures/package.json'))
  const text = readFileSync(join(root, 'scenarios/api.github.com', scenario, 'normalized-fixture.json'), 'utf8')
  const recorded = JSON.parse(text.replaceAll(/https:\/\/api\.github\.com(:443)?/g, `${service.url}/api/v3`)) as {
    method: string
    path: string
    status: number
    response: unknown
    headers: Record<string, string>
  }[]
  for (const { method, path, status, response, headers } of recorded)
    if (method === 'get')
      service.routes.set(`/api/v3${path}`, (_, answer) => {
        const { link, location } = headers
        answer.writeHead(status, { ...(link && { link }), ...(location && { location }) }).end(JSON.stringify(response))
      })
}

describe('a repository of GitHub, as recorded', () => {
  it('is read along its links', async () => {
    replay('paginate-issues')
    const path = '/api/v3/repos/octokit-fixture-org/paginate-issues/issues'
    service.routes.set(path, service.routes.get(`${path}?per_page=3`)!)
    const source = open('octokit-fixture-org/paginate-issues')
    const issues = await allOf(source.issues(0, signal))
    expect(issues.map(({ number }) => number)).toEqual([11, 12, 13])
    const api = createForgeApi({
      ...service.deps,
      base: `${service.url}/api/v3`,
      webUrl: service.url,
      credentials: [],
      perPage: ['per_page', 3],
    })
    const all = await allOf(api.pages('/repos/octokit-fixture-org/paginate-issues/issues', signal))
    expect(all.map((issue) => (issue as { number: number }).number)).toEqual(
      Array.from({ length: 13 }, (_, index) => 13 - index),
    )
    expect(service.requests.at(-1)).toBe('/api/v3/repositories/1000/issues?per_page=3&page=5')
    expect(issues[2]).toMatchObject({ title: 'Test issue 13', author: { login: 'octokit-fixture-user-a' }, body: '' })
  })

  it('has facts, also after it was renamed, labels and releases', async () => {
    for (const scenario of ['get-repository', 'labels', 'release-assets', 'rename-repository']) replay(scenario)
    service.routes.set('/api/v3/repos/octokit-fixture-org/release-assets/releases', (request, response) => {
      const tag = '/api/v3/repos/octokit-fixture-org/release-assets/releases/tags/v1.0.0'
      void fetch(`${service.url}${tag}`)
        .then((answer) => answer.json())
        .then((release) => json([release], { link: '<x>; rel="first"' })(request, response))
    })
    const named = (name: string): Source => open(`octokit-fixture-org/${name}`)
    expect(await named('hello-world').facts(signal)).toMatchObject({ isPrivate: false, defaultBranch: 'master' })
    expect(await named('rename-repository').facts(signal)).toMatchObject({ isPrivate: false })
    const labels = await allOf(named('labels').labels(signal))
    expect(labels).toContainEqual({
      name: 'bug',
      color: 'd73a4a',
      description: "Something isn't working",
      isExclusive: false,
      isArchived: false,
    })
    expect(await allOf(named('release-assets').releases(signal))).toMatchObject([
      { tag: 'v1.0.0', author: { login: 'octokit-fixture-user-a' }, isDraft: false },
    ])
  })
})

describe('a repository of GitHub', () => {
  const base = '/api/v3/repos/o/n'
  const user = (login: string) => ({ id: 5, login })
  const at = '2020-01-01T00:00:00Z'

  it('has pull requests from the list of issues, with reactions only where there are some', async () => {
    const pull = { number: 2, title: 'Two', state: 'closed', user: null, pull_request: { url: 'x' }, created_at: at }
    service.routes.set(
      `${base}/issues`,
      json(
        [
          {
            number: 1,
            title: 'One',
            state: 'open',
            user: user('ann'),
            body: null,
            locked: true,
            created_at: at,
            reactions: { total_count: 1 },
            milestone: { number: 3 },
          },
          pull,
          { number: 9, title: 'Nine', pull_request: { url: 'x' }, created_at: at },
        ],
        { link: '<x>; rel="first"' },
      ),
    )
    service.routes.set(`${base}/issues/1/reactions`, json([{ user: user('bob'), content: 'eyes', created_at: at }]))
    service.routes.set(
      `${base}/pulls/2`,
      json({
        ...pull,
        merged_at: at,
        merged_by: user('cat'),
        merge_commit_sha: 'a'.repeat(40),
        maintainer_can_modify: true,
        requested_reviewers: [user('dan')],
        head: { ref: 'side', sha: 'b'.repeat(40), repo: null },
        base: { ref: 'main', sha: 'c'.repeat(40), repo: { id: 1, full_name: 'o/n' } },
      }),
    )
    const source = open('o/n', { token: 't0ken' })
    expect(await allOf(source.issues(0, signal))).toMatchObject([
      { number: 1, isLocked: true, milestone: '3', reactions: [{ content: 'eyes', user: { login: 'bob' } }] },
    ])
    expect(await allOf(source.pulls(0, signal))).toMatchObject([
      {
        number: 2,
        author: { id: -1, login: 'Ghost' },
        merged: { at: Date.parse(at), oid: 'a'.repeat(40), by: { login: 'cat' } },
        head: { branch: 'side', repo: undefined, isSameRepo: false },
        headRef: 'refs/pull/2/head',
        allowsMaintainerEdit: true,
        requestedReviewers: [{ login: 'dan' }],
      },
      { number: 9, merged: undefined },
    ])
    expect(service.requests.filter((path) => path.includes('reactions'))).toHaveLength(1)
  })

  it('has comments, reviews with their places, and events', async () => {
    service.routes.set(
      `${base}/issues/comments`,
      json(
        [
          {
            id: 1,
            issue_url: `x/issues/1`,
            html_url: 'https://h/o/n/issues/1#issuecomment-1',
            body: 'a',
            created_at: at,
          },
          {
            id: 2,
            issue_url: `x/issues/2`,
            html_url: 'https://h/o/n/pull/2#issuecomment-2',
            body: 'b',
            created_at: at,
          },
        ],
        { link: '<x>; rel="first"' },
      ),
    )
    service.routes.set(
      `${base}/pulls/2/reviews`,
      json(
        [
          {
            id: 10,
            state: 'CHANGES_REQUESTED',
            body: 'no',
            user: user('ann'),
            submitted_at: at,
            author_association: 'OWNER',
          },
          { id: 11, state: 'COMMENTED', body: '', submitted_at: at },
          { id: 12, state: 'COMMENTED', body: '', submitted_at: at },
          { id: 13, state: 'PENDING', body: 'draft' },
        ],
        { link: '<x>; rel="first"' },
      ),
    )
    const hunk = '@@ -1,3 +1,4 @@\n a\n-b\n+c\n+d'
    service.routes.set(
      `${base}/pulls/2/comments`,
      json(
        [
          {
            id: 20,
            pull_request_review_id: 10,
            path: 'f',
            line: 7,
            start_line: 5,
            side: 'LEFT',
            commit_id: 'new',
            created_at: at,
          },
          {
            id: 21,
            pull_request_review_id: 11,
            path: 'f',
            line: null,
            original_line: 4,
            side: 'RIGHT',
            original_commit_id: 'old',
            commit_id: 'new',
            in_reply_to_id: 20,
          },
          { id: 22, pull_request_review_id: null, path: 'f', position: 4, diff_hunk: hunk },
          { id: 23, path: 'f', position: 2, diff_hunk: '@@ -10,3 +1,4 @@\n a\n-b' },
        ],
        { link: '<x>; rel="first"' },
      ),
    )
    service.routes.set(`${base}/milestones`, json([{ number: 3, title: 'v1' }], { link: '<x>; rel="first"' }))
    service.routes.set(
      `${base}/issues/2/timeline`,
      json(
        [
          { event: 'labeled', label: { name: 'bug' }, actor: user('ann'), created_at: at },
          { event: 'milestoned', milestone: { title: 'v1' }, created_at: at },
          { event: 'demilestoned', milestone: { title: 'gone' }, created_at: at },
          { event: 'renamed', rename: { from: 'a', to: 'b' }, created_at: at },
          { event: 'cross-referenced' },
          {
            event: 'cross-referenced',
            actor: user('ann'),
            created_at: at,
            source: { type: 'issue', issue: { number: 1, repository: { full_name: 'O/n' }, pull_request: {} } },
          },
          { event: 'cross-referenced', source: { issue: { number: 3, repository: { full_name: 'o/other' } } } },
          { event: 'referenced', commit_id: 'oid', created_at: at },
          { event: 'locked', lock_reason: 'too heated', created_at: at },
          { event: 'merged', commit_id: 'oid', created_at: at },
          { event: 'closed', created_at: at },
          { event: 'reopened' },
        ],
        { link: '<x>; rel="first"' },
      ),
    )
    const source = open('o/n')
    expect(await allOf(source.comments({ ...ALL, pulls: false }, signal))).toMatchObject([
      { id: 1, issue: 1, body: 'a' },
    ])
    expect(await allOf(source.comments({ ...ALL, after: 1 }, signal))).toMatchObject([{ id: 2, issue: 2, body: 'b' }])
    expect(await allOf(source.reviews({ number: 2 }, signal))).toMatchObject([
      {
        id: 10,
        kind: 'rejected',
        isOfficial: true,
        submittedAt: Date.parse(at),
        comments: [{ id: 20, side: 'old', line: 7, startLine: 5, commitOid: 'new', isOutdated: false }],
      },
      { id: 11, kind: 'comment', comments: [{ id: 21, line: 4, commitOid: 'old', isOutdated: true, replyTo: 20 }] },
      { id: 22, comments: [{ side: 'new', line: 3, isOutdated: false, createdAt: NOW }] },
      { id: 23, comments: [{ side: 'old', line: 11 }] },
    ])
    const events = await allOf(source.events({ number: 2, isPull: true }, signal))
    expect(events).toMatchObject([
      { kind: 'label', label: 'bug', isAdded: true },
      { kind: 'milestone', old: undefined, new: '3' },
      { kind: 'milestone', old: undefined, new: undefined, issue: 2 },
      { kind: 'change_title', old: 'a', new: 'b' },
      { kind: 'pull_ref', from: 1 },
      { kind: 'commit_ref', oid: 'oid' },
      { kind: 'lock', text: 'too heated' },
      { kind: 'merge_pull', oid: 'oid' },
      { kind: 'reopen', createdAt: NOW },
    ])
    expect(events).toHaveLength(9)
  })

  it('reports how much there is, and which files its texts have', async () => {
    const last = (page: number) => ({ link: `<${service.url}/x?per_page=1&page=${page}>; rel="last"` })
    service.routes.set(`${base}/issues`, json([{}], last(30)))
    service.routes.set(`${base}/pulls`, json([{}], last(10)))
    service.routes.set(`${base}/labels`, json([]))
    const source = open('o/n')
    expect(await source.counts(signal)).toEqual({ labels: 0, issues: 20, pulls: 10 })
    const uuid = '01234567-89ab-cdef-0123-456789abcdef'
    const text = `![x](${service.url}/user-attachments/assets/${uuid}) ${service.url}/o/n/files/12/a.txt) ${service.url}/other/n/files/12/b.txt`
    expect(source.filesIn(text).map(({ name, url }) => [name, url])).toEqual([
      [uuid, `${service.url}/user-attachments/assets/${uuid}`],
      ['a.txt', `${service.url}/o/n/files/12/a.txt`],
    ])
  })

  it('has the protections of branches that the token may read', async () => {
    service.routes.set(`${base}/branches`, json([{ name: 'main' }, { name: 'v/1' }, { name: 'other' }]))
    const on = { enabled: true }
    service.routes.set(
      `${base}/branches/main/protection`,
      json({
        required_pull_request_reviews: { required_approving_review_count: 2, dismiss_stale_reviews: true },
        required_status_checks: { strict: true, contexts: ['build', 'lint'] },
        enforce_admins: on,
        required_signatures: { enabled: false },
      }),
    )
    service.routes.set(`${base}/branches/v%2F1/protection`, json({ allow_force_pushes: on, required_signatures: on }))
    service.routes.set(`${base}/branches/other/protection`, status(403))
    const { branches, tags } = await open('o/n').protections(signal)
    expect(branches).toMatchObject([
      {
        rule_name: 'main',
        enable_push: false,
        required_approvals: 2,
        dismiss_stale_approvals: true,
        enable_status_check: true,
        status_check_contexts: ['build', 'lint'],
        block_on_outdated_branch: true,
        block_admin_merge_override: true,
        require_signed_commits: false,
      },
      { rule_name: 'v/1', enable_push: true, enable_force_push: true, require_signed_commits: true },
    ])
    expect(tags).toEqual([])
    expect(branches.map((rule) => protectionImports.readBranchRule(rule)?.name)).toEqual(['main', 'v/1'])
    service.routes.set(`${base}/branches`, status(404))
    expect((await open('o/n').protections(signal)).branches).toEqual([])
  })

  it('has dependencies on issues of other repositories, and warns of sub-issues', async () => {
    const warnings: string[] = []
    const issue = { number: 6, title: 'Six', created_at: at, issue_dependencies_summary: { total_blocked_by: 2 } }
    const lists = [
      { ...issue, sub_issues_summary: { total: 2, completed: 1 } },
      { number: 7, title: 'Seven' },
    ]
    service.routes.set(`${base}/issues`, json(lists))
    const blockers = [
      { number: 3, repository_url: 'https://api.github.com/repos/O/N' },
      { number: 9, repository: { full_name: 'other/name' } },
    ]
    service.routes.set(`${base}/issues/6/dependencies/blocked_by`, json(blockers))
    const location = locationOf(`${service.url}/o/n.git`, { warn: (text) => void warnings.push(text) })
    const source = openGithub(service.deps, location)
    await allOf(source.issues(0, signal))
    expect(warnings).toEqual(['the sub-issues of issue 6 are issues without a parent here: this server has no parents'])
    expect(await allOf(source.dependencies({ number: 6, isPull: false }, signal))).toEqual([
      { issue: 6, dependsOn: 3 },
      { issue: 6, dependsOn: 'other/name#9' },
    ])
    service.requests.length = 0
    expect(await allOf(source.dependencies({ number: 7, isPull: false }, signal))).toEqual([])
    expect(service.requests).toEqual([])
  })

  it('reads one page of issues for dependencies if an older server has no dependencies', async () => {
    const next = `<${service.url}${base}/issues?page=2>; rel="next"`
    const issues = [1, 2].map((number) => ({ number, title: 'Issue', created_at: at }))
    service.routes.set(`${base}/issues`, json(issues, { link: next }))
    const more = [3, 4].map((number) => ({ number, title: 'Issue', created_at: at }))
    service.routes.set(`${base}/issues?page=2`, json(more, { link: next.replace('page=2', 'page=3') }))
    service.routes.set(`${base}/issues?page=3`, status(500))
    expect(await allOf(open('o/n').dependencies({ number: 1, isPull: false }, signal))).toEqual([])
  })

  it('may be one of GitBucket, which lacks lists', async () => {
    service.routes.set(
      `${base}/pulls?state=open&page=1&per_page=100`,
      json([{ number: 4, title: 'Four', created_at: at }]),
    )
    const source = open('o/n', { with: openGitbucket })
    expect(await allOf(source.pulls(0, signal))).toMatchObject([{ number: 4, title: 'Four' }])
    expect(await allOf(source.milestones(signal))).toEqual([])
    expect(await allOf(source.reviews({ number: 4 }, signal))).toEqual([])
  })
})
