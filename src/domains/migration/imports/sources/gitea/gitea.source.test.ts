import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Any } from '../../../../../../test/harness/client.ts'
import { startServer, type TestServer } from '../../../../../../test/harness/server.ts'
import type { Person } from '../../../../../../test/harness/world.ts'
import {
  allOf,
  type FakeService,
  json,
  locationOf,
  NOW,
  startFakeService,
} from '../../../../../../test/migration/fake-service.ts'
import { basicAuth } from '../../../../../../test/migration/forge-world.ts'
import type { Source } from '../../source.ts'
import { openGitea } from './gitea.source.ts'

const signal = new AbortController().signal
const ALL = { issues: true, pulls: true, after: 0 }

describe('a repository of Gitea', () => {
  let server: TestServer
  let service: FakeService
  let sue: Person
  let source: Source

  async function done(answer: Promise<Any>): Promise<Any> {
    const { status, json: value } = await answer
    expect([200, 201, 204], JSON.stringify(value)).toContain(status)
    return value
  }

  beforeAll(async () => {
    server = await startServer()
    service = await startFakeService()
    sue = await server.world.user('sue')
    await server.world.repo({ owner: sue, name: 'app', isPrivate: true, autoInit: true, description: 'Text' })
    const { client } = sue
    const label = await done(
      client.post('/repos/sue/app/labels', { name: 'kind/bug', color: '#ff0000', exclusive: true }),
    )
    const milestone = await done(
      client.post('/repos/sue/app/milestones', { title: 'v1', due_on: '2027-01-01T00:00:00Z', state: 'closed' }),
    )
    for (const title of ['one', 'two', 'three'])
      await done(
        client.post('/repos/sue/app/issues', {
          title,
          body: `body of ${title}`,
          assignees: ['sue'],
          labels: [label.id],
          milestone: milestone.id,
          due_date: '2027-02-03T00:00:00Z',
        }),
      )
    await done(client.patch('/repos/sue/app/issues/2', { title: 'second', state: 'closed' }))
    await done(client.put('/repos/sue/app/issues/2/lock', { lock_reason: 'spam' }))
    await done(client.post('/repos/sue/app/issues/1/pin'))
    await done(client.post('/repos/sue/app/issues/1/reactions', { content: 'heart' }))
    await done(client.post('/repos/sue/app/issues/1/times', { time: 90 }))
    await done(client.post('/repos/sue/app/issues/3/dependencies', { owner: 'sue', repo: 'app', index: 1 }))
    const comment = await done(client.post('/repos/sue/app/issues/1/comments', { body: 'first' }))
    await done(client.post(`/repos/sue/app/issues/comments/${comment.id}/reactions`, { content: '+1' }))
    const form = new FormData()
    form.set('attachment', new Blob(['bytes']), 'a.txt')
    const upload = await fetch(`${server.url}/api/v1/repos/sue/app/issues/comments/${comment.id}/assets`, {
      method: 'POST',
      body: form,
      headers: { authorization: basicAuth(sue) },
    })
    expect(upload.status).toBe(201)
    await done(
      client.post('/repos/sue/app/contents/new.txt', {
        content: Buffer.from('a\nb\n').toString('base64'),
        message: 'Add',
        branch: 'main',
        new_branch: 'side',
      }),
    )
    await done(client.post('/repos/sue/app/pulls', { head: 'side', base: 'main', title: 'WIP: pull', body: 'of it' }))
    await done(client.post('/repos/sue/app/issues/4/comments', { body: 'on the pull' }))
    await done(
      client.post('/repos/sue/app/pulls/4/reviews', {
        event: 'COMMENT',
        body: 'seen',
        comments: [{ path: 'new.txt', body: 'here', new_position: 2 }],
      }),
    )
    await done(client.post('/repos/sue/app/branch_protections', { rule_name: 'main' }))
    const token = await sue.token('all')
    source = openGitea(service.deps, locationOf(`${server.url}/sue/app.git`, { token }))
  })
  afterAll(async () => {
    await server.close()
    await service.close()
  })

  it('is read with its issues, comments, events, times and dependencies', async () => {
    expect(await source.facts(signal)).toMatchObject({ description: 'Text', isPrivate: true, defaultBranch: 'main' })
    expect(await allOf(source.labels(signal))).toMatchObject([{ name: 'kind/bug', color: 'ff0000', isExclusive: true }])
    const [milestone] = await allOf(source.milestones(signal))
    expect(milestone).toMatchObject({ title: 'v1', isClosed: true })
    const issues = await allOf(source.issues(0, signal))
    expect(issues).toMatchObject([
      {
        number: 1,
        title: 'one',
        body: 'body of one',
        pinOrder: 1,
        reactions: [{ content: 'heart', user: { login: 'sue' } }],
      },
      { number: 2, title: 'second', isClosed: true, isLocked: true, closedAt: expect.any(Number) },
      { number: 3, author: { id: sue.user.id, login: 'sue' }, labels: ['kind/bug'], milestone: milestone!.key },
    ])
    expect(issues[2]).toMatchObject({ assignees: [{ login: 'sue' }], dueAt: expect.any(Number) })
    expect(await allOf(source.issues(2, signal))).toMatchObject([{ number: 3 }])
    const comments = await allOf(source.comments(ALL, signal))
    expect(comments).toMatchObject([
      { issue: 1, body: 'first', reactions: [{ content: '+1' }], assets: [{ name: 'a.txt', kind: 'file' }] },
      { issue: 4, body: 'on the pull' },
    ])
    expect(await allOf(source.comments({ ...ALL, issues: false }, signal))).toEqual([comments[1]])
    expect(await allOf(source.comments({ ...ALL, after: comments[0]!.id }, signal))).toEqual([comments[1]])
    const [asset] = comments[0]!.assets
    const text = `see ${asset!.textUrl} and ${server.url}${asset!.textUrl}`
    expect(source.filesIn(text).map(({ url, textUrl }) => [url, textUrl])).toEqual([
      [asset!.url, `${server.url}${asset!.textUrl}`],
      [asset!.url, asset!.textUrl],
    ])
    expect(await source.download(asset!, signal, async (bytes) => String(await Array.fromAsync(bytes)))).toBe('bytes')
    expect(await allOf(source.events({ number: 2, isPull: false }, signal))).toMatchObject([
      { kind: 'label', label: 'kind/bug', isAdded: true, issue: 2, actor: { login: 'sue' } },
      { kind: 'milestone', old: undefined, new: milestone!.key },
      { kind: 'assignees', assignee: { login: 'sue' }, isRemoved: false },
      { kind: 'change_title', old: 'two', new: 'second' },
      { kind: 'close' },
      { kind: 'lock' },
    ])
    expect(await allOf(source.trackedTimes(signal))).toMatchObject([{ issue: 1, seconds: 90, user: { login: 'sue' } }])
    expect(await allOf(source.dependencies({ number: 3, isPull: false }, signal))).toEqual([{ issue: 3, dependsOn: 1 }])
    expect(await source.counts(signal)).toMatchObject({ labels: 1, milestones: 1, issues: 3, pulls: 1, comments: 2 })
  })

  it('is read with its pull requests, reviews and rules', async () => {
    const [pull] = await allOf(source.pulls(0, signal))
    expect(pull).toMatchObject({
      number: 4,
      title: 'WIP: pull',
      body: 'of it',
      isDraft: true,
      isClosed: false,
      merged: undefined,
      base: { branch: 'main', oid: expect.stringMatching(/^[0-9a-f]{40}$/) },
      head: { branch: 'side', oid: expect.stringMatching(/^[0-9a-f]{40}$/), isSameRepo: true },
      headRef: 'refs/pull/4/head',
      mergeBase: expect.stringMatching(/^[0-9a-f]{40}$/),
    })
    expect(await allOf(source.reviews(pull!, signal))).toMatchObject([
      {
        pull: 4,
        kind: 'comment',
        body: 'seen',
        commitOid: pull!.head.oid,
        comments: [
          {
            path: 'new.txt',
            body: 'here',
            side: 'new',
            line: 2,
            startLine: 2,
            diffHunk: expect.stringContaining('+b'),
          },
        ],
      },
    ])
    expect(await source.protections(signal)).toMatchObject({ branches: [{ rule_name: 'main' }], tags: [] })
  })

  it('is read from a hostile server without an error', async () => {
    const base = '/api/v1/repos/o/n'
    const odd = [null, 7, 'x', [], {}, { number: 'seven' }, { number: -1 }, { number: 1e300 }]
    const issue = {
      number: '7',
      user: null,
      title: 9,
      body: { a: 1 },
      labels: [null, { name: 'a\u0000b' }, { name: 5 }],
      milestone: 'x',
      assignees: 'nobody',
      created_at: 'yesterday',
      updated_at: '99999-01-01',
      assets: { length: 5 },
      original_author: 'ann',
      original_author_id: '12',
    }
    service.routes.set(`${base}/issues`, json([...odd, issue], { 'x-total-count': '1' }))
    service.routes.set(`${base}/issues/7/reactions`, json([{ user: null, content: '+1' }, { content: 'custom' }, null]))
    service.routes.set(
      `${base}/pulls`,
      json([...odd, { number: 8, head: null, base: [], merged_at: '2020-01-01T00:00:00Z' }]),
    )
    service.routes.set(
      `${base}/issues/comments`,
      json([
        { id: 3, issue_url: `${service.url}/o/n/issues/7` },
        { id: 4, issue_url: 7 },
      ]),
    )
    service.routes.set(
      `${base}/issues/7/timeline`,
      json([{ type: 'close', user: null }, { type: 'constructor' }, { type: 'label' }, null]),
    )
    service.routes.set(
      `${base}/pulls/8/reviews`,
      json([{ id: 1, state: 'APPROVED' }, { id: 2, state: 'PENDING' }, { state: 'COMMENT' }]),
    )
    const hostile = openGitea(service.deps, locationOf(`${service.url}/o/n`))
    const [read, ...others] = await allOf(hostile.issues(0, signal))
    expect(others).toEqual([])
    expect(read).toMatchObject({
      number: 7,
      author: { id: 0, login: 'ann', isElsewhere: true },
      title: '',
      body: '',
      labels: ['ab'],
      milestone: undefined,
      assignees: [],
      createdAt: NOW,
      updatedAt: NOW,
      assets: [],
      reactions: [
        { content: '+1', user: { id: -1, login: 'Ghost' } },
        { content: 'custom', user: { id: -1, login: 'Ghost' } },
      ],
    })
    const pulls = await allOf(hostile.pulls(0, signal))
    expect(pulls).toMatchObject([
      { number: 8, head: { oid: '', isSameRepo: false }, merged: { at: Date.UTC(2020, 0, 1) } },
    ])
    expect(await allOf(hostile.comments(ALL, signal))).toMatchObject([{ id: 3, issue: 7, author: { login: 'Ghost' } }])
    expect(await allOf(hostile.events({ number: 7, isPull: false }, signal))).toMatchObject([
      { kind: 'close', actor: { login: 'Ghost' } },
    ])
    expect(await allOf(hostile.reviews(pulls[0]!, signal))).toMatchObject([
      { id: 1, kind: 'approved', submittedAt: NOW },
    ])
    expect(await allOf(hostile.trackedTimes(signal))).toEqual([])
    expect(await hostile.protections(signal)).toEqual({ branches: [], tags: [] })
  })
})
