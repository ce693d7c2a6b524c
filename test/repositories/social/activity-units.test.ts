import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

const SECRET = 'the secret of the commit'

describeOnBoth('a member whose team lacks the code unit', (kind) => {
  let server: TestServer
  let [ann, tim, coder, root] = [] as unknown as [Person, Person, Person, Person]

  beforeAll(async () => {
    server = await startServer({ on: kind })
    const { world } = server
    ;[ann, tim, coder, root] = [
      await world.user('ann'),
      await world.user('tim'),
      await world.user('coder'),
      await world.admin(),
    ]
    const { org } = await world.org('acme', { owner: ann })
    await world.repo({ owner: org, by: ann, name: 'core', isPrivate: true, autoInit: true })
    for (const [member, unit] of [
      ['tim', 'repo.issues'],
      ['coder', 'repo.code'],
    ] as const) {
      const input = { name: `${member}s`, units_map: { [unit]: 'read' }, includes_all_repositories: true }
      const { json } = await ann.client.post('/orgs/acme/teams', input)
      expect((await ann.client.put(`/teams/${json.id}/members/${member}`)).status).toBe(204)
    }
    const file = { content: Buffer.from('x').toString('base64'), message: SECRET }
    expect((await ann.client.post('/repos/acme/core/contents/x', file)).status).toBe(201)
    expect((await ann.client.post('/repos/acme/core/releases', { tag_name: 'v1', name: 'One' })).status).toBe(201)
    await server.drain()
  })
  afterAll(() => server.close())

  const FEEDS = ['/repos/acme/core/activities/feeds', '/orgs/acme/activities/feeds']
  const kindsOf = async (person: Person, path: string): Promise<string[]> => {
    const { json, headers, text } = await person.client.get(path)
    const kinds = (json as Any[]).map((item) => item.op_type as string)
    expect(headers.get('x-total-count'), path).toBe(String(kinds.length))
    expect(text.includes(SECRET), path).toBe(kinds.includes('commit_repo'))
    return [...new Set(kinds)].toSorted()
  }

  it('sees no pushes and releases in feeds and totals', async () => {
    for (const path of FEEDS) {
      expect(await kindsOf(tim, path), path).toEqual(['create_repo'])
      expect(await kindsOf(coder, path), path).toEqual(['commit_repo', 'create_repo', 'push_tag'])
      for (const person of [ann, root])
        expect(await kindsOf(person, path), path).toEqual(['commit_repo', 'create_repo', 'publish_release', 'push_tag'])
    }
    expect((await tim.client.put('/repos/acme/core/subscription')).status).toBe(200)
    expect(await kindsOf(tim, '/users/tim/activities/feeds')).toEqual(['create_repo'])
  })

  it('does not see them in the heatmap', async () => {
    const contributions = async (person: Person): Promise<number> =>
      ((await person.client.get('/users/ann/heatmap')).json as Any[]).reduce((sum, { contributions: n }) => sum + n, 0)
    expect(await contributions(tim)).toBe(1)
    expect(await contributions(ann)).toBeGreaterThan(await contributions(coder))
    expect(await contributions(coder)).toBeGreaterThan(1)
  })

  it('reads no issue templates, which are files', async () => {
    for (const path of ['issue_templates', 'issue_config', 'issue_config/validate']) {
      expect((await tim.client.get(`/repos/acme/core/${path}`)).status, path).toBe(403)
      expect((await coder.client.get(`/repos/acme/core/${path}`)).status, path).toBe(200)
    }
    expect((await tim.client.get('/acme/core/issue_templates')).status).toBe(403)
  })
})
