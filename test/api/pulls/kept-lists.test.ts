import { describe, expect, it } from 'vitest'
import { queriesOf } from '../../harness/queries.ts'
import { commitFile, pullWorld } from './pull-world.ts'

describe('lists of pull requests that were asked before', () => {
  const given = pullWorld()
  const LIST = '/repos/ann/app/pulls?limit=20'

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
    expect((await bob.client.get(`${LIST}&state=closed`)).json).toEqual([])

    const pushed = await commitFile(ann, { branch: 'one', path: 'more.txt' })
    await server.drain()
    expect((await bob.client.get(LIST)).json[0].head.sha).toBe(pushed)
    await bob.client.post('/repos/ann/app/pulls/1/reviews', { event: 'COMMENT', body: 'Looked at it' })
    expect((await ann.client.get(LIST)).json[0].review_comments).toBe(1)
  })

  it('are of one viewer', async () => {
    const { ann, bob } = given
    const permissions = async (person: typeof ann) => (await person.client.get(LIST)).json[0].base.repo.permissions
    expect([await permissions(ann), await permissions(bob)]).toMatchObject([{ push: true }, { push: false }])
  })
})
