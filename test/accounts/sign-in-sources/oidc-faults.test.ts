import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createBrowser, type Browser } from '../../harness/browser.ts'
import { createClient } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { rows } from '../../harness/expect.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { callbackOf, CLIENT, type Misbehaviour, type OddProvider, SECRET, startOddProvider } from './oidc-fixture.ts'

const SESSION = 'ingot_session'
const HOME = '/user/applications'

describeOnBoth('providers that do not behave', (kind) => {
  let server: TestServer
  let root: Person
  let odd: OddProvider
  let other: OddProvider
  let oddId: number

  async function addSource(name: string, oidc: object): Promise<number> {
    const { json } = await root.client.post('/admin/auth-sources', {
      name,
      kind: 'oidc',
      oidc: { client_id: CLIENT, client_secret: SECRET, registration: 'on', ...oidc },
    })
    return json.id
  }

  beforeAll(async () => {
    server = await startServer({ on: kind, tuning: { providers: { answer: 500 } } })
    root = await server.world.admin()
    odd = await startOddProvider()
    other = await startOddProvider()
    oddId = await addSource('odd', { issuer: odd.url })
    await addSource('other', { issuer: other.url })
  })
  beforeEach(async () => {
    odd.misbehaviour = {}
    odd.person = { sub: 'odd', preferred_username: `odd-${kind}` }
    // What the server knows of the provider belongs to these settings.
    await root.client.patch(`/admin/auth-sources/${oddId}`, { oidc: { client_secret: `${SECRET}${Math.random()}` } })
  })
  afterAll(async () => {
    await Promise.all([odd.close(), other.close()])
    await server.close()
  })

  const browser = (): Browser => createBrowser(server.url)

  async function signIn(misbehaviour: Misbehaviour = {}) {
    odd.misbehaviour = misbehaviour
    const page = browser()
    const { url, status } = await page.open('/user/oauth2/odd')
    if (url.startsWith(server.url)) return { status, isSignedIn: false }
    const answered = await page.open(odd.answerTo(url))
    return { status: answered.status, isSignedIn: page.cookies.has(SESSION) }
  }

  it('sign in when they behave', async () => {
    expect(await signIn()).toEqual({ status: 200, isSignedIn: true })
  })

  it('are refused with a token of another issuer, client, nonce or key, and with an old one', async () => {
    for (const misbehaviour of [
      { idToken: { iss: 'https://evil.test' } },
      { idToken: { aud: 'another-client' } },
      { idToken: { nonce: 'another' } },
      { idToken: { exp: 1_000_000 } },
      { signsWithOtherKey: true },
    ] satisfies Misbehaviour[]) {
      expect([misbehaviour, await signIn(misbehaviour)]).toEqual([misbehaviour, { status: 401, isSignedIn: false }])
    }
  })

  it('are refused when the subject changes between the token and the account', async () => {
    expect(await signIn({ userinfo: { sub: 'another' } })).toEqual({ status: 401, isSignedIn: false })
  })

  it('sign a user whose subject changed in to no account', async () => {
    const person = { preferred_username: `uma-${kind}`, email: `uma-${kind}@odd.test`, email_verified: true }
    odd.person = { ...person, sub: 'first' }
    expect(await signIn()).toEqual({ status: 200, isSignedIn: true })
    odd.person = { ...person, sub: 'second' }
    expect(await signIn()).toEqual({ status: 403, isSignedIn: false })
    expect(await rows(server, 'external_identity', { subject: 'second' })).toEqual([])
    odd.person = { ...person, sub: 'first' }
    expect(await signIn()).toEqual({ status: 200, isSignedIn: true })
  })

  it('may have a clock that differs by some seconds, not by minutes', async () => {
    const now = Math.floor(Date.now() / 1000)
    for (const idToken of [{ exp: now - 5 }, { nbf: now + 15 }])
      expect([idToken, await signIn({ idToken })]).toEqual([idToken, { status: 200, isSignedIn: true }])
    for (const idToken of [{ exp: now - 120 }, { nbf: now + 120 }])
      expect([idToken, await signIn({ idToken })]).toEqual([idToken, { status: 401, isSignedIn: false }])
  })

  it('are refused when another provider answers', async () => {
    for (const answer of [{ iss: other.url }, { iss: null }, { state: 'another' }, { state: null }, { code: null }]) {
      expect([answer, await signIn({ answer })]).toEqual([answer, { status: 401, isSignedIn: false }])
    }
    const page = browser()
    const { url } = await page.open('/user/oauth2/odd')
    const answer = new URL(odd.answerTo(url))
    const mixed = await page.open(callbackOf(server, 'other') + answer.search)
    expect([mixed.status, page.cookies.has(SESSION)]).toEqual([400, false])
    expect(other.requested).not.toContain('/token')
  })

  it('show an error page when they are unavailable, slow, invalid or too large, without effect on other users', async () => {
    const discovery = '/.well-known/openid-configuration'
    await server.world.user(`free-${kind}`)
    for (const misbehaviour of [
      { path: discovery, handle: (request) => request.socket.destroy() },
      { path: discovery, handle: () => {} },
      { path: discovery, handle: (_, response) => response.end('<html>') },
      { path: discovery, handle: (_, response) => response.writeHead(500).end() },
      { path: discovery, handle: (_, response) => response.end('x'.repeat(2 * 1024 * 1024)) },
      {
        path: discovery,
        handle: (_, response) => response.writeHead(302, { location: `${other.url}${discovery}` }).end(),
      },
      { discovery: { issuer: 'https://evil.test' } },
      { path: '/token', handle: (request) => request.socket.destroy() },
      { path: '/token', handle: () => {} },
      { path: '/token', handle: (_, response) => response.writeHead(500).end('down') },
      { path: '/keys', handle: (request) => request.socket.destroy() },
      { path: '/userinfo', handle: (request) => request.socket.destroy() },
    ] satisfies Misbehaviour[]) {
      await root.client.patch(`/admin/auth-sources/${oddId}`, { oidc: { client_secret: `${SECRET}${Math.random()}` } })
      expect([misbehaviour, await signIn(misbehaviour)]).toEqual([misbehaviour, { status: 503, isSignedIn: false }])
    }
    const free = browser()
    expect((await free.open('/user/login')).text).toContain('Sign in with odd')
    await free.send({ user_name: `free-${kind}`, password: PASSWORD })
    expect(free.cookies.has(SESSION)).toBe(true)
  })

  it('can be tested by an administrator, who learns why they do not answer', async () => {
    const path = '/.well-known/openid-configuration'
    const test = async (body: object = {}) => root.client.post(`/admin/auth-sources/${oddId}/test`, body)
    expect((await test()).json).toEqual({ ok: true, message: `the provider answers as ${odd.url}`, person: null })
    for (const [misbehaviour, reason] of [
      [{ path, handle: (request) => request.socket.destroy() }, /odd cannot be reached: /],
      [{ path, handle: (_, response) => response.writeHead(404).end() }, /odd cannot be reached: /],
      [{ discovery: { issuer: 'https://evil.test' } }, /odd cannot be reached: .*issuer/],
    ] satisfies [Misbehaviour, RegExp][]) {
      odd.misbehaviour = misbehaviour
      expect((await test()).json, 'although it has just answered').toEqual({
        ok: false,
        message: expect.stringMatching(reason),
        person: null,
      })
    }
    expect(await test({ login: 'odd', password: 'x' })).toMatchObject({
      status: 422,
      json: { message: 'only a browser can sign in at the provider odd' },
    })
    expect(await rows(server, 'external_identity', { subject: 'odd' })).toHaveLength(1)
  })

  it('cannot make the server connect to addresses in private networks', async () => {
    for (const url of ['http://169.254.169.254', 'http://10.0.0.1', 'http://localhost:1'])
      expect(await signIn({ discovery: { token_endpoint: `${url}/token` } })).toEqual({
        status: 503,
        isSignedIn: false,
      })
  })

  it('receive the ID token at sign-out, if it fits into a cookie', async () => {
    const signOut = async (idToken: object) => {
      odd.misbehaviour = { idToken: { ...idToken }, discovery: { end_session_endpoint: `${odd.url}/end` } }
      const page = browser()
      await page.open(odd.answerTo((await page.open('/user/oauth2/odd')).url))
      await page.send({}, { form: page.page.forms.findIndex(({ action }) => action.endsWith('/logout')) })
      const [, url] = /<a href="([^"]*)">Sign out of odd/.exec(page.page.text)!
      return new URL(url!.replaceAll('&amp;', '&')).searchParams.has('id_token_hint')
    }
    expect([await signOut({}), await signOut({ groups: 'x'.repeat(4000) })]).toEqual([true, false])
  })

  it('get no account for names and subjects that cannot be', async () => {
    for (const person of [
      { sub: 'x'.repeat(300), preferred_username: 'long' },
      { sub: 'none', preferred_username: '../..' },
      { sub: 'user', preferred_username: 'user' },
      { sub: 'list', preferred_username: ['a'] },
    ]) {
      odd.person = person
      const { isSignedIn, status } = await signIn()
      expect([person.preferred_username, isSignedIn || status >= 500]).toEqual([
        person.preferred_username,
        person.sub === 'list',
      ])
    }
    const identities = await rows(server, 'external_identity')
    expect(identities.map(({ subject }) => subject).toSorted()).toEqual(['first', 'list', 'odd'])
  })
})

describeOnBoth('answers of providers', (kind) => {
  it('are limited for each address, and refused ones are in the audit log', async () => {
    const server = await startServer({ on: kind, settings: { 'rate_limit.passwords_per_minute': '3' } })
    const odd = await startOddProvider()
    try {
      const root = await server.world.admin()
      const token = await root.token('all')
      const admin = createClient(server.url, server.app.operations, { authorization: `token ${token}` })
      await admin.post('/admin/auth-sources', {
        name: 'odd',
        kind: 'oidc',
        oidc: { issuer: odd.url, client_id: CLIENT, client_secret: SECRET },
      })
      odd.misbehaviour = { answer: { code: 'wrong' } }
      const statuses: number[] = []
      for (let attempt = 0; attempt < 5; attempt++) {
        const page = createBrowser(server.url)
        const { url } = await page.open('/user/oauth2/odd')
        statuses.push((await page.open(odd.answerTo(url))).status)
      }
      const accepted = statuses.filter((status) => status === 401).length
      expect(statuses.toSorted((a, b) => a - b)).toEqual([
        ...Array(accepted).fill(401),
        ...Array(5 - accepted).fill(429),
      ])
      expect([accepted > 0, accepted <= 3]).toEqual([true, true])
      expect(odd.requested.filter((path) => path === '/token')).toHaveLength(accepted)
      await server.app.signInRecords.flush()
      await server.drain()
      const { json } = await admin.get('/admin/audit?action=sign-in.failed')
      expect(json.map(({ credential }: { credential: object }) => credential)).toContainEqual(
        expect.objectContaining({ kind: 'sign-in-source', name: 'odd' }),
      )
    } finally {
      await odd.close()
      await server.close()
    }
  })
})

describeOnBoth('other servers as providers', (kind) => {
  it('another Ingot signs its users in, with their groups', async () => {
    const [here, there] = await Promise.all([startServer({ on: kind }), startServer()])
    try {
      const root = await here.world.admin()
      const alice = await there.world.user('alice')
      await alice.client.post('/orgs', { username: 'acme' })
      const { json: app } = await alice.client.post('/user/applications/oauth2', {
        name: 'here',
        redirect_uris: [callbackOf(here, 'there')],
        confidential_client: true,
      })
      await root.client.post('/admin/auth-sources', {
        name: 'there',
        kind: 'oidc',
        oidc: {
          issuer: there.url,
          client_id: app.client_id,
          client_secret: app.client_secret,
          scopes: ['openid', 'profile', 'email', 'groups'],
          registration: 'domains',
          allowed_domains: ['example.test'],
          groups_claim: 'groups',
          allowed_groups: ['acme'],
        },
      })
      const visitor = createBrowser(here.url)
      const { url } = await visitor.open('/user/oauth2/there')
      const provider = createBrowser(there.url)
      await provider.open(url)
      await provider.send({ user_name: 'alice', password: PASSWORD })
      const { url: back } = await provider.send({ granted: 'true' })
      const page = await visitor.open(back)
      expect([page.url, page.text]).toEqual([
        here.url + HOME,
        expect.stringContaining('Signed in as <strong>alice</strong>'),
      ])
      const { json } = await root.client.get('/admin/users?q=alice')
      expect(json[0]).toMatchObject({ email: 'alice@example.test', login_name: String(alice.user.id) })
    } finally {
      await Promise.all([here.close(), there.close()])
    }
  })

  it('OAuth2 without OpenID Connect numbers its users', async () => {
    const server = await startServer({ on: kind })
    const hub = await startOddProvider()
    hub.person = { sub: '', id: 4711, login: 'octo', name: 'Octo Cat', email: 'octo@example.test' }
    hub.misbehaviour = { answer: { iss: null } }
    try {
      const root = await server.world.admin()
      await root.client.post('/admin/auth-sources', {
        name: 'hub',
        kind: 'oidc',
        oidc: {
          issuer: hub.url,
          authorization_url: `${hub.url}/authorize`,
          token_url: `${hub.url}/token`,
          userinfo_url: `${hub.url}/userinfo`,
          client_id: CLIENT,
          client_secret: SECRET,
          scopes: ['read:user', 'user:email'],
          subject_claim: 'id',
          username_claim: 'login',
          registration: 'on',
          trust_email: true,
        },
      })
      const page = createBrowser(server.url)
      const { url } = await page.open('/user/oauth2/hub')
      expect(new URL(url).searchParams.get('nonce')).toBe(null)
      await page.open(hub.answerTo(url))
      expect(page.page.text).toContain('Signed in as <strong>octo</strong>')
      expect(await rows(server, 'external_identity')).toMatchObject([{ subject: '4711', login_name: 'octo' }])
      expect(hub.requested).toEqual(['/token', '/userinfo'])
      hub.misbehaviour = { ...hub.misbehaviour, path: '/userinfo', handle: (_, response) => response.end('[') }
      const refused = createBrowser(server.url)
      const begun = await refused.open('/user/oauth2/hub')
      const { status } = await refused.open(hub.answerTo(begun.url))
      expect([status, refused.cookies.has(SESSION)]).toEqual([401, false])
    } finally {
      await hub.close()
      await server.close()
    }
  })
})
