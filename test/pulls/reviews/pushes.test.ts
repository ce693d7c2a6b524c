import { beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Any } from '../../harness/client.ts'
import { commitFile, createPull, pullWorld } from '../pull-world.ts'

describeOnBoth('pushes to a reviewed pull request', (kind) => {
  const world = pullWorld({ on: kind })
  let reviews: string
  let timeline: string
  let approved: Any
  let noted: Any

  async function edit(path: string, text: string): Promise<void> {
    const url = `/repos/ann/app/contents/${path}`
    const { sha } = (await world.ann.client.get(`${url}?ref=feat`)).json
    const content = Buffer.from(text).toString('base64')
    expect((await world.ann.client.put(url, { branch: 'feat', content, message: 'Edit', sha })).status).toBe(200)
    await world.server.drain()
  }
  const one = async (review: Any): Promise<Any> => (await world.ann.client.get(`${reviews}/${review.id}`)).json
  const commentsOf = async (review: Any): Promise<Any[]> =>
    (await world.ann.client.get(`${reviews}/${review.id}/comments`)).json
  const dismissals = async (): Promise<Any[]> =>
    (await world.ann.client.get(timeline)).json.filter((entry: Any) => entry.type === 'dismiss_review')

  beforeAll(async () => {
    const { ann, bob, wes } = world
    const rule = { rule_name: 'main', dismiss_stale_approvals: true }
    expect((await ann.client.post('/repos/ann/app/branch_protections', rule)).status).toBe(201)
    await commitFile(ann, { branch: 'feat', from: 'main', path: 'n.txt', text: 'a\nb\nc\nd\n' })
    const { number } = await createPull(ann, { head: 'feat' })
    reviews = `/repos/ann/app/pulls/${number}/reviews`
    timeline = `/repos/ann/app/issues/${number}/timeline`
    approved = (await wes.client.post(reviews, { event: 'APPROVED' })).json
    const comments = ['b', 'd'].map((body, index) => ({ path: 'n.txt', body, new_position: 2 + 2 * index }))
    noted = (await bob.client.post(reviews, { event: 'COMMENT', comments })).json
    await world.server.drain()
  })

  it('do not affect reviews of the same changes', async () => {
    expect(await one(approved)).toMatchObject({ stale: false, dismissed: false, official: true })
    expect(await dismissals()).toEqual([])
  })

  it('make reviews of other changes stale, and dismiss approvals once when the protection requires it', async () => {
    await edit('n.txt', 'new\na\nb\nc\nD\n')
    expect(await one(approved)).toMatchObject({ stale: true, dismissed: true, official: true })
    expect(await one(noted)).toMatchObject({ stale: true, dismissed: false })
    await edit('n.txt', 'new\nnewer\na\nb\nc\nD\n')
    expect((await dismissals()).map((entry) => [entry.user.login, entry.body])).toEqual([
      ['ann', 'New commits pushed, approval review dismissed automatically according to repository settings'],
    ])
  })

  it('move comments with their lines, and do not move comments on changed lines', async () => {
    expect((await commentsOf(noted)).map(({ body, position }) => [body, position])).toEqual([
      ['b', 4],
      ['d', 4],
    ])
  })

  it('do not move outdated comments', async () => {
    await edit('n.txt', 'b\nc\nD\n')
    expect((await commentsOf(noted)).map(({ position }) => position)).toEqual([1, 4])
  })

  it('find new lines of a review of an earlier commit', async () => {
    const [earlier] = (await commentsOf(noted)).slice(1)
    const comments = [{ path: 'n.txt', body: 'c of the first commit', new_position: 3 }]
    const body = { event: 'COMMENT', commit_id: noted.commit_id, comments }
    const review = (await world.wes.client.post(reviews, body)).json
    expect(review).toMatchObject({ commit_id: noted.commit_id, stale: true })
    expect((await commentsOf(review))[0]).toMatchObject({ position: 2, commit_id: earlier!.commit_id })
  })

  it('invalidate an approval of other changes even before the job has marked it as stale', async () => {
    const { ann, wes } = world
    const rule = { required_approvals: 1 }
    expect((await ann.client.patch('/repos/ann/app/branch_protections/main', rule)).status).toBe(200)
    const { id } = (await wes.client.post(reviews, { event: 'APPROVED' })).json
    await edit('n.txt', 'b\nc\nDD\n')
    await world.server.app.database.transaction((tx) =>
      tx.updateTable('review').set({ is_stale: 0, is_dismissed: 0 }).where('id', '=', id).execute(),
    )
    const answer = await ann.client.post(reviews.replace('/reviews', '/merge'), { Do: 'merge' })
    expect([answer.status, answer.json.message]).toEqual([422, 'Does not have enough approvals'])
  })
})
