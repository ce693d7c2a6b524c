import { afterEach, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'

let server: TestServer
afterEach(() => server.close())

const limited = async (settings: Record<string, string>): Promise<TestServer> =>
  (server = await startServer({ settings: { 'server.trust_proxy': 'true', ...settings } }))
const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })
const basic = (name: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})

describe('the rate limit of callers without credentials', () => {
  const settings = { 'rate_limit.anonymous_per_minute': '3' }

  it('is for each address, an IPv6 one by its /64, and says when to come back', async () => {
    const { anonymous } = await limited(settings)
    const render = (address: string) => anonymous.post('/markdown', { Text: 'hi' }, from(address))
    for (let i = 0; i < 3; i++) expect((await render(`2001:db8::${i}`)).status).toBe(200)
    const refused = await render('2001:db8::9')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(10)
    expect(refused.json.message).toContain('from this address')
    expect((await render('2001:db8:0:1::9')).status).toBe(200)
    expect((await render('192.0.2.1')).status).toBe(200)
  })

  it('is not evaded by an address that the client sends to the proxy', async () => {
    const { anonymous } = await limited(settings)
    const render = (forged: string) => anonymous.post('/markdown', { Text: 'hi' }, from(`${forged}, 192.0.2.7`))
    for (let i = 0; i < 3; i++) expect((await render(`198.51.100.${i}`)).status).toBe(200)
    expect((await render('198.51.100.9')).status).toBe(429)
  })

  it('counts the client of the outermost of several proxies', async () => {
    const { anonymous } = await limited({ ...settings, 'server.proxy_hops': '2' })
    const render = (client: string) => anonymous.post('/markdown', { Text: 'hi' }, from(`${client}, 203.0.113.1`))
    for (let i = 0; i < 4; i++) expect((await render(`198.51.100.${i}`)).status).toBe(200)
  })

  it('counts searches and archives, nothing of what is cheap, and no one with credentials', async () => {
    const { anonymous, world } = await limited(settings)
    const alice = await world.user('alice')
    await world.repo({ owner: alice, name: 'one', autoInit: true })
    const own = from('192.0.2.2')
    expect((await anonymous.get('//alice/one/archive/main.zip', own)).status).toBe(200)
    for (const path of ['/repos/search', '/users/search', '/topics/search?q=a', '/repos/alice/one/archive/main.zip'])
      expect((await anonymous.get(path, own)).status, path).toBe(429)
    expect((await anonymous.get('//alice/one/archive/main.zip', own)).status).toBe(429)
    expect((await anonymous.get('/repos/alice/one', own)).status).toBe(200)
    expect((await anonymous.get('/version', own)).status).toBe(200)
    for (let i = 0; i < 5; i++) expect((await alice.client.get('/repos/search', own)).status).toBe(200)
  })
})

describe('the rate limit of password checks', () => {
  it('is for each address; passwords that were right a moment ago cost nothing', async () => {
    const { anonymous, world } = await limited({ 'rate_limit.passwords_per_minute': '2' })
    const alice = await world.user('alice')
    const own = from('192.0.2.3')
    for (let i = 0; i < 5; i++) expect((await alice.client.get('/user', own)).status).toBe(200)
    expect((await anonymous.get('/user', { ...basic('alice', 'wrong'), ...own })).status).toBe(401)
    expect((await anonymous.get('/user', { ...basic('alice', 'wrong'), ...own })).status).toBe(429)
    expect((await alice.client.get('/user', own)).status).toBe(200)
    expect((await anonymous.get('/user', { ...basic('alice', 'wrong'), ...from('192.0.2.4') })).status).toBe(401)
  })
})
