import { beforeAll, describe, expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { commitFile, createPull, pullWorld } from '../pull-world.ts'

describe('comments of reviews', () => {
  const world = pullWorld()
  let number: number
  let head: string
  let review: Any
  let path: string

  beforeAll(async () => {
    head = await commitFile(world.ann, { branch: 'feat', from: 'main', path: 'n.txt', text: 'a\nb\nc\n' })
    number = (await createPull(world.ann, { head: 'feat' })).number
    const comments = [{ path: 'n.txt', body: 'on b', new_position: 2 }]
    const answer = await world.bob.client.post(`/repos/ann/app/pulls/${number}/reviews`, { event: 'COMMENT', comments })
    review = answer.json
    path = `/repos/ann/app/pulls/${number}/reviews/${review.id}/comments`
  })

  it('contain the hunk up to their line, and the commit that changed it', async () => {
    const [comment, ...others] = (await world.server.anonymous.get(path)).json
    expect(others).toEqual([])
    expect(comment).toMatchObject({
      body: 'on b',
      user: { login: 'bob' },
      resolver: null,
      pull_request_review_id: review.id,
      path: 'n.txt',
      commit_id: head,
      original_commit_id: '',
      diff_hunk: '@@ -0,0 +1,3 @@\n+a\n+b',
      position: 2,
      original_position: 0,
    })
    expect((await world.server.anonymous.get(`${path}/${comment.id}`)).json).toEqual(comment)
    expect((await world.server.anonymous.get(`${path}/999999`)).status).toBe(404)
    // It is not a plain comment.
    expect((await world.server.anonymous.get(`/repos/ann/app/issues/comments/${comment.id}`)).status).toBe(204)
  })

  it('are added to a review of another account; a file that does not exist has no hunk', async () => {
    const added = await world.eve.client.post(path, {
      path: 'none.txt',
      body: 'where?',
      old_position: 3,
      new_position: 1,
    })
    expect(added.status).toBe(200)
    expect(added.json).toMatchObject({ diff_hunk: '', commit_id: head, position: 0, original_position: 3 })
    expect((await world.eve.client.post(path, { path: 'n.txt', new_position: 3 })).status).toBe(422)
    expect((await world.server.anonymous.post(path, { path: 'n.txt', body: 'x', new_position: 3 })).status).toBe(401)
    const one = `/repos/ann/app/pulls/${number}/reviews/${review.id}`
    expect((await world.server.anonymous.get(one)).json.comments_count).toBe(2)
  })

  it('are refused on a locked pull request except for writers, like reviews', async () => {
    const { ann, bob, wes, eve, server } = world
    const reviews = `/repos/ann/app/pulls/${number}/reviews`
    const pending = (await eve.client.post(reviews, { body: 'not sent yet' })).json
    expect((await ann.client.put(`/repos/ann/app/issues/${number}/lock`, {})).status).toBe(204)
    const before = (await server.anonymous.get(path)).json
    const post = async (person: typeof ann) => [
      await person.client.post(reviews, { event: 'COMMENT', body: 'x' }),
      await person.client.post(reviews, { body: 'pending' }),
      await person.client.post(path, { path: 'n.txt', body: 'x', new_position: 1 }),
      await person.client.post(`/repos/ann/app/pulls/${number}/comments/${before[0].id}/replies`, { body: 'x' }),
    ]
    const refused = [
      ...(await post(bob)),
      await eve.client.post(`${reviews}/${pending.id}`, { event: 'APPROVED', body: 'x' }),
    ]
    for (const { status, json } of refused)
      expect([status, json.message]).toEqual([403, 'You cannot comment on a locked issue.'])
    expect((await server.anonymous.get(path)).json).toEqual(before)
    expect((await post(wes)).map(({ status }) => status)).toEqual([200, 200, 200, 201])
    expect((await ann.client.delete(`/repos/ann/app/issues/${number}/lock`)).status).toBe(204)
    for (const { id } of (await wes.client.get(path)).json.filter((one: Any) => one.user.login === 'wes'))
      expect((await wes.client.delete(`${path}/${id}`)).status).toBe(204)
    expect((await eve.client.delete(`${reviews}/${pending.id}`)).status).toBe(204)
  })

  it('can be deleted by their author and by writers', async () => {
    const [, added] = (await world.server.anonymous.get(path)).json
    expect((await world.bob.client.delete(`${path}/${added.id}`)).status).toBe(403)
    expect((await world.wes.client.delete(`${path}/${added.id}`)).status).toBe(204)
    expect((await world.wes.client.delete(`${path}/${added.id}`)).status).toBe(404)
  })

  it('get replies on the same line', async () => {
    const [comment] = (await world.server.anonymous.get(path)).json
    const replies = (id: number) => `/repos/ann/app/pulls/${number}/comments/${id}/replies`
    const answer = await world.ann.client.post(replies(comment.id), { body: 'because' })
    expect(answer.status).toBe(201)
    const { position, path: file, diff_hunk, pull_request_review_id } = comment
    expect(answer.json).toMatchObject({ body: 'because', position, path: file, diff_hunk, pull_request_review_id })
    expect((await world.ann.client.post(replies(comment.id), { body: ' ' })).status).toBe(422)
    expect((await world.ann.client.post(replies(999_999), { body: 'x' })).status).toBe(404)
    const plain = await world.ann.client.post(`/repos/ann/app/issues/${number}/comments`, { body: 'plain' })
    expect((await world.ann.client.post(replies(plain.json.id), { body: 'x' })).status).toBe(400)
  })

  it('can be resolved by the author of the pull request and by official reviewers', async () => {
    const [comment] = (await world.server.anonymous.get(path)).json
    const resolve = `/repos/ann/app/pulls/comments/${comment.id}/resolve`
    const refused = await world.bob.client.post(resolve)
    expect([refused.status, refused.json.message]).toEqual([403, 'user should have permission to resolve comment'])
    expect((await world.ann.client.post(resolve)).status).toBe(204)
    expect((await world.wes.client.post(resolve)).status).toBe(204)
    expect((await world.server.anonymous.get(`${path}/${comment.id}`)).json.resolver.login).toBe('wes')
    expect((await world.ann.client.post(`/repos/ann/app/pulls/comments/${comment.id}/unresolve`)).status).toBe(204)
    expect((await world.server.anonymous.get(`${path}/${comment.id}`)).json.resolver).toBeNull()
    const plain = await world.ann.client.post(`/repos/ann/app/issues/${number}/comments`, { body: 'plain' })
    const wrong = await world.ann.client.post(`/repos/ann/app/pulls/comments/${plain.json.id}/resolve`)
    expect([wrong.status, wrong.json.message]).toEqual([400, 'comment is not a review comment'])
  })

  it('can be edited, reacted to and deleted like other comments, but are not counted with them', async () => {
    const [comment] = (await world.server.anonymous.get(path)).json
    const one = `/repos/ann/app/issues/comments/${comment.id}`
    const issue = async (): Promise<Any> => (await world.ann.client.get(`/repos/ann/app/issues/${number}`)).json
    const before = (await issue()).comments
    expect((await world.eve.client.patch(one, { body: 'mine' })).status).toBe(403)
    expect((await world.bob.client.patch(one, { body: 'edited' })).status).toBe(200)
    expect((await world.server.anonymous.get(`${path}/${comment.id}`)).json.body).toBe('edited')
    expect((await world.eve.client.post(`${one}/reactions`, { content: 'heart' })).status).toBe(201)
    const listed = (await world.server.anonymous.get(`/repos/ann/app/issues/${number}/comments`)).json
    expect(listed.map((other: Any) => other.body)).toEqual(['plain', 'plain'])
    expect((await world.bob.client.delete(one)).status).toBe(204)
    expect((await world.server.anonymous.get(`${path}/${comment.id}`)).status).toBe(404)
    expect((await issue()).comments).toBe(before)
  })
})
