import { describe, expect, it } from 'vitest'
import { queriesOf } from '../../harness/queries.ts'
import { createIssue, issueWorld } from './issue-world.ts'

describe('lists of issues that were asked before', () => {
  const given = issueWorld()
  const LIST = '/repos/ann/desk/issues?limit=50'

  it('are read again after every commit, and not without one', async () => {
    const { ann, server } = given
    await createIssue(ann, { title: 'One' })
    const titles = async () => (await ann.client.get(LIST)).json.map((issue: { title: string }) => issue.title)
    expect(await titles()).toEqual(['One'])
    await createIssue(ann, { title: 'Two' })
    expect(await titles()).toEqual(['Two', 'One'])
    await ann.client.patch('/repos/ann/desk/issues/1', { title: 'First' })
    expect(await titles()).toEqual(['Two', 'First'])
    await ann.client.patch('/user/settings', { full_name: 'Ann' })
    expect((await ann.client.get(LIST)).json[0].user.full_name).toBe('Ann')
    const before = await ann.client.get(LIST)
    const asked = await queriesOf(server.app.database, async () => {
      const again = await ann.client.get(LIST)
      expect([again.text, again.headers.get('x-total-count'), again.headers.get('etag')]).toEqual([
        before.text,
        before.headers.get('x-total-count'),
        before.headers.get('etag'),
      ])
    })
    expect(asked.filter(({ sql }) => sql.includes('issue'))).toEqual([])
    const known = { 'if-none-match': before.headers.get('etag')! }
    expect((await ann.client.get(LIST, known)).status).toBe(304)
  })

  it('are of one viewer, one query and one page', async () => {
    const { ann, bob, server } = given
    await createIssue(ann, { title: 'Private' }, 'ann/vault')
    const search = async (client: typeof ann.client, query = '') =>
      (await client.get(`/repos/issues/search${query}`)).json
    const seen = async (client: typeof ann.client, query?: string) =>
      (await search(client, query)).map((issue: { title: string }) => issue.title)
    expect(await seen(ann.client)).toContain('Private')
    expect(await seen(bob.client)).not.toContain('Private')
    expect(await seen(server.anonymous)).not.toContain('Private')
    expect(await seen(await ann.withToken('read:issue', 'public-only'))).not.toContain('Private')
    expect(await seen(ann.client, '?limit=1')).toEqual(['Private'])
    expect(await seen(ann.client, '?limit=1&page=2')).not.toEqual(['Private'])
    const [own, others] = [(await search(ann.client))[0].user, (await search(bob.client))[0].user]
    expect([own.login, own.active, others.active]).toEqual(['ann', true, false])
  })
})
