import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { systemActor } from '../../src/core/access/viewer.ts'
import { answers } from './forge-world.ts'
import { migrate } from './import-world.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const API = 'GET /api/v1/repos/o/app'
const PAGE = 'page=1&limit=50'

describeOnBoth('authors of imports with a linked account', (kind) => {
  let upstream: Upstream
  let target: TestServer
  let root: Person
  let tom: Person
  let cat: Person
  let sourceId: number

  beforeAll(async () => {
    upstream = await startUpstream()
    await upstream.create('o/app')
    await upstream.run('o/app', 'tag', 'v1')
    await upstream.push('o/app')
    await upstream.run('o/app', 'push', '-q', 'origin', 'HEAD:refs/pull/2/head')
    target = await startServer({ on: kind })
    root = await target.world.admin()
    tom = await target.world.user('tom')
    cat = await target.world.user('cat')
    const ann = { id: 41, login: 'ann' }
    const zoe = { id: 42, login: 'zoe' }
    const { routes } = upstream
    const list = (path: string, items: readonly Any[]): unknown =>
      routes.set(
        `${API}${path}${path.includes('?') ? '&' : '?'}${PAGE}`,
        answers(items, { 'x-total-count': `${items.length}` }),
      )
    routes.set(API, answers({ description: '' }))
    list('/releases', [{ tag_name: 'v1', name: 'v1', body: '', author: ann, assets: [] }])
    const item = { title: 't', body: '', state: 'open', user: ann }
    list('/issues?state=all&type=issues&sort=oldest', [{ ...item, number: 1 }])
    list('/pulls?state=all&sort=oldest', [{ ...item, number: 2, base: { ref: 'main' }, head: { ref: 'side' } }])
    routes.set(
      `${API}/issues/1/reactions`,
      answers([
        { user: ann, content: 'heart' },
        { user: zoe, content: 'heart' },
      ]),
    )
    list('/issues/comments', [
      { id: 1, issue_url: 'x/issues/1', body: 'of ann', user: ann },
      { id: 2, issue_url: 'x/issues/1', body: 'of zoe', user: zoe },
    ])
    list('/pulls/2/reviews', [{ id: 3, state: 'APPROVED', user: ann, body: 'fine', comments_count: 0 }])
    list('/times', [{ id: 4, issue: { number: 1 }, time: 60, user_id: 41, user_name: 'ann' }])
    const source = await target.app.signInSources.create(systemActor, {
      kind: 'oidc',
      name: 'old server',
      settings: { issuer: `${upstream.url}/`, client_id: 'ingot' },
    })
    sourceId = source.id
  })
  afterAll(async () => {
    await target.close()
    await upstream.close()
  })

  const importAs = async (person: Person, name: string): Promise<void> => {
    const parts = Object.fromEntries(['issues', 'pull_requests', 'releases'].map((part) => [part, true]))
    const request = { clone_addr: `${upstream.url}/o/app.git`, repo_name: name, service: 'gitea', ...parts }
    expect((await migrate(person, request)).status).toBe(201)
    await target.drain()
  }
  const link = (person: Person, subject: string): Promise<unknown> =>
    target.app.externalIdentities.link(systemActor, {
      sourceId: sourceId as never,
      subject,
      userId: person.user.id,
      loginName: person.name,
    })
  const authorsOf = async (name: string): Promise<Any> => {
    const get = async (path: string): Promise<Any> => (await root.client.get(`/repos/${name}${path}`)).json
    const shown = ({ user, author, original_author: original }: Any): string =>
      `${(user ?? author).login}${original ? ` for ${original}` : ''}`
    return {
      issue: shown(await get('/issues/1')),
      pull: shown(await get('/pulls/2')),
      comments: (await get('/issues/1/comments')).map(shown),
      reactions: (await get('/issues/1/reactions')).map(({ user }: Any) => user.login),
      reviews: (await get('/pulls/2/reviews')).map(shown),
      releases: (await get('/releases')).map(shown),
      times: (await get('/times')).map(({ user_name: user }: Any) => user),
    }
  }
  const ofCat = () => ({
    issue: 'cat',
    pull: 'cat',
    comments: ['cat', `${root.name} for zoe`],
    reactions: expect.arrayContaining(['cat', 'zoe(gitea)']),
    reviews: ['cat'],
    releases: ['cat'],
    times: ['cat'],
  })

  it('get what an administrator imported, by the scheduled task once they are linked', async () => {
    await importAs(root, 'first')
    await importAs(tom, 'of-tom')
    const before = await authorsOf(`${root.name}/first`)
    expect(before).toMatchObject({
      issue: `${root.name} for ann`,
      comments: [`${root.name} for ann`, `${root.name} for zoe`],
    })
    // A reaction that the account has itself.
    expect((await cat.client.post(`/repos/${root.name}/first/issues/1/reactions`, { content: 'heart' })).status).toBe(
      201,
    )
    await link(cat, '41')
    expect((await root.client.post('/admin/cron/update_migration_poster_id')).status).toBe(204)
    await target.drain()
    const found = await authorsOf(`${root.name}/first`)
    expect(found).toEqual(ofCat())
    expect(found.reactions).toHaveLength(2)
    expect((await authorsOf('tom/of-tom')).issue).toBe('tom for ann')
    expect(await rows(target, 'imported_author', {})).toMatchObject([{ author_id: 42, origin: upstream.url }])
    await cat.client.patch(`/repos/${root.name}/first/issues/1`, { body: 'mine to edit' })
    expect((await cat.client.get(`/repos/${root.name}/first/issues/1`)).json).toMatchObject({ body: 'mine to edit' })
  })

  it('get it at the end of the import if they are linked already', async () => {
    await importAs(root, 'second')
    expect(await authorsOf(`${root.name}/second`)).toEqual(ofCat())
  })

  it('get nothing by a sign-in source at another address', async () => {
    await target.app.signInSources.edit(systemActor, sourceId as never, { settings: { issuer: 'https://other.test' } })
    await importAs(root, 'third')
    expect((await authorsOf(`${root.name}/third`)).issue).toBe(`${root.name} for ann`)
  })
})
