import { beforeAll, describe, expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { commitFile, createPull, pullWorld } from '../pull-world.ts'

const numbered = (...lines: readonly (number | string)[]): string => lines.map((line) => `${line}\n`).join('')

describe('comments of reviews on several lines', () => {
  const world = pullWorld()
  let reviews: string
  let review: Any

  const change = async (text: string): Promise<void> => {
    const url = '/repos/ann/app/contents/n.txt'
    const { sha } = (await world.ann.client.get(`${url}?ref=feat`)).json
    const content = Buffer.from(text).toString('base64')
    expect((await world.ann.client.put(url, { branch: 'feat', content, message: 'Edit', sha })).status).toBe(200)
    await world.server.drain()
  }
  /** The lines of each comment by its text: of the new file, then of the old one. */
  const lines = async (): Promise<unknown[]> =>
    (await world.server.anonymous.get(`${reviews}/${review.id}/comments`)).json.map((comment: Any) => [
      comment.body,
      [comment.start_position, comment.position],
      [comment.original_start_position, comment.original_position],
    ])

  beforeAll(async () => {
    await commitFile(world.ann, { branch: 'main', path: 'n.txt', text: numbered(1, 2, 3, 4, 5, 6, 7, 8, 9) })
    await commitFile(world.ann, { branch: 'feat', from: 'main' })
    await change(numbered(1, 2, 'three', 'four', 7, 8, 9))
    reviews = `/repos/ann/app/pulls/${(await createPull(world.ann, { head: 'feat' })).number}/reviews`
    const at = (body: string, position: object) => ({ path: 'n.txt', body, ...position })
    const comments = [
      at('changed', { new_start_position: 3, new_position: 4 }),
      at('deleted', { old_start_position: 5, old_position: 6, new_position: 1 }),
      at('last', { new_start_position: 6, new_position: 7 }),
      at('one', { new_start_position: 2, new_position: 2 }),
    ]
    review = (await world.bob.client.post(reviews, { event: 'COMMENT', comments })).json
  })

  it('have their first and last line on one side, and only the last for a single line', async () => {
    expect(await lines()).toEqual([
      ['changed', [3, 4], [undefined, 0]],
      ['deleted', [undefined, 0], [5, 6]],
      ['last', [6, 7], [undefined, 0]],
      ['one', [undefined, 2], [undefined, 0]],
    ])
  })

  it('are also set and returned by the number of lines before the last', async () => {
    const url = `${reviews}/${review.id}/comments`
    const before = (await world.server.anonymous.get(url)).json
    expect(before.map((comment: Any) => comment.extra_lines_count)).toEqual([1, 1, 1, 0])
    const body = { path: 'n.txt', body: 'counted', new_position: 4 }
    const added = await world.bob.client.post(url, { ...body, extra_lines_count: 1 })
    expect(added.json).toMatchObject({ start_position: 3, position: 4, extra_lines_count: 1 })
    await world.bob.client.delete(`${url}/${added.json.id}`)
    expect(await world.bob.client.post(url, { ...body, extra_lines_count: 4 })).toMatchObject({
      status: 422,
      json: { message: '[ExtraLinesCount]: there are only 3 lines before line 4' },
    })
  })

  it('are refused when they end before they begin', async () => {
    const add = async (position: object): Promise<unknown> => {
      const body = { path: 'n.txt', body: 'x', ...position }
      const { status, json } = await world.bob.client.post(`${reviews}/${review.id}/comments`, body)
      return [status, json.message]
    }
    expect(await add({ new_start_position: 4, new_position: 3 })).toEqual([
      422,
      '[NewStartPosition]: the lines end at 3, before they begin',
    ])
    expect(await add({ old_start_position: 4, old_position: 3 })).toEqual([
      422,
      '[OldStartPosition]: the lines end at 3, before they begin',
    ])
    expect(await add({ new_start_position: 4 })).toEqual([422, '[NewPosition]: Required'])
    const range = 'Range (0 to 2147483647)'
    expect(await add({ new_start_position: -1, new_position: 3 })).toEqual([422, `[NewStartPosition]: ${range}`])
    expect(await add({ new_position: -3 })).toEqual([422, `[NewPosition]: ${range}`])
    expect(await add({ old_position: 2 ** 31 })).toEqual([422, `[OldPosition]: ${range}`])
  })

  it('get replies on the same lines', async () => {
    const [{ id }] = (await world.server.anonymous.get(`${reviews}/${review.id}/comments`)).json
    const path = `${reviews.replace('/reviews', '')}/comments/${id}/replies`
    const { json } = await world.ann.client.post(path, { body: 'because' })
    expect([json.start_position, json.position]).toEqual([3, 4])
    expect((await world.ann.client.delete(`/repos/ann/app/issues/comments/${json.id}`)).status).toBe(204)
  })

  it('move together with a push, and stay when a line was inserted between them', async () => {
    await change(numbered(0, 1, 2, 'three', 'and', 'four', 7, 8, 9))
    expect(await lines()).toEqual([
      ['changed', [3, 4], [undefined, 0]],
      ['deleted', [undefined, 0], [5, 6]],
      ['last', [8, 9], [undefined, 0]],
      ['one', [undefined, 3], [undefined, 0]],
    ])
  })
})
