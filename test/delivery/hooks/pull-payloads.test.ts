import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { createMessages, type Messages, namesOf, type SentMessage } from './messages.ts'

describe('payloads of pull requests', () => {
  let server: TestServer
  let ann: Person
  let wes: Person
  let messages: Messages
  const pull = '/repos/ann/r/pulls/1'

  beforeAll(async () => {
    server = await startServer()
    ;[ann, wes] = [await server.world.user('ann'), await server.world.user('wes')]
    await server.world.repo({ owner: ann, name: 'r', autoInit: true })
    await ann.client.put('/repos/ann/r/collaborators/wes', { permission: 'write' })
    await addFile('a', { new_branch: 'feature' })
    messages = createMessages(server)
    await messages.take()
  })
  afterAll(() => server.close())

  const addFile = async (name: string, more: object): Promise<void> => {
    const body = { content: Buffer.from(name).toString('base64'), message: `Add ${name}`, ...more }
    expect((await ann.client.post(`/repos/ann/r/contents/${name}`, body)).status).toBe(201)
  }
  const taken = async (): Promise<SentMessage> => {
    const found = await messages.take()
    expect(namesOf(found)).toHaveLength(1)
    return found[0]!
  }
  const anonymous = async (path: string): Promise<Any> => (await server.anonymous.get(path)).json

  it('have the pull request with both its branches', async () => {
    const input = { title: 'A change', body: 'please', head: 'feature', base: 'main' }
    expect((await ann.client.post('/repos/ann/r/pulls', input)).status).toBe(201)
    const { payload, ...names } = await taken()
    expect(names).toEqual({ event: 'pull_request', eventType: 'pull_request', action: 'opened' })
    expect(Object.keys(payload)).toEqual([
      'action',
      'number',
      'pull_request',
      'requested_reviewer',
      'repository',
      'sender',
      'commit_id',
      'review',
    ])
    expect(payload).toMatchObject({
      number: 1,
      requested_reviewer: null,
      review: null,
      commit_id: '',
      sender: { login: 'ann' },
      repository: { full_name: 'ann/r', permissions: { admin: true } },
    })
    const shown = await anonymous(pull)
    const owner = await anonymous('/users/ann')
    expect(payload.pull_request).toEqual({
      ...shown,
      base: { ...shown.base, repo: { ...shown.base.repo, owner } },
      head: { ...shown.head, repo: { ...shown.head.repo, owner } },
    })
    expect(payload.pull_request).toMatchObject({
      title: 'A change',
      state: 'open',
      merged: false,
      base: { label: 'main', ref: 'main' },
      head: { label: 'feature', ref: 'feature', repo: { full_name: 'ann/r' } },
    })
  })

  it('have separate types for labels, assignees and milestones', async () => {
    const label = (await ann.client.post('/repos/ann/r/labels', { name: 'bug', color: '#ff0000' })).json
    const milestone = (await ann.client.post('/repos/ann/r/milestones', { title: 'one' })).json
    await ann.client.post('/repos/ann/r/issues/1/labels', { labels: [label.id] })
    await ann.client.patch('/repos/ann/r/issues/1', { assignees: ['wes'] })
    await ann.client.patch('/repos/ann/r/issues/1', { milestone: milestone.id })
    const found = await messages.take()
    expect(namesOf(found)).toEqual([
      'pull_request_label (pull_request) label_updated',
      'pull_request_assign (pull_request) assigned',
      'pull_request_milestone (pull_request) milestoned',
    ])
    expect(found[0]!.payload).toMatchObject({
      pull_request: { labels: [{ name: 'bug' }] },
      changes: { added_labels: [{ name: 'bug' }], label: { name: 'bug' } },
    })
    expect(found[1]!.payload.pull_request.assignee.login).toBe('wes')
    expect(found[2]!.payload.pull_request.milestone.title).toBe('one')
  })

  it('of edits and states contain the changes', async () => {
    await wes.client.patch('/repos/ann/r/issues/1', { title: 'A better change' })
    expect((await taken()).payload).toMatchObject({
      action: 'edited',
      changes: { title: { from: 'A change' } },
      pull_request: { title: 'A better change' },
      sender: { login: 'wes' },
    })
    await ann.client.patch('/repos/ann/r/issues/1', { state: 'closed' })
    await ann.client.patch('/repos/ann/r/issues/1', { state: 'open' })
    const found = await messages.take()
    expect(namesOf(found)).toEqual(['pull_request (pull_request) closed', 'pull_request (pull_request) reopened'])
    expect(found.map(({ payload }) => payload.pull_request.state)).toEqual(['closed', 'open'])
  })

  it('of another base contain the former one', async () => {
    await ann.client.post('/repos/ann/r/branches', { new_branch_name: 'next', old_branch_name: 'main' })
    await messages.take()
    expect((await ann.client.patch(pull, { base: 'next' })).status).toBe(201)
    const { payload } = await taken()
    expect(payload).toMatchObject({ action: 'edited', pull_request: { base: { ref: 'next' } } })
    expect(payload.changes).toEqual({ ref: { from: 'main' }, added_labels: [], removed_labels: [] })
  })

  it('of comments have the issue and the pull request', async () => {
    await wes.client.post('/repos/ann/r/issues/1/comments', { body: 'looks fine' })
    const { payload, ...names } = await taken()
    expect(names).toEqual({ event: 'issue_comment', eventType: 'pull_request_comment', action: 'created' })
    expect(Object.keys(payload)).toEqual([
      'action',
      'issue',
      'pull_request',
      'comment',
      'repository',
      'sender',
      'is_pull',
    ])
    expect(payload).toMatchObject({
      is_pull: true,
      issue: { number: 1, pull_request: { merged: false } },
      pull_request: { number: 1, head: { ref: 'feature' } },
      comment: { body: 'looks fine', issue_url: '', pull_request_url: `${server.url}/ann/r/pulls/1` },
    })
  })

  it('of new commits follow the push, and have all permissions', async () => {
    await addFile('b', { branch: 'feature' })
    const found = await messages.take()
    expect(namesOf(found)).toEqual(['push (push) -', 'pull_request_sync (pull_request) synchronized'])
    const [push, sync] = found
    expect(sync!.payload).toMatchObject({
      number: 1,
      pull_request: { head: { sha: push!.payload.after } },
      repository: { permissions: { admin: true, push: true, pull: true } },
      sender: { login: 'ann' },
    })
  })

  it('of reviews contain the reviewer and the text of the review', async () => {
    const asked = { reviewers: ['wes'] }
    await ann.client.post(`${pull}/requested_reviewers`, asked)
    expect(await taken()).toMatchObject({
      event: 'pull_request',
      eventType: 'pull_request_review_request',
      payload: { action: 'review_requested', number: 1, requested_reviewer: { login: 'wes' }, review: null },
    })
    await wes.client.post(`${pull}/reviews`, { event: 'REQUEST_CHANGES', body: 'not yet' })
    expect(await taken()).toMatchObject({
      event: 'pull_request_rejected',
      eventType: 'pull_request_review_rejected',
      payload: {
        action: 'reviewed',
        requested_reviewer: { login: 'wes' },
        review: { type: 'pull_request_review_rejected', content: 'not yet' },
      },
    })
  })

  it('of requests at the creation come before the pull request itself, the rest after it', async () => {
    await ann.client.post('/repos/ann/r/branches', { new_branch_name: 'other', old_branch_name: 'feature' })
    await messages.take()
    const label = (await ann.client.get('/repos/ann/r/labels')).json[0]
    const milestone = (await ann.client.get('/repos/ann/r/milestones')).json[0]
    const plan = { labels: [label.id], milestone: milestone.id, assignees: ['ann'] }
    const input = { title: 'Another', head: 'other', base: 'main', reviewers: ['wes'], ...plan }
    expect((await ann.client.post('/repos/ann/r/pulls', input)).status).toBe(201)
    expect(namesOf(await messages.take())).toEqual([
      'pull_request_review_request (pull_request) review_requested',
      'pull_request (pull_request) opened',
      'pull_request_label (pull_request) label_updated',
      'pull_request_milestone (pull_request) milestoned',
      'pull_request_assign (pull_request) assigned',
    ])
  })

  it('of requests of teams are sent for each member, and not when they are withdrawn', async () => {
    const acme = await server.world.org('acme', { owner: ann })
    const repo = await server.world.repo({ owner: acme.org, by: ann, name: 'lib', autoInit: true })
    const zoe = await server.world.user('zoe')
    const units = ['repo.code', 'repo.pulls'] as const
    await acme.team('core', { permission: 'write', units: [...units], members: [zoe, wes], repos: [repo] })
    await acme.team('nobody', { permission: 'write', units: [...units], members: [], repos: [repo] })
    await ann.client.post('/repos/acme/lib/branches', { new_branch_name: 'feature', old_branch_name: 'main' })
    await ann.client.post('/repos/acme/lib/pulls', { title: 'A change', head: 'feature', base: 'main' })
    await messages.take()
    const path = '/repos/acme/lib/pulls/1/requested_reviewers'
    expect((await ann.client.post(path, { team_reviewers: ['core', 'nobody'] })).status).toBe(201)
    const found = await messages.take()
    expect(namesOf(found)).toEqual(Array(2).fill('pull_request_review_request (pull_request) review_requested'))
    expect(found.map(({ payload }) => payload.requested_reviewer.login)).toEqual(['wes', 'zoe'])
    expect((await ann.client.delete(path, { team_reviewers: ['core'] })).status).toBe(204)
    expect(await messages.take()).toEqual([])
  })

  it('of replies to comments of reviews are those of comments; further comments are not sent', async () => {
    const comment = { path: 'README.md', new_position: 1, body: 'why?' }
    const review = (await wes.client.post(`${pull}/reviews`, { event: 'COMMENT', comments: [comment] })).json
    expect(await taken()).toMatchObject({ eventType: 'pull_request_review_comment' })
    const comments = `${pull}/reviews/${review.id}/comments`
    const [first] = (await wes.client.get(comments)).json
    expect((await wes.client.post(comments, { ...comment, body: 'more' })).status).toBe(200)
    expect((await ann.client.post(`${pull}/comments/${first.id}/replies`, { body: 'because' })).status).toBe(201)
    expect(await taken()).toMatchObject({
      event: 'issue_comment',
      eventType: 'pull_request_comment',
      action: 'created',
      payload: { comment: { body: 'because' }, is_pull: true, sender: { login: 'ann' } },
    })
  })

  it('of a merge come before its push and the deletion of the branch', async () => {
    await server.drain()
    await messages.take()
    const merged = await ann.client.post(`${pull}/merge`, { Do: 'merge', delete_branch_after_merge: true })
    expect(merged.status).toBe(200)
    const found = await messages.take()
    expect(namesOf(found)).toEqual(['pull_request (pull_request) closed', 'push (push) -', 'delete (delete) -'])
    expect(found[0]!.payload.pull_request).toMatchObject({
      merged: true,
      merged_by: { login: 'ann' },
      merge_commit_sha: found[1]!.payload.after,
    })
  })

  it('are not sent for a base changed by the server after a merge', async () => {
    await addFile('low', { new_branch: 'low' })
    await addFile('high', { branch: 'low', new_branch: 'high' })
    const low = (await ann.client.post('/repos/ann/r/pulls', { title: 'Low', head: 'low', base: 'main' })).json
    const high = (await ann.client.post('/repos/ann/r/pulls', { title: 'High', head: 'high', base: 'low' })).json
    await messages.take()
    const input = { Do: 'merge', delete_branch_after_merge: true }
    expect((await ann.client.post(`/repos/ann/r/pulls/${low.number}/merge`, input)).status).toBe(200)
    expect(namesOf(await messages.take())).toEqual([
      'pull_request (pull_request) closed',
      'push (push) -',
      'delete (delete) -',
    ])
    expect((await anonymous(`/repos/ann/r/pulls/${high.number}`)).base.ref).toBe('main')
  })

  it('of a deletion contain the deleted objects', async () => {
    await addFile('c', { new_branch: 'doomed' })
    const label = (await ann.client.get('/repos/ann/r/labels')).json[0]
    const input = { title: 'No longer wanted', head: 'doomed', base: 'main', labels: [label.id], assignees: ['wes'] }
    await messages.take()
    const { number } = (await ann.client.post('/repos/ann/r/pulls', input)).json
    expect((await ann.client.delete(`/repos/ann/r/issues/${number}`)).status).toBe(204)
    const found = await messages.take()
    expect(namesOf(found)).toEqual([
      'pull_request (pull_request) opened',
      'pull_request_label (pull_request) label_updated',
      'pull_request_assign (pull_request) assigned',
      'pull_request (pull_request) deleted',
    ])
    expect(found[0]!.payload.pull_request).toMatchObject({ number, title: 'No longer wanted', state: 'open' })
    const { payload } = found.at(-1)!
    expect(payload).toMatchObject({
      number,
      sender: { login: 'ann' },
      pull_request: {
        number,
        title: 'No longer wanted',
        state: 'open',
        base: { ref: 'main', repo: { full_name: 'ann/r' } },
        head: { ref: 'doomed', repo: { full_name: 'ann/r' } },
        labels: [{ name: 'bug' }],
        assignee: { login: 'wes' },
        user: { login: 'ann' },
      },
    })
  })
})
