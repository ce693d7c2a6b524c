import { describe, expect, it } from 'vitest'
import { type HookFilter, matchHooks, sourceOf } from './delivery/match-hooks.policy.ts'
import { readHookEvents } from './hooks.policy.ts'
import { eventOf, passesBranchFilter, wantsMessage } from './matching.policy.ts'

/** Every event type, with the value of `X-*-Event` and the names with which a webhook subscribes to it. */
const TYPES = [
  ['create', 'create', 'create'],
  ['delete', 'delete', 'delete'],
  ['fork', 'fork', 'fork'],
  ['push', 'push', 'push'],
  ['wiki', 'wiki', 'wiki'],
  ['repository', 'repository', 'repository'],
  ['release', 'release', 'release'],
  ['package', 'package', 'package'],
  ['status', 'status', 'status'],
  ['workflow_run', 'workflow_run', 'workflow_run'],
  ['workflow_job', 'workflow_job', 'workflow_job'],
  ['issues', 'issues', 'issues issues_only'],
  ['issue_assign', 'issues', 'issues issue_assign'],
  ['issue_label', 'issues', 'issues issue_label'],
  ['issue_milestone', 'issues', 'issues issue_milestone'],
  ['issue_comment', 'issue_comment', 'issues issue_comment'],
  ['pull_request', 'pull_request', 'pull_request pull_request_only'],
  ['pull_request_assign', 'pull_request', 'pull_request pull_request_assign'],
  ['pull_request_label', 'pull_request', 'pull_request pull_request_label'],
  ['pull_request_milestone', 'pull_request', 'pull_request pull_request_milestone'],
  ['pull_request_comment', 'issue_comment', 'pull_request pull_request_comment'],
  ['pull_request_sync', 'pull_request', 'pull_request pull_request_sync'],
  ['pull_request_review_request', 'pull_request', 'pull_request pull_request_review_request'],
  ['pull_request_review_approved', 'pull_request_approved', 'pull_request pull_request_review REVIEWS'],
  ['pull_request_review_rejected', 'pull_request_rejected', 'pull_request pull_request_review REVIEWS'],
  ['pull_request_review_comment', 'pull_request_comment', 'pull_request pull_request_review REVIEWS'],
].map(([type, event, names]) => ({
  type: type!,
  event: event!,
  names: names!
    .replace('REVIEWS', 'pull_request_review_approved pull_request_review_rejected pull_request_review_comment')
    .split(' '),
}))

const NAMES = [...new Set(TYPES.flatMap(({ names }) => names))]

describe('the source of an event', () => {
  const event = (kind: string, payload: object) => ({ id: 1, kind, repoId: 7, actorId: 1, at: 1, payload }) as never

  it('is its repository, for a package the linked one and the owner', () => {
    expect(sourceOf(event('issue.created', {}))).toEqual({ repoId: 7, ownerId: 0 })
    expect(sourceOf(event('repo.deleted', { owner_id: 3 }))).toEqual({ repoId: 7, ownerId: 3 })
    for (const kind of ['package.created', 'package.deleted']) {
      expect(sourceOf(event(kind, { owner_id: 3, repo_id: 5 }))).toEqual({ repoId: 5, ownerId: 3 })
      expect(sourceOf(event(kind, { owner_id: 3 }))).toEqual({ repoId: 0, ownerId: 3 })
    }
  })
})

describe('the webhooks of a message', () => {
  const hook = (id: number, of: Partial<HookFilter>): HookFilter => ({
    id,
    scope: 'system',
    repoId: undefined,
    ownerId: undefined,
    type: 'gitea',
    url: 'http://ci.test/',
    events: ['repository'],
    branchFilter: '',
    settings: {},
    ...of,
  })
  const hooks = [
    hook(1, {}),
    hook(2, { scope: 'user', ownerId: 3 }),
    hook(3, { scope: 'repository', repoId: 7 }),
    hook(4, { scope: 'repository', repoId: 8 }),
  ]
  const receivers = (action: string) =>
    matchHooks(hooks, { repoId: 7, ownerId: 3 }, { event: 'repository', eventType: 'repository', action, payload: {} })

  it('are those of the repository, then of its owner and of the site', () => {
    expect(receivers('deleted').map(({ id }) => id)).toEqual([3, 2, 1])
  })

  it('are not those of the repository for its creation, which is older than they are', () => {
    expect(receivers('created').map(({ id }) => id)).toEqual([2, 1])
  })
})

describe('a webhook', () => {
  it.each(TYPES)('receives $type only for its own names, as $event', ({ type, event, names }) => {
    const wanted = NAMES.filter((name) =>
      wantsMessage({ events: readHookEvents([name]), branchFilter: '' }, { eventType: type }),
    )
    expect(wanted.toSorted()).toEqual(names.toSorted())
    expect(eventOf(type)).toBe(event)
  })

  it('receives refs that match its filter, and events without a ref', () => {
    const hook = { events: ['push', 'issues'], branchFilter: 'release/*' }
    const wants = (eventType: string, branch?: string): boolean =>
      wantsMessage(hook, { eventType, ...(branch !== undefined && { branch }) })
    expect(wants('push', 'refs/heads/release/1')).toBe(true)
    expect(wants('push', 'refs/heads/main')).toBe(false)
    expect(wants('create', 'refs/heads/release/1')).toBe(false)
    expect(wants('issues')).toBe(true)
  })
})

it.each([
  ['', 'refs/tags/v1', true],
  ['*', 'refs/tags/v1', true],
  ['**', 'refs/heads/a/b', true],
  ['main', 'refs/heads/main', true],
  ['main', 'refs/heads/maintenance', false],
  ['main', 'refs/tags/main', false],
  ['refs/heads/main', 'refs/heads/main', true],
  ['refs/tags/v*', 'refs/tags/v1', true],
  ['v*', 'refs/tags/v1', false],
  ['feature*', 'refs/heads/feature/a/b', true],
  ['*/b', 'refs/heads/feature/a/b', true],
  ['v?', 'refs/heads/v1', true],
  ['v?', 'refs/heads/v10', false],
  ['[!a-m]ain', 'refs/heads/rain', true],
  ['[!a-m]ain', 'refs/heads/main', false],
  ['{main,release/**}', 'refs/heads/release/1/2', true],
  [String.raw`a\*`, 'refs/heads/a*', true],
  [String.raw`a\*`, 'refs/heads/ab', false],
  ['[a', 'refs/heads/[a', false],
  ['{main', 'refs/heads/{main', false],
])('matches the filter %j with %s: %s', (filter, ref, passes) => {
  expect(passesBranchFilter(filter, ref)).toBe(passes)
})
