import { describe, expect, it } from 'vitest'
import { commitFile, pullWorld } from './pull-world.ts'

describe('pull requests and lists of them', () => {
  const given = pullWorld()
  const LIST = '/repos/ann/app/pulls?limit=20'
  const ONE = '/repos/ann/app/pulls/1'

  it('show every commit, and have the same ETag without a change', async () => {
    const { ann, bob, server } = given
    await commitFile(ann, { branch: 'one', from: 'main' })
    const created = await ann.client.post('/repos/ann/app/pulls', { title: 'One', head: 'one', base: 'main' })
    expect(created.status).toBe(201)
    const first = await bob.client.get(LIST)
    expect(first.json).toMatchObject([{ number: 1, title: 'One', head: { sha: created.json.head.sha } }])

    const one = await bob.client.get(ONE)
    expect(one.json).toMatchObject({ title: 'One', changed_files: 1, head: { sha: created.json.head.sha } })
    const again = await bob.client.get(ONE)
    expect([again.text, again.headers.get('etag')]).toEqual([one.text, one.headers.get('etag')])
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

  it('depend on the viewer', async () => {
    const { ann, bob } = given
    const permissions = async (person: typeof ann) => (await person.client.get(LIST)).json[0].base.repo.permissions
    expect([await permissions(ann), await permissions(bob)]).toMatchObject([{ push: true }, { push: false }])
  })
})
