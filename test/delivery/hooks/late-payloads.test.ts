import { beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { createIssue, issueWorld } from '../../issues/issue-world.ts'
import { createMessages, type Messages, namesOf } from './messages.ts'

describeOnBoth('payloads that are built after the deletion', (kind) => {
  const world = issueWorld({ on: kind })
  let messages: Messages

  beforeAll(async () => {
    messages = createMessages(world.server)
    await messages.take()
  })

  it('show the last state of a comment', async () => {
    const { client } = world.ann
    const { number } = await createIssue(world.ann)
    const { id } = (await client.post(`/repos/ann/desk/issues/${number}/comments`, { body: 'first' })).json
    await client.patch(`/repos/ann/desk/issues/comments/${id}`, { body: 'last' })
    await client.delete(`/repos/ann/desk/issues/comments/${id}`)
    const found = await messages.take()
    expect(namesOf(found)).toEqual([
      'issues (issues) opened',
      'issue_comment (issue_comment) created',
      'issue_comment (issue_comment) edited',
      'issue_comment (issue_comment) deleted',
    ])
    expect(found.slice(1).map(({ payload }) => payload.comment)).toMatchObject(Array(3).fill({ id, body: 'last' }))
    expect(found[2]!.payload.changes).toMatchObject({ body: { from: 'first' } })
  })

  it('show the last state of an issue, and its comments as written', async () => {
    const { client } = world.ann
    const { number } = await createIssue(world.ann, { title: 'Before' })
    const path = `/repos/ann/desk/issues/${number}`
    await client.post(`${path}/comments`, { body: 'short-lived' })
    await client.patch(path, { title: 'After', state: 'closed' })
    await client.delete(path)
    const found = await messages.take()
    expect(namesOf(found)).toEqual([
      'issues (issues) opened',
      'issue_comment (issue_comment) created',
      'issues (issues) edited',
      'issues (issues) closed',
      'issues (issues) deleted',
    ])
    expect(found.map(({ payload }) => [payload.issue.title, payload.issue.state])).toEqual([
      ['After', 'open'],
      ['After', 'closed'],
      ['After', 'closed'],
      ['After', 'closed'],
      ['After', 'closed'],
    ])
    expect(found[1]!.payload.comment).toMatchObject({ body: 'short-lived', user: { login: 'ann' } })
  })

  it('show the comments and reviews of a pull request, and reviews that were deleted', async () => {
    const { ann, wes } = world
    const file = { content: 'eA==', message: 'one', new_branch: 'side' }
    await ann.client.post('/repos/ann/desk/contents/one', file)
    const opened = await ann.client.post('/repos/ann/desk/pulls', { title: 'P', head: 'side', base: 'main' })
    const { number } = opened.json
    await messages.take()
    const reviews = `/repos/ann/desk/pulls/${number}/reviews`
    const review = await wes.client.post(reviews, { event: 'APPROVED', body: 'fine' })
    await ann.client.delete(`${reviews}/${review.json.id}`)
    const kept = await wes.client.post(reviews, { event: 'REQUEST_CHANGES', body: 'not fine' })
    expect(kept.status).toBe(200)
    await wes.client.post(`/repos/ann/desk/issues/${number}/comments`, { body: 'said' })
    await ann.client.delete(`/repos/ann/desk/issues/${number}`)
    const found = await messages.take()
    expect(namesOf(found)).toEqual([
      'pull_request_review_approved (pull_request_approved) reviewed',
      'pull_request_review_rejected (pull_request_rejected) reviewed',
      'pull_request_comment (issue_comment) created',
      'pull_request (pull_request) deleted',
    ])
    expect(found.slice(0, 2).map(({ payload }) => [payload.review.content, payload.requested_reviewer.login])).toEqual([
      ['fine', 'wes'],
      ['not fine', 'wes'],
    ])
    expect(found[2]!.payload).toMatchObject({ comment: { body: 'said' }, pull_request: { title: 'P' } })
  })

  it('name the repositories that were deleted', async () => {
    const { ann, bob } = world
    await bob.client.post('/repos/ann/desk/forks', { name: 'short-lived' })
    await bob.client.post('/repos/bob/short-lived/contents/one', { content: 'eA==', message: 'one' })
    await bob.client.post('/repos/bob/short-lived/releases', { tag_name: 'v1' })
    await bob.client.delete('/repos/bob/short-lived')
    const found = await messages.take()
    expect(namesOf(found)).toEqual([
      'fork (fork) -',
      'repository (repository) created',
      'push (push) -',
      'push (push) -',
      'create (create) -',
      'release (release) published',
      'repository (repository) deleted',
    ])
    expect(new Set(found.map(({ payload }) => payload.repository.full_name))).toEqual(new Set(['bob/short-lived']))
    expect(found[0]!.payload.forkee.full_name).toBe('ann/desk')
    expect(found[2]!.payload).toMatchObject({ ref: 'refs/heads/main', commits: [], head_commit: null })
    expect((await ann.client.get('/repos/ann/desk')).status).toBe(200)
  })
})
