import { beforeAll, expect, it } from 'vitest'
import { findWrongCounters } from '../../harness/rows.ts'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { commitFile, createPull, pullWorld } from '../pull-world.ts'

describeOnBoth('the number of comments of a pull request', (kind) => {
  const world = pullWorld({ on: kind })
  let pull: string
  let issue: string

  beforeAll(async () => {
    await commitFile(world.ann, { branch: 'feat', from: 'main', path: 'n.txt', text: 'a\nb\n' })
    const { number } = await createPull(world.ann, { head: 'feat' })
    pull = `/repos/ann/app/pulls/${number}`
    issue = `/repos/ann/app/issues/${number}`
  })

  const counts = async (): Promise<number[]> => {
    const [shown, same] = [await world.server.anonymous.get(pull), await world.server.anonymous.get(issue)]
    expect(same.json.comments).toBe(shown.json.comments)
    return [shown.json.comments, shown.json.review_comments ?? 0]
  }
  const review = async (input: object): Promise<Any> => {
    const answer = await world.bob.client.post(`${pull}/reviews`, input)
    expect(answer.status).toBe(200)
    return answer.json
  }
  const write = async (): Promise<number> =>
    (await world.eve.client.post(`${issue}/comments`, { body: 'plain' })).json.id

  it('contains the reviews published before the latest comment', async () => {
    await review({ event: 'COMMENT', body: 'one' })
    expect(await counts()).toEqual([0, 1])
    const id = await write()
    expect(await counts()).toEqual([2, 1])
    await review({ event: 'APPROVED' })
    await review({ event: 'PENDING', body: 'not yet' })
    expect(await counts()).toEqual([2, 3])
    await write()
    expect(await counts()).toEqual([4, 3])
    expect((await world.eve.client.delete(`/repos/ann/app/issues/comments/${id}`)).status).toBe(204)
    expect(await counts()).toEqual([3, 3])
  })

  it('is updated when a review gets another comment', async () => {
    const comments = [{ path: 'n.txt', body: 'why?', new_position: 1 }]
    const { id } = await review({ event: 'COMMENT', body: 'sent', comments })
    expect(await counts()).toEqual([3, 4])
    const more = { path: 'n.txt', body: 'and here?', new_position: 2 }
    expect((await world.eve.client.post(`${pull}/reviews/${id}/comments`, more)).status).toBe(200)
    expect(await counts()).toEqual([5, 4])
  })

  it('equals the counters of the server, also when a counted review is deleted', async () => {
    const [last] = (await world.bob.client.get(`${pull}/reviews`)).json.toReversed()
    expect((await world.bob.client.delete(`${pull}/reviews/${last.id}`)).status).toBe(204)
    expect(await counts()).toEqual([5, 2])
    expect(await findWrongCounters(world.server.app.database.read)).toEqual([])
    await write()
    expect(await counts()).toEqual([4, 2])
  })
})
