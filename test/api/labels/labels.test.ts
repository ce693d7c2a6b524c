import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Organization, Person } from '../../harness/world.ts'
import type { Any } from '../../harness/client.ts'

let server: TestServer
let ann: Person
let bob: Person
let cat: Person
let guild: Organization

beforeAll(async () => {
  server = await startServer()
  const { world } = server
  ann = await world.user('ann')
  bob = await world.user('bob')
  cat = await world.user('cat')
  guild = await world.org('guild', { owner: ann })
  await world.repo({ owner: ann, name: 'r', autoInit: true })
  await world.repo({ owner: ann, name: 'secret', isPrivate: true })
  await guild.team('crew', { permission: 'read', units: ['repo.code'], members: [bob] })
})
afterAll(() => server.close())

const names = (answer: Any): string[] => answer.json.map((label: Any) => label.name)
const make = async (path: string, body: object): Promise<Any> => {
  const answer = await ann.client.post(path, { color: '#112233', ...body })
  expect(answer.status, JSON.stringify(answer.json)).toBe(201)
  return answer.json
}
const eventsOf = (kind: string) =>
  server.app.database.read
    .selectFrom('event')
    .select(['payload', 'repo_id', 'actor_id'])
    .where('kind', '=', kind)
    .orderBy('id', 'desc')
    .execute()

describe.each([
  ['a repository', '/repos/ann/r/labels', '/repos/ann/never/labels'],
  ['an organization', '/orgs/guild/labels', '/orgs/never/labels'],
])('labels of %s', (_, path, missing) => {
  it('are made, read, edited and deleted', async () => {
    const made = await make(path, { name: 'kind/bug', color: ' 0aF ', description: 'Breaks', exclusive: true })
    expect(made).toEqual({
      id: made.id,
      name: 'kind/bug',
      color: '00aaff',
      description: 'Breaks',
      exclusive: true,
      is_archived: false,
      url: `${server.url}/api/v1${path}/${made.id}`,
    })
    for (const key of [made.id, 'kind%2Fbug'])
      expect((await ann.client.get(`${path}/${key}`)).json, String(key)).toEqual(made)
    expect((await ann.client.patch(`${path}/${made.id}`, {})).json).toEqual(made)
    expect(
      (
        await ann.client.patch(`${path}/${made.id}`, {
          name: 'kind/fault',
          color: '#FFF',
          description: '',
          exclusive: false,
        })
      ).json,
    ).toEqual({ ...made, name: 'kind/fault', color: 'ffffff', description: '', exclusive: false })
    expect((await ann.client.delete(`${path}/${made.id}`)).status).toBe(204)
    expect((await ann.client.get(`${path}/${made.id}`)).status).toBe(404)
    for (const kind of ['label.created', 'label.edited', 'label.deleted']) {
      expect(JSON.parse((await eventsOf(kind))[0]!.payload), kind).toMatchObject({
        label_id: made.id,
        name: kind === 'label.created' ? 'kind/bug' : 'kind/fault',
      })
    }
  })

  it('refuse what is no colour and no name', async () => {
    const { id } = await make(path, { name: 'plain' })
    for (const color of ['red', '#12345', '##123456', '']) {
      expect((await ann.client.post(path, { name: 'x', color })).status, color).toBe(422)
      expect((await ann.client.patch(`${path}/${id}`, { color })).status, color).toBe(422)
    }
    for (const [body, message] of [
      [{ color: '#123456' }, '[Name]: Required'],
      [{ name: 'x' }, '[Color]: Required'],
      [{ name: ' ', color: '#123456' }, '[Name]: Required'],
      [{ name: 'x'.repeat(256), color: '#123456' }, '[Name]: MaxSize'],
    ] as const) {
      expect((await ann.client.post(path, body)).json.message).toBe(message)
    }
    expect((await ann.client.patch(`${path}/${id}`, { name: '' })).status).toBe(422)
    expect((await ann.client.get(`${path}/${id}`)).json.name).toBe('plain')
  })

  it('keep the time at which they were archived', async () => {
    const { id } = await make(path, { name: 'old', is_archived: true })
    const time = async () =>
      (
        await server.app.database.read
          .selectFrom('label')
          .select('archived_at')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).archived_at
    const archivedAt = await time()
    expect(archivedAt).toBeGreaterThan(0)
    expect((await ann.client.patch(`${path}/${id}`, { description: 'kept' })).json.is_archived).toBe(true)
    await ann.client.patch(`${path}/${id}`, { is_archived: true })
    expect(await time()).toBe(archivedAt)
    expect((await ann.client.patch(`${path}/${id}`, { is_archived: false })).json.is_archived).toBe(false)
    expect(await time()).toBe(0)
  })

  it('delete with 204 whatever the id, and find nothing by a strange one', async () => {
    for (const id of ['99999999', 'x', '0', '-1', '999999999999999999999']) {
      expect((await ann.client.delete(`${path}/${id}`)).status, id).toBe(204)
      expect((await ann.client.get(`${path}/${id}`)).status, id).toBe(404)
      expect((await ann.client.patch(`${path}/${id}`, { name: 'x' })).status, id).toBe(404)
    }
    expect((await ann.client.get(missing)).status).toBe(404)
    expect((await ann.client.post(missing, { name: 'x', color: '#fff' })).status).toBe(404)
  })
})

describe('lists of labels', () => {
  it('are sorted, paged and counted, without a Link', async () => {
    const path = '/orgs/paged/labels'
    await server.world.org('paged', { owner: ann })
    for (const name of ['b', 'c', 'a', 'b']) await make(path, { name })
    expect(names(await server.anonymous.get(path))).toEqual(['a', 'b', 'b', 'c'])
    expect(names(await server.anonymous.get(`${path}?sort=reversealphabetically`))).toEqual(['c', 'b', 'b', 'a'])
    expect(names(await server.anonymous.get(`${path}?sort=strange`))).toEqual(['a', 'b', 'b', 'c'])
    const page = await server.anonymous.get(`${path}?limit=3&page=2`)
    expect(names(page)).toEqual(['c'])
    expect(page.headers.get('x-total-count')).toBe('4')
    expect(page.headers.get('link')).toBeNull()
    const counts = server.app.database
    await counts.transaction((tx) =>
      tx
        .updateTable('label')
        .set({ issues_count: 5 })
        .where('name', '=', 'c')
        .execute()
        .then(() => undefined),
    )
    expect(names(await server.anonymous.get(`${path}?sort=mostissues`))).toEqual(['c', 'b', 'a', 'b'])
    expect(names(await server.anonymous.get(`${path}?sort=leastissues`))).toEqual(['b', 'a', 'b', 'c'])
  })

  it("of a repository have none of its organization's", async () => {
    const repo = await server.world.repo({ owner: guild.org, by: ann, name: 'works' })
    const { id } = await make('/orgs/guild/labels', { name: 'shared' })
    await make('/repos/guild/works/labels', { name: 'own' })
    expect(names(await server.anonymous.get('/repos/guild/works/labels'))).toEqual(['own'])
    for (const key of [id, 'shared'])
      expect((await server.anonymous.get(`/repos/guild/works/labels/${key}`)).status).toBe(404)
    expect((await ann.client.delete(`/repos/guild/works/labels/${id}`)).status).toBe(204)
    expect((await ann.client.get(`/orgs/guild/labels/${id}`)).status).toBe(200)
    expect(repo.name).toBe('works')
  })
})

describe('rights to labels', () => {
  const body = { name: 'x', color: '#fff' }

  it('strangers read what is public, nobody else changes anything', async () => {
    const { id } = await make('/repos/ann/r/labels', { name: 'guarded' })
    expect((await server.anonymous.get('/repos/ann/r/labels')).status).toBe(200)
    expect((await server.anonymous.get(`/repos/ann/r/labels/${id}`)).status).toBe(200)
    expect((await server.anonymous.post('/repos/ann/r/labels', body)).status).toBe(401)
    expect((await bob.client.post('/repos/ann/r/labels', body)).json.message).toBe(
      'user should have a permission to write to a repo',
    )
    expect((await bob.client.patch(`/repos/ann/r/labels/${id}`, body)).status).toBe(403)
    expect((await bob.client.delete(`/repos/ann/r/labels/${id}`)).status).toBe(403)
    for (const answer of [
      await bob.client.get('/repos/ann/secret/labels'),
      await bob.client.post('/repos/ann/secret/labels', body),
    ])
      expect(answer.status).toBe(404)
    expect((await server.anonymous.get('/orgs/guild/labels')).status).toBe(200)
    expect((await server.anonymous.get('/orgs/guild/labels/1')).status).toBe(401)
    expect((await server.anonymous.post('/orgs/guild/labels', body)).status).toBe(401)
    for (const person of [bob, cat])
      expect((await person.client.post('/orgs/guild/labels', body)).json.message).toBe('Must be an organization owner')
  })

  it('of a private organization are for its members', async () => {
    await server.world.org('cabal', { owner: ann, visibility: 'private' })
    const { id } = await make('/orgs/cabal/labels', { name: 'hush' })
    for (const client of [server.anonymous, bob.client]) {
      expect((await client.get('/orgs/cabal/labels')).status).toBe(404)
      expect([401, 404]).toContain((await client.get(`/orgs/cabal/labels/${id}`)).status)
    }
  })

  it('writers of issues or of pull requests change those of a repository', async () => {
    await server.world.repo({ owner: guild.org, by: ann, name: 'shop' })
    const writers: [Person, string][] = [
      [await server.world.user('issuer'), 'repo.issues'],
      [await server.world.user('puller'), 'repo.pulls'],
      [await server.world.user('coder'), 'repo.code'],
    ]
    for (const [person, unit] of writers) {
      const team = await ann.client.post('/orgs/guild/teams', {
        name: person.name,
        units_map: { [unit]: 'write' },
        permission: 'write',
      })
      expect(team.status).toBe(201)
      await ann.client.put(`/teams/${team.json.id}/members/${person.name}`)
      await ann.client.put(`/teams/${team.json.id}/repos/guild/shop`)
      expect(
        (await person.client.post('/repos/guild/shop/labels', { name: unit, color: '#123456' })).status,
        unit,
      ).toBe(unit === 'repo.code' ? 403 : 201)
    }
  })

  it('outlive both units and the archiving of the repository', async () => {
    await server.world.repo({ owner: ann, name: 'quiet' })
    await ann.client.put('/repos/ann/quiet/collaborators/bob', { permission: 'write' })
    expect((await ann.client.patch('/repos/ann/quiet', { has_issues: false, has_pull_requests: false })).status).toBe(
      200,
    )
    expect((await bob.client.get('/repos/ann/quiet/labels')).status).toBe(200)
    expect((await bob.client.post('/repos/ann/quiet/labels', body)).status).toBe(403)
    const { id } = await make('/repos/ann/quiet/labels', { name: 'still' })
    expect((await ann.client.patch('/repos/ann/quiet', { archived: true })).status).toBe(200)
    expect((await ann.client.patch(`/repos/ann/quiet/labels/${id}`, { description: 'yet' })).status).toBe(200)
    expect((await ann.client.delete(`/repos/ann/quiet/labels/${id}`)).status).toBe(204)
  })

  it('tokens need the scope of issues, and one for public things stays with these', async () => {
    expect((await (await ann.withToken('write:repository')).get('/repos/ann/r/labels')).status).toBe(403)
    expect((await (await ann.withToken('read:issue')).post('/repos/ann/r/labels', body)).status).toBe(403)
    expect((await (await ann.withToken('write:issue')).post('/repos/ann/r/labels', body)).status).toBe(201)
    expect((await (await ann.withToken('write:issue')).post('/orgs/guild/labels', body)).status).toBe(403)
    expect((await (await ann.withToken('write:organization')).post('/orgs/guild/labels', body)).status).toBe(201)
    expect(
      (await (await ann.withToken('public-only', 'read:issue')).get('/repos/ann/secret/labels')).json.message,
    ).toBe('token scope is limited to public issues')
  })
})

describe('labels of new repositories', () => {
  it('are those of a set', async () => {
    expect((await ann.client.post('/user/repos', { name: 'none', issue_labels: 'Strange' })).status).toBe(422)
    expect((await ann.client.get('/repos/ann/none')).status).toBe(404)
    expect((await ann.client.post('/user/repos', { name: 'ready', issue_labels: 'Advanced' })).status).toBe(201)
    const set = (await ann.client.get('/label/templates/Advanced')).json as Any[]
    const labels = (await ann.client.get('/repos/ann/ready/labels?limit=50')).json as Any[]
    const plain = labels.map(({ name, color, exclusive, description }) => ({ name, color, exclusive, description }))
    expect(plain.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
      set.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    )
  })

  it('are those of a template, if they are asked for', async () => {
    await server.world.repo({ owner: ann, name: 'tpl', isTemplate: true })
    await make('/repos/ann/tpl/labels', { name: 'kind/one', description: 'L', exclusive: true })
    await make('/repos/ann/tpl/labels', { name: 'past', is_archived: true })
    expect(
      (await bob.client.post('/repos/ann/tpl/generate', { owner: 'bob', name: 'copy', labels: true })).status,
    ).toBe(201)
    expect((await bob.client.get('/repos/bob/copy/labels')).json).toMatchObject([
      { name: 'kind/one', description: 'L', exclusive: true, color: '112233' },
      { name: 'past', is_archived: true },
    ])
    expect(
      (await bob.client.post('/repos/ann/tpl/generate', { owner: 'bob', name: 'bare', topics: true })).status,
    ).toBe(201)
    expect((await bob.client.get('/repos/bob/bare/labels')).json).toEqual([])
  })

  it('do not come with a fork, move with a transfer and go with the repository', async () => {
    const count = async () =>
      (
        await server.app.database.read
          .selectFrom('label')
          .select((eb) => eb.fn.countAll<number>().as('n'))
          .executeTakeFirstOrThrow()
      ).n
    await server.world.repo({ owner: ann, name: 'moving', autoInit: true })
    const before = await count()
    const { id } = await make('/repos/ann/moving/labels', { name: 'stays' })
    expect((await bob.client.post('/repos/ann/moving/forks', { name: 'forked' })).status).toBe(202)
    expect((await bob.client.get('/repos/bob/forked/labels')).json).toEqual([])
    expect((await ann.client.post('/repos/ann/moving/transfer', { new_owner: 'guild' })).status).toBe(202)
    expect((await ann.client.get(`/repos/guild/moving/labels/${id}`)).json.url).toContain('/repos/guild/moving/labels/')
    expect((await ann.client.delete('/repos/guild/moving')).status).toBe(204)
    expect(await count()).toBe(before)
  })

  it('of an organization go with it', async () => {
    await server.world.org('brief', { owner: ann })
    const { id } = await make('/orgs/brief/labels', { name: 'gone' })
    expect((await ann.client.delete('/orgs/brief')).status).toBe(204)
    expect(await server.app.database.read.selectFrom('label').select('id').where('id', '=', id).execute()).toEqual([])
  })
})
