import { describe, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { queriesOf } from '../harness/queries.ts'
import { createIssue, issueWorld } from './issue-world.ts'

describe('lists of issues', () => {
  const given = issueWorld()
  const LIST = '/repos/ann/desk/issues?limit=50'

  it('show every commit, and have the same ETag without one', async () => {
    const { ann } = given
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
    const again = await ann.client.get(LIST)
    expect([again.text, again.headers.get('x-total-count'), again.headers.get('etag')]).toEqual([
      before.text,
      before.headers.get('x-total-count'),
      before.headers.get('etag'),
    ])
    const known = { 'if-none-match': before.headers.get('etag')! }
    expect((await ann.client.get(LIST, known)).status).toBe(304)
  })

  it('differ by viewer, query and page', async () => {
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

describeOnBoth('the total of a search by one label', (kind) => {
  const given = issueWorld({ on: kind })
  const isPerLabel = ({ sql }: { sql: string }) =>
    sql.includes('from issue_label as found where found.label_id = label.id')

  it('is counted label by label, unless an issue has two of them', async () => {
    const { ann, bob, server } = given
    const addLabel = async (repo: string): Promise<number> =>
      (await ann.client.post(`/repos/ann/${repo}/labels`, { name: 'bug', color: '#ff0000' })).json.id
    const search = async (client: typeof ann.client) => {
      let total: string | null = null
      const asked = await queriesOf(server.app.database, async () => {
        total = (await client.get('/repos/issues/search?labels=bug&limit=1')).headers.get('x-total-count')
      })
      return { total, isPerLabel: asked.some(isPerLabel) }
    }
    const [desk, vault] = [await addLabel('desk'), await addLabel('vault')]
    for (let i = 0; i < 3; i++) await createIssue(ann, { labels: [desk] })
    for (let i = 0; i < 2; i++) await createIssue(ann, { labels: [vault] }, 'ann/vault')
    expect(await search(ann.client)).toEqual({ total: '5', isPerLabel: true })
    expect(await search(bob.client)).toEqual({ total: '3', isPerLabel: true })
    await createIssue(ann, { labels: [desk, await addLabel('desk')] })
    expect(await search(ann.client)).toEqual({ total: '6', isPerLabel: false })
    expect(await search(bob.client)).toEqual({ total: '4', isPerLabel: false })
  })
})
