import { beforeAll, expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { markAll, threadsOf } from '../../delivery/notifications/notification-world.ts'
import { commitFile, createPull, pullWorld } from '../pull-world.ts'

const REPO = '/repos/ann/app'

describeOnBoth('texts of reviews', (kind) => {
  const world = pullWorld({ on: kind })
  let number: number
  let pull: string

  beforeAll(async () => {
    await commitFile(world.ann, { branch: 'feat', from: 'main', path: 'n.txt', text: 'a\nb\nc\n' })
    number = (await createPull(world.ann, { head: 'feat', title: 'Feature' })).number
    pull = `${REPO}/pulls/${number}`
  })

  const review = async (body: object): Promise<Any> => {
    const answer = await world.wes.client.post(`${pull}/reviews`, body)
    expect(answer.status, JSON.stringify(answer.json)).toBe(200)
    return answer.json
  }
  const on = (body: string) => ({ path: 'n.txt', new_position: 1, body })
  const commentsOf = async ({ id }: Any): Promise<Any[]> =>
    (await world.wes.client.get(`${pull}/reviews/${id}/comments`)).json
  const newIssue = async (): Promise<number> =>
    (await world.ann.client.post(`${REPO}/issues`, { title: 'Target' })).json.number
  /** The numbers that the repository's search and that of the site find. */
  async function found(q: string): Promise<readonly number[]> {
    const { json } = await world.eve.client.get(`${REPO}/issues?type=pulls&state=all&q=${q}`)
    const site = await world.eve.client.get(`/repos/issues/search?q=${q}`)
    expect(site.json.map((issue: Any) => issue.number)).toEqual(json.map((issue: Any) => issue.number))
    return json.map((issue: Any) => issue.number)
  }
  const references = async (target: number): Promise<unknown[]> =>
    (await world.eve.client.get(`${REPO}/issues/${target}/timeline`)).json
      .filter(({ type }: Any) => type === 'comment_ref')
      .map((entry: Any) => [entry.user.login, entry.ref_action, entry.ref_comment?.body])

  it('are found after the review is submitted, with their present text, until they are deleted', async () => {
    const pending = await review({ event: 'PENDING', body: 'Alpaca first', comments: [on('a Bison here')] })
    expect(await found('alpaca')).toEqual([])
    expect(await found('bison')).toEqual([])
    await world.wes.client.post(`${pull}/reviews/${pending.id}`, { event: 'COMMENT', body: 'Caribou last' })
    expect(await found('ALPACA')).toEqual([number])
    expect(await found('bison')).toEqual([number])
    expect(await found('caribou')).toEqual([number])
    expect(await found('bison%20caribou')).toEqual([])
    const [comment] = await commentsOf(pending)
    await world.wes.client.patch(`${REPO}/issues/comments/${comment!.id}`, { body: 'a Dingo here' })
    expect([await found('bison'), await found('dingo')]).toEqual([[], [number]])
    const reply = await world.ann.client.post(`${pull}/comments/${comment!.id}/replies`, { body: 'an Emu' })
    expect(await found('emu')).toEqual([number])
    await world.ann.client.delete(`${REPO}/issues/comments/${reply.json.id}`)
    expect(await found('emu')).toEqual([])
    await world.eve.client.post(`${pull}/reviews/${pending.id}/comments`, on('a Fossa'))
    const added = (await commentsOf(pending)).at(-1)!
    expect(await found('fossa')).toEqual([number])
    await world.eve.client.delete(`${pull}/reviews/${pending.id}/comments/${added.id}`)
    expect(await found('fossa')).toEqual([])
    expect((await world.wes.client.delete(`${pull}/reviews/${pending.id}`)).status).toBe(204)
    expect([await found('alpaca'), await found('caribou'), await found('dingo')]).toEqual([[], [], []])
  })

  it('are edited and deleted like comments; the review shows its text', async () => {
    const target = await newIssue()
    const posted = await review({ event: 'COMMENT', body: 'a Jackal' })
    const one = `${REPO}/issues/comments/${posted.html_url.split('-').at(-1)}`
    const shown = async (): Promise<unknown> => (await world.eve.client.get(`${pull}/reviews/${posted.id}`)).json.body
    expect((await world.eve.client.patch(one, { body: 'x' })).status).toBe(403)
    expect((await world.eve.client.delete(one)).status).toBe(403)
    const edited = await world.wes.client.patch(one, { body: `a Kudu, #${target}` })
    expect([edited.status, edited.json.body, edited.json.user.login]).toEqual([200, `a Kudu, #${target}`, 'wes'])
    expect([await shown(), await found('jackal'), await found('kudu')]).toEqual([edited.json.body, [], [number]])
    expect(await references(target)).toEqual([['wes', 'none', edited.json.body]])
    const [former] = (await world.wes.client.get(`${one}/history`)).json
    expect(former.body).toBe('a Jackal')
    expect((await world.ann.client.delete(one)).status).toBe(204)
    expect([await shown(), await found('kudu')]).toEqual(['', []])
    expect(await references(target)).toEqual([['wes', 'neutered', undefined]])
    expect((await world.ann.client.get(one)).status).toBe(404)
    await world.wes.client.delete(`${pull}/reviews/${posted.id}`)
  })

  it('of dismissals can be edited and deleted, too', async () => {
    const posted = await review({ event: 'APPROVED', body: 'yes' })
    await world.ann.client.post(`${pull}/reviews/${posted.id}/dismissals`, { message: 'too early' })
    const dismissals = async (): Promise<Any[]> =>
      (await world.eve.client.get(`${REPO}/issues/${number}/timeline`)).json.filter(
        ({ type }: Any) => type === 'dismiss_review',
      )
    const one = `${REPO}/issues/comments/${(await dismissals())[0]!.id}`
    expect((await world.eve.client.patch(one, { body: 'x' })).status).toBe(403)
    const edited = await world.ann.client.patch(one, { body: 'too late' })
    expect([edited.status, edited.json.body]).toEqual([200, 'too late'])
    expect((await dismissals()).map(({ body }) => body)).toEqual(['too late'])
    expect((await world.ann.client.delete(one)).status).toBe(204)
    expect(await dismissals()).toEqual([])
    expect((await world.eve.client.get(`${pull}/reviews/${posted.id}`)).json.dismissed).toBe(true)
    await world.wes.client.delete(`${pull}/reviews/${posted.id}`)
  })

  it('refer to issues after they are submitted, each once, until they are edited or deleted', async () => {
    const [first, second] = [await newIssue(), await newIssue()]
    const texts = { body: `see #${first}`, comments: [on(`closes #${first}`), on(`#${second}`)] }
    const posted = await review({ event: 'PENDING', ...texts })
    expect(await references(first)).toEqual([])
    await world.wes.client.post(`${pull}/reviews/${posted.id}`, { event: 'COMMENT', body: '' })
    expect(await references(first)).toEqual([
      ['wes', 'none', `see #${first}`],
      ['wes', 'closes', `closes #${first}`],
    ])
    expect(await references(second)).toEqual([['wes', 'none', `#${second}`]])
    const [closing, other] = await commentsOf(posted)
    await world.wes.client.patch(`${REPO}/issues/comments/${closing!.id}`, { body: `#${second} instead` })
    expect(await references(first)).toEqual([
      ['wes', 'none', `see #${first}`],
      ['wes', 'neutered', `#${second} instead`],
    ])
    await world.wes.client.delete(`${pull}/reviews/${posted.id}/comments/${other!.id}`)
    expect(await references(second)).toEqual([
      ['wes', 'neutered', undefined],
      ['wes', 'none', `#${second} instead`],
    ])
    await world.wes.client.delete(`${pull}/reviews/${posted.id}`)
    const left = [...(await references(first)), ...(await references(second))]
    expect(left).toEqual(Array.from({ length: 4 }, () => ['wes', 'neutered', undefined]))
  })

  it('notify mentioned users once, not when they are edited; replies notify subscribers', async () => {
    for (const person of [world.ann, world.bob, world.eve, world.wes]) await markAll(person)
    const pending = await review({ event: 'PENDING', body: 'for @eve', comments: [on('@eve and @bob'), on('@eve')] })
    expect(await threadsOf(world.eve, '')).toEqual([])
    const events = async (): Promise<unknown[]> => {
      const rows = await world.server.app.database.read
        .selectFrom('event')
        .select('payload')
        .where('kind', '=', 'issue.mentioned')
        .execute()
      return rows.map(({ payload }) => (JSON.parse(payload) as Any).user_ids)
    }
    const before = (await events()).length
    await world.wes.client.post(`${pull}/reviews/${pending.id}`, { event: 'COMMENT', body: '' })
    const ids = {
      eve: (await world.eve.client.get('/user')).json.id,
      bob: (await world.bob.client.get('/user')).json.id,
    }
    expect((await events()).slice(before)).toEqual([[ids.eve], [ids.bob]])
    expect(await threadsOf(world.eve, '')).toEqual(['Feature unread'])
    expect(await threadsOf(world.bob, '')).toEqual(['Feature unread'])
    const mentioned = await world.eve.client.get('/repos/issues/search?mentioned=true')
    expect(mentioned.json.map((issue: Any) => issue.number)).toEqual([number])
    for (const person of [world.ann, world.bob, world.eve, world.wes]) await markAll(person)
    const [comment] = await commentsOf(pending)
    await world.wes.client.patch(`${REPO}/issues/comments/${comment!.id}`, { body: 'still @eve' })
    expect(await threadsOf(world.eve, '')).toEqual([])
    await world.ann.client.post(`${pull}/comments/${comment!.id}/replies`, { body: 'and @bob' })
    expect(await threadsOf(world.wes, '')).toEqual(['Feature unread'])
    expect(await threadsOf(world.bob, '')).toEqual(['Feature unread'])
    expect(await threadsOf(world.eve, '')).toEqual([])
  })
})
