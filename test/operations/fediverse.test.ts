import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

describe('discovery by other servers', () => {
  let server: TestServer
  let ann: Person
  let now = Date.parse('2026-05-01T10:00:00Z')
  const finger = async (resource: string): Promise<{ status: number; text: string; headers: Headers }> =>
    server.anonymous.get(`//.well-known/webfinger?resource=${encodeURIComponent(resource)}`)
  const host = (): string => new URL(server.url).host

  beforeAll(async () => {
    server = await startServer({ clock: { now: () => now }, settings: { 'federation.enabled': 'true' } })
    ann = await server.world.user('ann')
    await server.world.user('coy')
    await (await server.world.user('shy', { visibility: 'private' })).client.patch('/user/settings', {})
  })
  afterAll(() => server.close())

  it('returns its version at the address that clients of Forgejo use', async () => {
    const { version } = JSON.parse((await server.anonymous.get('//api/forgejo/v1/version')).text)
    expect(version).toBe((await server.anonymous.get('/version')).json.version)
  })

  it('names the server and counts its users, every three minutes', async () => {
    const { links } = JSON.parse((await server.anonymous.get('//.well-known/nodeinfo')).text)
    expect(links).toEqual([
      { href: `${server.url}/api/v1/nodeinfo`, rel: 'http://nodeinfo.diaspora.software/ns/schema/2.1' },
    ])
    const usage = async () => (await server.anonymous.get('/nodeinfo')).json.usage
    expect((await server.anonymous.get('/nodeinfo')).json).toMatchObject({
      version: '2.1',
      software: { name: 'ingot' },
      openRegistrations: false,
    })
    expect(await usage()).toEqual({
      users: { total: 3, activeMonth: 0, activeHalfyear: 0 },
      localPosts: 0,
      localComments: 0,
    })
    await ann.client.post('/user/repos', { name: 'one' })
    expect((await usage()).users.activeMonth).toBe(0)
    now += 180_000
    expect((await usage()).users).toEqual({ total: 3, activeMonth: 1, activeHalfyear: 1 })
    now += 40 * 24 * 3_600_000
    expect((await usage()).users).toEqual({ total: 3, activeMonth: 0, activeHalfyear: 1 })
  })

  it('finds by handle the accounts that anonymous viewers may see', async () => {
    const found = await finger(`acct:ANN@${host()}`)
    expect([found.status, found.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect(JSON.parse(found.text)).toMatchObject({
      subject: `acct:ann@${host()}`,
      aliases: [`${server.url}/ann`, 'mailto:ann@example.test'],
    })
    expect((await finger(`acct:shy@${host()}`)).status).toBe(404)
    expect((await finger(`acct:nobody@${host()}`)).status).toBe(404)
    for (const resource of ['', 'ann', 'acct:ann', 'acct:ann@elsewhere.test', `https://${host()}/ann`])
      expect((await finger(resource)).status, resource).toBe(400)
  })

  it('finds accounts only by visible addresses', async () => {
    expect((await finger('mailto:Ann@example.test')).status).toBe(200)
    await ann.client.patch('/user/settings', { hide_email: true })
    expect((await finger('mailto:ann@example.test')).status).toBe(404)
    expect(JSON.parse((await finger(`acct:ann@${host()}`)).text).aliases).toEqual([`${server.url}/ann`])
    expect((await finger('mailto:shy@example.test')).status).toBe(404)
  })
})

it('responds with 404 when federation is disabled', async () => {
  const server = await startServer()
  for (const path of ['/nodeinfo', '//.well-known/nodeinfo', '//.well-known/webfinger?resource=acct:a@b'])
    expect((await server.anonymous.get(path)).status).toBe(404)
  await server.close()
})
