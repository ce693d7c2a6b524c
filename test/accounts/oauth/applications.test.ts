import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { row } from '../../harness/expect.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

const PATH = '/user/applications/oauth2'

describeOnBoth('OAuth2 applications', (kind) => {
  let server: TestServer
  let alice: Person
  let bob: Person

  beforeAll(async () => {
    server = await startServer({ on: kind })
    alice = await server.world.user('alice')
    bob = await server.world.user('bob')
  })
  afterAll(() => server.close())

  const create = (by: Person, more: object = {}) =>
    by.client.post(PATH, { name: 'app', redirect_uris: ['https://app.example.test/cb'], ...more })

  it('are hidden from anonymous clients, other users and tokens without the scope', async () => {
    const { json } = await create(alice)
    expect((await server.anonymous.get(PATH)).status).toBe(401)
    expect((await server.anonymous.post(PATH, { name: 5 })).status).toBe(401)
    for (const [method, body] of [
      ['get', undefined],
      ['delete', undefined],
      ['patch', { name: 'stolen', redirect_uris: [] }],
    ] as const) {
      expect((await bob.client[method](`${PATH}/${json.id}`, body as never)).status).toBe(404)
      expect((await alice.client[method](`${PATH}/999999`, body as never)).status).toBe(404)
      expect((await alice.client[method](`${PATH}/abc`, body as never)).status).toBe(404)
    }
    expect((await (await alice.withToken('read:user')).post(PATH, { name: 'x', redirect_uris: [] })).status).toBe(403)
    expect((await alice.client.get(`${PATH}/1`)).status).toBe(404)
    expect((await alice.client.get(`${PATH}/${json.id}`)).json.name).toBe('app')
  })

  it('may share a name, and need no address', async () => {
    for (let i = 0; i < 2; i++) {
      const made = await create(alice, { name: 'twin', redirect_uris: [] })
      expect([made.status, made.json.redirect_uris, made.json.confidential_client, typeof made.json.created]).toEqual([
        201,
        [],
        false,
        'string',
      ])
    }
  })

  it('return their secret once, store only its hash, and generate a new one when replaced', async () => {
    const made = await create(bob, { confidential_client: true, skip_secondary_authorization: true })
    expect(made.status).toBe(201)
    expect(made.json.client_secret).toMatch(/^gto_[a-z2-7]{52}$/)
    expect(made.json.client_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect((await bob.client.get(`${PATH}/${made.json.id}`)).json.client_secret).toBe('')
    expect((await bob.client.get(PATH)).json[0].client_secret).toBe('')
    const stored = await row(server, 'oauth_application', { id: made.json.id })
    expect(JSON.stringify(stored)).not.toContain(made.json.client_secret)
    const replaced = await bob.client.patch(`${PATH}/${made.json.id}`, { name: 'renamed', redirect_uris: [] })
    expect(replaced.json).toMatchObject({
      name: 'renamed',
      redirect_uris: [],
      confidential_client: false,
      skip_secondary_authorization: false,
      client_id: made.json.client_id,
    })
    expect(replaced.json.client_secret).toMatch(/^gto_/)
    expect(replaced.json.client_secret).not.toBe(made.json.client_secret)
  })

  it('are listed newest first with the total and deleted once', async () => {
    const carol = await server.world.user('carol')
    const ids: number[] = []
    for (const name of ['a', 'b', 'c']) ids.push((await create(carol, { name })).json.id)
    const page = await carol.client.get(`${PATH}?limit=2`)
    expect([page.json.map((app: { name: string }) => app.name), page.headers.get('x-total-count')]).toEqual([
      ['c', 'b'],
      '3',
    ])
    expect((await carol.client.delete(`${PATH}/${ids[0]}`)).status).toBe(204)
    expect((await carol.client.delete(`${PATH}/${ids[0]}`)).status).toBe(404)
  })

  it('need a name and a list of addresses', async () => {
    expect((await alice.client.post(PATH, { redirect_uris: [] })).json.message).toBe('[Name]: Required')
    expect((await alice.client.post(PATH, { name: 'x' })).json.message).toBe('[RedirectURIs]: Required')
    expect((await create(alice, { redirect_uris: 'https://x.example.test' })).status).toBe(422)
    expect((await create(alice, { name: 'x'.repeat(256) })).json.message).toBe(
      '[Name]: MaxSize (at most 255 characters)',
    )
  })
})
