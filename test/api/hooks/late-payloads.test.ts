import { beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { createIssue, issueWorld } from '../issues/issue-world.ts'
import { createMessages, type Messages, namesOf } from './messages.ts'

describeOnBoth('payloads that are built after the deletion', (kind) => {
  const world = issueWorld({ on: kind })
  let messages: Messages

  beforeAll(async () => {
    messages = createMessages(world.server)
    await messages.take()
  })

  it('show a comment as it was last', async () => {
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

  it('show an issue as it was last, and leave out its comments', async () => {
    const { client } = world.ann
    const { number } = await createIssue(world.ann, { title: 'Before' })
    const path = `/repos/ann/desk/issues/${number}`
    await client.post(`${path}/comments`, { body: 'short-lived' })
    await client.patch(path, { title: 'After', state: 'closed' })
    await client.delete(path)
    const found = await messages.take()
    expect(namesOf(found)).toEqual([
      'issues (issues) opened',
      'issues (issues) edited',
      'issues (issues) closed',
      'issues (issues) deleted',
    ])
    expect(found.map(({ payload }) => [payload.issue.title, payload.issue.state])).toEqual([
      ['After', 'open'],
      ['After', 'closed'],
      ['After', 'closed'],
      ['After', 'closed'],
    ])
  })
})
