import { beforeAll, describe, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Any } from '../../harness/client.ts'
import type { Person } from '../../harness/world.ts'
import { commitFile, createPull, pullWorld } from '../pull-world.ts'

describeOnBoth('reviews', (kind) => {
  const world = pullWorld({ on: kind })
  let number: number
  let reviews: string

  /** A pull request of ann from a branch of its own. */
  async function freshPull(branch: string): Promise<void> {
    await commitFile(world.ann, { branch, from: 'main', text: 'one\ntwo\nthree\n' })
    number = (await createPull(world.ann, { head: branch })).number
    reviews = `/repos/ann/app/pulls/${number}/reviews`
  }

  const post = (person: Person, body: object) => person.client.post(reviews, body)

  async function review(person: Person, body: object): Promise<Any> {
    const answer = await post(person, body)
    expect(answer.status, JSON.stringify(answer.json)).toBe(200)
    return answer.json
  }

  const timeline = async (): Promise<Any[]> =>
    (await world.server.anonymous.get(`/repos/ann/app/issues/${number}/timeline`)).json

  describe('posting', () => {
    beforeAll(() => freshPull('posting'))

    it('refuses invalid reviews with the messages that clients parse', async () => {
      const { ann, wes } = world
      for (const [person, body, message] of [
        [ann, { event: 'APPROVED', body: 'mine' }, 'approve your own pull is not allowed'],
        [ann, { event: 'REQUEST_CHANGES', body: 'mine' }, 'reject your own pull is not allowed'],
        [wes, { event: 'REQUEST_CHANGES', body: ' ' }, 'review event REQUEST_CHANGES requires a body'],
        [wes, { event: 'COMMENT', body: ' ' }, 'review event COMMENT requires a body or a comment'],
        [wes, { event: 'nonsense' }, 'review event PENDING requires a body'],
        [wes, { event: 'APPROVED', commit_id: 'f'.repeat(40) }, `commit does not exist: ${'f'.repeat(40)}`],
        [wes, { event: 'COMMENT', comments: [{ path: 'posting.txt', body: 'x' }] }, '[NewPosition]: Required'],
        [wes, { event: 'COMMENT', comments: [{ body: 'x', new_position: 1 }] }, '[Path]: Required'],
        [wes, { event: 'COMMENT', comments: [{ path: 'a', new_position: 1 }] }, '[Body]: Required'],
      ] as const) {
        const answer = await post(person, body)
        expect([answer.status, answer.json.message]).toEqual([422, message])
      }
      expect((await world.server.anonymous.post(reviews, { event: 'APPROVED' })).status).toBe(401)
      expect((await wes.client.post('/repos/ann/app/pulls/99/reviews', { event: 'APPROVED' })).status).toBe(404)
      expect((await world.server.anonymous.get(reviews)).json).toEqual([])
    })

    it('accepts reviews of any account, and makes only those of writers official', async () => {
      const approved = await review(world.wes, { event: 'APPROVED' })
      expect(approved).toMatchObject({
        user: { login: 'wes' },
        team: null,
        state: 'APPROVED',
        body: '',
        official: true,
        stale: false,
        dismissed: false,
        comments_count: 0,
      })
      expect(approved.html_url).toMatch(/\/ann\/app\/pulls\/\d+#issuecomment-\d+$/)
      const rejected = await review(world.eve, { event: 'REQUEST_CHANGES', body: ' no ' })
      expect(rejected).toMatchObject({ state: 'REQUEST_CHANGES', body: 'no', official: false })
    })

    it('replaces an earlier approval by a rejection', async () => {
      const [first] = (await world.server.anonymous.get(reviews)).json as Any[]
      await review(world.wes, { event: 'COMMENT', body: 'hm' })
      expect((await world.server.anonymous.get(`${reviews}/${first.id}`)).json).toMatchObject({ dismissed: false })
      await review(world.wes, { event: 'REQUEST_CHANGES', body: 'no' })
      const replaced = (await world.server.anonymous.get(`${reviews}/${first.id}`)).json
      expect(replaced).toMatchObject({ dismissed: true, official: false })
    })

    it('lists the oldest first, and adds each to the timeline', async () => {
      const answer = await world.server.anonymous.get(`${reviews}?limit=2`)
      expect(answer.json.map((one: Any) => one.state)).toEqual(['APPROVED', 'REQUEST_CHANGES'])
      expect(answer.headers.get('x-total-count')).toBe('4')
      expect(answer.headers.get('link')).toBeNull()
      const entries = (await timeline()).filter((entry) => entry.type === 'review')
      expect(entries.map((entry) => [entry.user.login, entry.body])).toEqual([
        ['wes', ''],
        ['eve', 'no'],
        ['wes', 'hm'],
        ['wes', 'no'],
      ])
      expect(entries[1].review_id).toBe(answer.json[1].id)
    })

    it('refuses reviews and comments of blocked accounts', async () => {
      const [first] = (await world.server.anonymous.get(reviews)).json as Any[]
      await world.ann.client.put('/user/blocks/bob')
      expect((await post(world.bob, { event: 'COMMENT', body: 'x' })).status).toBe(403)
      const comment = { path: 'posting.txt', body: 'x', new_position: 1 }
      expect((await world.bob.client.post(`${reviews}/${first.id}/comments`, comment)).status).toBe(403)
      await world.ann.client.delete('/user/blocks/bob')
    })

    it('accepts only comments after the pull request is closed', async () => {
      await world.ann.client.patch(`/repos/ann/app/pulls/${number}`, { state: 'closed' })
      const answer = await post(world.wes, { event: 'APPROVED' })
      expect([answer.status, answer.json.message]).toEqual([422, "can't submit review for a closed or merged PR"])
      await review(world.wes, { event: 'COMMENT', body: 'late' })
    })
  })

  describe('pending reviews', () => {
    beforeAll(() => freshPull('pending'))
    let pending: Any

    it('are continued by the next post, and hidden from others', async () => {
      const { eve, wes } = world
      const comments = [{ path: 'pending.txt', body: 'first', new_position: 1 }]
      pending = await review(eve, { body: 'to be continued', comments })
      expect(pending).toMatchObject({ state: 'PENDING', comments_count: 1 })
      const again = await review(eve, { event: 'PENDING', body: 'replaced', comments })
      expect(again).toMatchObject({ id: pending.id, body: 'replaced', comments_count: 2 })
      const list = await wes.client.get(reviews)
      expect([list.json, list.headers.get('x-total-count')]).toEqual([[], '1'])
      expect((await eve.client.get(reviews)).json).toHaveLength(1)
      for (const path of ['', '/comments']) {
        expect((await wes.client.get(`${reviews}/${pending.id}${path}`)).status).toBe(404)
        expect((await eve.client.get(`${reviews}/${pending.id}${path}`)).status).toBe(200)
      }
      expect((await timeline()).map((entry) => entry.type)).toEqual(['pull_push'])
    })

    it('hide their comments from the endpoints of comments', async () => {
      const [comment] = (await world.eve.client.get(`${reviews}/${pending.id}/comments`)).json
      const path = `/repos/ann/app/issues/comments/${comment.id}`
      expect((await world.ann.client.get(path)).status).toBe(404)
      expect((await world.ann.client.patch(path, { body: 'x' })).status).toBe(404)
      expect((await world.ann.client.delete(path)).status).toBe(404)
      expect((await world.ann.client.post(`/repos/ann/app/pulls/comments/${comment.id}/resolve`)).status).toBe(404)
      expect((await world.eve.client.get(path)).status).toBe(204)
      expect(comment.body).toBe('first')
      expect(comment.html_url).toMatch(/\/pulls\/\d+\/files#issuecomment-\d+$/)
      expect((await world.eve.client.patch(path, { body: 'edited' })).status).toBe(200)
    })

    it('show the files of their comments to their author only', async () => {
      const { ann, bob, wes, server } = world
      const comments = [{ path: 'pending.txt', body: 'with a file', new_position: 1 }]
      const own = await review(wes, { body: 'not yet', comments })
      const [comment] = (await wes.client.get(`${reviews}/${own.id}/comments`)).json
      const form = new FormData()
      form.append('attachment', new File(['draft'], 'draft.txt'))
      const authorization = `token ${await wes.token('all')}`
      const uploaded = await fetch(`${server.url}/api/v1/repos/ann/app/issues/comments/${comment.id}/assets`, {
        method: 'POST',
        body: form,
        headers: { authorization },
      })
      expect(uploaded.status).toBe(201)
      const file = (await uploaded.json()) as Any
      const byIssue = `/repos/ann/app/issues/${number}/assets/${file.id}`
      const download = async (headers: Record<string, string>) =>
        (await fetch(file.browser_download_url, { headers })).status
      for (const { client, token } of [ann, bob]) {
        expect((await client.get(byIssue)).status).toBe(404)
        expect(await download({ authorization: `token ${await token('all')}` })).toBe(404)
      }
      expect([await download({}), await download({ authorization })]).toEqual([404, 200])
      expect((await wes.client.get(byIssue)).status).toBe(200)
      expect((await wes.client.delete(`${reviews}/${own.id}`)).status).toBe(204)
    })

    it('are submitted by their author, once', async () => {
      const { eve, wes } = world
      const one = `${reviews}/${pending.id}`
      expect((await wes.client.post(one, { event: 'APPROVED' })).status).toBe(404)
      const stays = await eve.client.post(one, { event: 'PENDING', body: 'x' })
      expect([stays.status, stays.json.message]).toEqual([422, 'review stay pending'])
      const answers = await Promise.all([1, 2, 3].map(() => eve.client.post(one, { event: 'COMMENT' })))
      expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 422, 422])
      const refused = await eve.client.post(one, { event: 'APPROVED' })
      expect(refused.json.message).toBe('only a pending review can be submitted')
      expect((await wes.client.get(`${one}/comments`)).json.map((comment: Any) => comment.body)).toEqual([
        'edited',
        'first',
      ])
      expect((await timeline()).filter((entry) => entry.type === 'review')).toHaveLength(3)
      const pull = (await wes.client.get(`/repos/ann/app/pulls/${number}`)).json
      expect(pull.review_comments).toBe(3)
    })

    it('exist once for an account that posts several concurrently', async () => {
      const bodies = ['a', 'b', 'c', 'd'].map((body) => review(world.bob, { body }))
      expect(new Set((await Promise.all(bodies)).map((one) => one.id)).size).toBe(1)
    })
  })

  describe('deleting and dismissing', () => {
    beforeAll(() => freshPull('dismissing'))

    it('is for the reviewer; the earlier review is official again', async () => {
      const { ann, eve, wes } = world
      const first = await review(wes, { event: 'APPROVED' })
      const comments = [{ path: 'dismissing.txt', body: 'gone', new_position: 1 }]
      const second = await review(wes, { event: 'REQUEST_CHANGES', body: 'no', comments })
      const [comment] = (await ann.client.get(`${reviews}/${second.id}/comments`)).json
      expect((await eve.client.delete(`${reviews}/${second.id}`)).status).toBe(403)
      expect((await ann.client.delete(`${reviews}/${second.id}`)).status).toBe(403)
      expect((await wes.client.delete(`${reviews}/${second.id}`)).status).toBe(204)
      expect((await wes.client.delete(`${reviews}/${second.id}`)).status).toBe(404)
      expect((await ann.client.get(`/repos/ann/app/issues/comments/${comment.id}`)).status).toBe(404)
      expect((await ann.client.get(`${reviews}/${first.id}`)).json.official).toBe(true)
      expect((await timeline()).filter((entry) => entry.type === 'review')).toHaveLength(1)
    })

    it('dismisses decisions, for administrators of the repository', async () => {
      const { ann, wes } = world
      const approved = await review(wes, { event: 'APPROVED', body: 'fine' })
      const one = `${reviews}/${approved.id}`
      const refused = await wes.client.post(`${one}/dismissals`, { message: 'no' })
      expect([refused.status, refused.json.message]).toEqual([403, 'Must be repo admin'])
      const dismissed = await ann.client.post(`${one}/dismissals`, { message: 'too old' })
      expect(dismissed.json).toMatchObject({ state: 'APPROVED', dismissed: true, official: true })
      expect((await ann.client.post(`${one}/dismissals`, {})).status).toBe(200)
      const texts = (await timeline()).filter((entry) => entry.type === 'dismiss_review').map((entry) => entry.body)
      expect(texts).toEqual(['too old', ''])
      expect((await ann.client.post(`${one}/undismissals`)).json).toMatchObject({ dismissed: false })
      const comment = await review(wes, { event: 'COMMENT', body: 'x' })
      const wrong = await ann.client.post(`${reviews}/${comment.id}/dismissals`, { message: 'x' })
      expect([wrong.status, wrong.json.message]).toEqual([
        403,
        "not need to dismiss this review because it's type is not Approve or change request",
      ])
      await ann.client.patch(`/repos/ann/app/pulls/${number}`, { state: 'closed' })
      const closed = await ann.client.post(`${one}/dismissals`, { message: 'x' })
      expect([closed.status, closed.json.message]).toEqual([
        403,
        "can't dismiss a review associated to a closed or merged PR",
      ])
    })
  })
})
