import { describe, expect, it } from 'vitest'
import { ANONYMOUS } from '../../src/core/access/viewer.ts'
import { ok } from '../../src/core/http/answer/answer.ts'
import type { JsonBytes } from '../../src/core/http/answer/json-text.ts'
import { createKeptPages } from '../../src/core/kept-answers/kept-pages.ts'
import { queriesOf } from '../harness/queries.ts'
import { commitFile, pullWorld } from './pull-world.ts'

describe('lists of pull requests and single ones that were asked before', () => {
  const given = pullWorld()
  const LIST = '/repos/ann/app/pulls?limit=20'
  const ONE = '/repos/ann/app/pulls/1'

  it('are read again after every commit, and not without one', async () => {
    const { ann, bob, server } = given
    await commitFile(ann, { branch: 'one', from: 'main' })
    const created = await ann.client.post('/repos/ann/app/pulls', { title: 'One', head: 'one', base: 'main' })
    expect(created.status).toBe(201)
    const first = await bob.client.get(LIST)
    expect(first.json).toMatchObject([{ number: 1, title: 'One', head: { sha: created.json.head.sha } }])

    const asked = await queriesOf(server.app.database, async () => {
      expect((await bob.client.get(LIST)).text).toBe(first.text)
    })
    expect(asked.filter(({ sql }) => sql.includes('pull'))).toEqual([])
    const one = await bob.client.get(ONE)
    expect(one.json).toMatchObject({ title: 'One', changed_files: 1, head: { sha: created.json.head.sha } })
    const guarded = await queriesOf(server.app.database, async () => {
      const again = await bob.client.get(ONE)
      expect([again.text, again.headers.get('etag')]).toEqual([one.text, one.headers.get('etag')])
    })
    expect(guarded.filter(({ sql }) => sql.includes('pull')).length).toBe(1)
    expect((await bob.client.get(`${LIST}&state=closed`)).json).toEqual([])

    const pushed = await commitFile(ann, { branch: 'one', path: 'more.txt' })
    await server.drain()
    expect((await bob.client.get(LIST)).json[0].head.sha).toBe(pushed)
    expect((await bob.client.get(ONE)).json).toMatchObject({ changed_files: 2, head: { sha: pushed } })
    await bob.client.post('/repos/ann/app/pulls/1/reviews', { event: 'COMMENT', body: 'Looked at it' })
    expect((await ann.client.get(LIST)).json[0].review_comments).toBe(1)
    expect((await ann.client.get(ONE)).json).toMatchObject({
      review_comments: 1,
      requested_reviewers: [{ login: 'bob' }],
    })
    await ann.client.patch(ONE, { title: 'Renamed' })
    expect((await bob.client.get(ONE)).json).toMatchObject({ title: 'Renamed', review_comments: 1 })
  })

  it('are of one viewer', async () => {
    const { ann, bob } = given
    const permissions = async (person: typeof ann) => (await person.client.get(LIST)).json[0].base.repo.permissions
    expect([await permissions(ann), await permissions(bob)]).toMatchObject([{ push: true }, { push: false }])
  })

  it('are not kept where a commit came after the guard had read the repository', async () => {
    const { read } = given.server.app.database
    const pages = createKeptPages(read, () => 'http://127.0.0.1')
    const [before, after] = [{}, {}]
    const get = async (repo: object, text: string) =>
      (await pages.get(ANONYMOUS, [], async () => ok({ text }), repo)).body
    const texts = [await get(before, 'stale'), await get(after, 'fresh'), await get(after, 'not made')]
    expect(texts.map((body) => (body as JsonBytes).toJSON())).toEqual([
      { text: 'stale' },
      { text: 'fresh' },
      { text: 'fresh' },
    ])
  })

  it('are made once for all who ask at the same time, and again by those who ask after a commit', async () => {
    const { ann, server } = given
    const pages = createKeptPages(server.app.database.read, () => 'http://127.0.0.1')
    let made = 0
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const get = () =>
      pages.get(ANONYMOUS, [], async () => {
        const text = `made ${++made}`
        await gate
        return ok({ text })
      })
    const asked = [get(), get()]
    await expect.poll(() => made).toBe(1)
    expect((await ann.client.patch('/user/settings', { location: 'Oslo' })).status).toBe(200)
    const late = get()
    await expect.poll(() => made).toBe(2)
    open()
    const texts = (await Promise.all([...asked, late])).map(({ body }) => (body as JsonBytes).toJSON())
    expect(texts).toEqual([{ text: 'made 1' }, { text: 'made 1' }, { text: 'made 2' }])
    expect(((await get()).body as JsonBytes).toJSON()).toEqual({ text: 'made 2' })
  })

  it('that could not be made are made for the next', async () => {
    const pages = createKeptPages(given.server.app.database.read, () => 'http://127.0.0.1')
    const failing = pages.get(ANONYMOUS, [], () => Promise.reject(new Error('lost')))
    await expect(failing).rejects.toThrow('lost')
    expect((await pages.get(ANONYMOUS, [], async () => ok({ text: 'found' }))).status).toBe(200)
  })
})
