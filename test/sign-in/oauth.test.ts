import { createHash, randomBytes } from 'node:crypto'
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { createBrowser, type Browser } from '../harness/browser.ts'
import { createClient, type Any, type Client } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'

const CALLBACK = 'https://app.example.test/cb'
const GIT_CREDENTIAL_OAUTH = 'a4792ccc-144e-407e-86c9-5e7d8d9c3269'
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

function pkce() {
  const verifier = randomBytes(32).toString('base64url')
  return {
    verifier,
    query: { code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
  }
}

describeOnBoth('the OAuth2 provider', (kind) => {
  let server: TestServer
  let alice: Person
  let ahead = 0

  beforeAll(async () => {
    server = await startServer({ on: kind, clock: { now: () => systemClock.now() + ahead } })
    alice = await server.world.user('alice', { fullName: 'Alice <A>' })
    await server.world.repo({ owner: alice, name: 'secret', isPrivate: true, autoInit: true })
  })
  afterAll(() => server.close())

  interface App {
    readonly id: number
    readonly client: string
    readonly secret: string
  }

  async function register(more: object = {}, by = alice): Promise<App> {
    const { json } = await by.client.post('/user/applications/oauth2', {
      name: 'an <app>',
      redirect_uris: [CALLBACK],
      confidential_client: true,
      ...more,
    })
    return { id: json.id, client: json.client_id, secret: json.client_secret }
  }

  const authorizePath = (query: Record<string, string>): string =>
    `/login/oauth/authorize?${new URLSearchParams({ response_type: 'code', redirect_uri: CALLBACK, ...query })}`

  async function signedIn(name = 'alice'): Promise<Browser> {
    const browser = createBrowser(server.url)
    await browser.open('/user/login')
    await browser.send({ user_name: name, password: PASSWORD })
    return browser
  }

  /** Agrees where it is asked; gives the parameters of the redirect to the client. */
  async function authorize(
    browser: Browser,
    query: Record<string, string>,
    granted = 'true',
  ): Promise<URLSearchParams> {
    const page = await browser.open(authorizePath(query))
    const end = page.forms.length > 0 ? await browser.send({ granted }) : page
    expect(end.status).toBe(303)
    return new URL(end.url).searchParams
  }

  const post = async (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; json: Any }> => {
    const answer = await fetch(`${server.url}/login/oauth/${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers,
    })
    const text = await answer.text()
    return { status: answer.status, json: text.startsWith('{') ? JSON.parse(text) : text }
  }
  const exchange = (app: App, fields: Record<string, string>) =>
    post('access_token', { client_id: app.client, client_secret: app.secret, ...fields })
  const codeFor = async (app: App, query: Record<string, string> = {}, browser?: Browser): Promise<string> =>
    (await authorize(browser ?? (await signedIn()), { client_id: app.client, ...query })).get('code')!
  const tokensFor = async (app: App, query: Record<string, string> = {}, browser?: Browser): Promise<Any> => {
    const { status, json } = await exchange(app, {
      grant_type: 'authorization_code',
      code: await codeFor(app, query, browser),
      redirect_uri: CALLBACK,
    })
    expect(status).toBe(200)
    return json
  }
  const asToken = (token: string): Client =>
    createClient(server.url, server.app.operations, { authorization: `Bearer ${token}` })

  it('takes a user from the client through signing in and agreeing back to the client, whose token works', async () => {
    const app = await register()
    const browser = createBrowser(server.url)
    const login = await browser.open(
      authorizePath({ client_id: app.client, scope: 'read:user read:repository', state: 'a b&c' }),
    )
    expect(login.url).toContain('/user/login?redirect_to=')
    expect(login.headers.get('content-security-policy')).toContain("form-action 'self' https://app.example.test;")
    const question = await browser.send({ user_name: 'alice', password: PASSWORD })
    expect(question.text).toContain('an &lt;app&gt;')
    expect(question.text).toContain('<code>read:repository</code>')
    expect(question.headers.get('content-security-policy')).toContain("form-action 'self' https://app.example.test;")
    const back = await browser.send({ granted: 'true' })
    const url = new URL(back.url)
    expect([back.status, url.origin + url.pathname, url.searchParams.get('state')]).toEqual([303, CALLBACK, 'a b&c'])
    expect(url.searchParams.get('code')).toMatch(/^gta_[a-z2-7]{52}$/)
    const { status, json } = await exchange(app, {
      grant_type: 'authorization_code',
      code: url.searchParams.get('code')!,
      redirect_uri: CALLBACK,
    })
    expect([status, json.token_type, json.expires_in, json.id_token]).toEqual([200, 'bearer', 3600, undefined])
    const client = asToken(json.access_token)
    expect((await client.get('/user')).json.login).toBe('alice')
    expect((await client.get('/repos/alice/secret')).status).toBe(200)
    expect((await client.post('/user/repos', { name: 'no' })).status).toBe(403)
    expect((await server.anonymous.post('/user/repos', { name: 'no' }, basic('alice', json.access_token))).status).toBe(
      403,
    )
    expect((await server.anonymous.get('/user', basic('oauth2', json.access_token))).json.login).toBe('alice')
    const refs = (service: string) =>
      fetch(`${server.url}/alice/secret.git/info/refs?service=${service}`, {
        headers: basic('oauth2', json.access_token),
      })
    expect([(await refs('git-upload-pack')).status, (await refs('git-receive-pack')).status]).toEqual([200, 403])
    expect(
      (await authorize(browser, { client_id: app.client, scope: 'read:user read:repository' })).get('code'),
    ).toMatch(/^gta_/)
  })

  it('tells users what is wrong with a client it cannot trust, and sends nothing there', async () => {
    const app = await register()
    const browser = await signedIn()
    const cases = [
      [{ client_id: 'nobody' }, 'Client ID not registered'],
      [{ client_id: app.client, redirect_uri: 'https://evil.test/cb' }, 'Unregistered Redirect URI'],
      [{ client_id: app.client, redirect_uri: '' }, 'Unregistered Redirect URI'],
    ] as const
    for (const [query, text] of cases) {
      const page = await browser.open(authorizePath(query))
      expect([page.status, page.text.includes(text), page.headers.get('location')]).toEqual([400, true, null])
    }
    const script = await register({ redirect_uris: ['javascript:alert(1)//'] })
    expect(
      (await browser.open(authorizePath({ client_id: script.client, redirect_uri: 'javascript:alert(1)//' }))).status,
    ).toBe(400)
  })

  it('tells the client everything else', async () => {
    const app = await register()
    const open = await register({ confidential_client: false })
    const browser = await signedIn()
    const told = async (query: Record<string, string>, granted?: string) => {
      const sent = await authorize(browser, query, granted)
      return [sent.get('error'), sent.get('error_description'), sent.get('state')]
    }
    expect(await told({ client_id: app.client, response_type: 'token', state: 's' })).toEqual([
      'unsupported_response_type',
      'Only code response type is supported.',
      's',
    ])
    expect(await told({ client_id: open.client })).toEqual([
      'invalid_request',
      'PKCE is required for public clients',
      null,
    ])
    expect(await told({ client_id: open.client, code_challenge_method: 'S256' })).toEqual([
      'invalid_request',
      'PKCE is required for public clients',
      null,
    ])
    expect(await told({ client_id: open.client, code_challenge: 'x', code_challenge_method: 'S512' })).toEqual([
      'invalid_request',
      'unsupported code challenge method',
      null,
    ])
    expect(await told({ client_id: app.client, state: 's' }, 'false')).toEqual([
      'access_denied',
      'the request is denied',
      's',
    ])
    await authorize(browser, { client_id: app.client, scope: 'read:user' })
    expect(await told({ client_id: app.client, scope: 'write:user' })).toEqual([
      'server_error',
      'a grant exists with different scope',
      null,
    ])
  })

  it('lets in only what the user was asked, in the browser that was asked', async () => {
    const app = await register()
    const browser = await signedIn()
    await browser.open(authorizePath({ client_id: app.client, scope: 'read:user' }))
    const { ticket } = browser.page.forms[0]!.fields
    expect((await browser.send({ granted: 'true' }, { headers: { origin: 'https://evil.test' } })).status).toBe(403)
    await server.world.user('mallory').catch(() => undefined)
    const mallory = await signedIn('mallory')
    await mallory.open(authorizePath({ client_id: app.client, scope: 'read:user' }))
    expect((await mallory.send({ granted: 'true', ticket: ticket! })).status).toBe(400)
    await mallory.open(authorizePath({ client_id: app.client, scope: 'read:user' }))
    ahead += 3_600_000 + 1000
    expect((await mallory.send({ granted: 'true' })).status).toBe(400)
  })

  it('gives tokens for a code once, in time, to its own client, for the right verifier', async () => {
    const app = await register()
    const other = await register()
    const fields = { grant_type: 'authorization_code', redirect_uri: CALLBACK }
    const refusal = async (client: App, more: Record<string, string>) => {
      const { status, json } = await exchange(client, { ...fields, ...more })
      return [status, json.error, json.error_description]
    }
    const code = await codeFor(app)
    expect(await refusal(other, { code })).toEqual([400, 'invalid_grant', 'invalid grant'])
    expect(await refusal({ ...app, secret: 'wrong' }, { code })).toEqual([
      400,
      'unauthorized_client',
      'invalid client secret',
    ])
    expect(await refusal({ ...app, secret: '' }, { code })).toEqual([
      400,
      'unauthorized_client',
      'invalid empty client secret',
    ])
    expect(await refusal(app, { code, redirect_uri: 'https://evil.test' })).toEqual([
      400,
      'unauthorized_client',
      'unexpected redirect URI',
    ])
    const both = await Promise.all([exchange(app, { ...fields, code }), exchange(app, { ...fields, code })])
    expect(both.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 400])
    expect(await refusal(app, { code })).toEqual([400, 'unauthorized_client', 'client is not authorized'])
    const late = await codeFor(app)
    ahead += 10 * 60_000 + 1000
    expect(await refusal(app, { code: late })).toEqual([400, 'invalid_grant', 'authorization code expired'])

    const open = await register({ confidential_client: false })
    const { verifier, query } = pkce()
    const guarded = await codeFor(open, query)
    const bare = { ...open, secret: '' }
    expect(await refusal(bare, { code: guarded })).toEqual([400, 'unauthorized_client', 'failed PKCE code challenge'])
    expect(await refusal(bare, { code: guarded, code_verifier: query.code_challenge })).toEqual([
      400,
      'unauthorized_client',
      'failed PKCE code challenge',
    ])
    expect((await exchange(bare, { ...fields, code: guarded, code_verifier: verifier })).status).toBe(200)
    const rows = await server.app.database.read.selectFrom('oauth_code').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(late)
  })

  it('knows the clients that come with git, on any port of the own machine', async () => {
    const browser = await signedIn()
    const { verifier, query } = pkce()
    const page = await browser.open(
      authorizePath({
        client_id: GIT_CREDENTIAL_OAUTH,
        redirect_uri: 'http://127.0.0.1:43210',
        scope: 'read:repository write:repository',
        ...query,
      }),
    )
    expect(page.text).toContain('git-credential-oauth')
    const code = new URL((await browser.send({ granted: 'true' })).url).searchParams.get('code')!
    const { json } = await post('access_token', {
      grant_type: 'authorization_code',
      client_id: GIT_CREDENTIAL_OAUTH,
      code,
      redirect_uri: 'http://127.0.0.1:43210',
      code_verifier: verifier,
    })
    expect((await asToken(json.access_token).get('/repos/alice/secret')).status).toBe(200)
    expect((await asToken(json.access_token).get('/user')).status).toBe(403)
  })

  it('renews tokens, and an old refresh token stays good', async () => {
    const app = await register()
    const first = await tokensFor(app, { scope: 'read:user' })
    for (let i = 0; i < 2; i++) {
      const again = await exchange(app, { grant_type: 'refresh_token', refresh_token: first.refresh_token })
      expect(again.status).toBe(200)
      expect((await asToken(again.json.access_token).get('/user')).status).toBe(200)
    }
  })

  /** The same world on a server of its own. */
  async function elsewhere(settings: Record<string, string>, work: () => Promise<void>): Promise<void> {
    const [usual, usualAlice] = [server, alice]
    server = await startServer({ on: kind, clock: { now: () => systemClock.now() + ahead }, settings })
    try {
      alice = await server.world.user('alice')
      await work()
    } finally {
      await server.close()
      server = usual
      alice = usualAlice
    }
  }

  it('by setting a refresh token works once, and an old one that comes back late ends the chain', () =>
    elsewhere({ 'oauth2.invalidate_refresh_tokens': 'true' }, async () => {
      const app = await register()
      const first = await tokensFor(app, { scope: 'read:user' })
      const refresh = (token: string) => exchange(app, { grant_type: 'refresh_token', refresh_token: token })
      ahead += 3_600_000 + 1000
      expect((await asToken(first.access_token).get('/user')).status).toBe(401)
      const second = await refresh(first.refresh_token)
      expect(second.status).toBe(200)
      expect((await asToken(second.json.access_token).get('/user')).status).toBe(200)
      expect((await refresh(first.refresh_token)).json).toEqual({
        error: 'unauthorized_client',
        error_description: 'token was already used',
      })
      const racing = await Promise.all([refresh(second.json.refresh_token), refresh(second.json.refresh_token)])
      expect(racing.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 400])
      const third = racing.find((answer) => answer.status === 200)!.json
      expect((await asToken(third.access_token).get('/user')).status).toBe(200)
      ahead += 61_000
      expect((await refresh(first.refresh_token)).status).toBe(400)
      expect((await asToken(third.access_token).get('/user')).status).toBe(401)
      expect((await refresh(third.refresh_token)).json.error_description).toBe('grant does not exist')
    }))

  it('takes no refresh token, id token or foreign token for an access token', async () => {
    const app = await register()
    const tokens = await tokensFor(app, { scope: 'openid' })
    const [head, body] = tokens.access_token.split('.') as [string, string]
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`
    const { keys } = (await (await fetch(`${server.url}/login/oauth/keys`)).json()) as JSONWebKeySet
    const hmac = `${Buffer.from(JSON.stringify({ alg: 'HS256', kid: keys[0]!.kid })).toString('base64url')}.${body}`
    const forged = `${hmac}.${createHash('sha256').update(hmac).digest('base64url')}`
    for (const token of [
      tokens.refresh_token,
      tokens.id_token,
      unsigned,
      forged,
      `${head}.${body}.AAAA`,
      'a.b.c',
      '..',
      '.',
    ])
      expect((await asToken(token).get('/user')).status).toBe(401)
    expect((await asToken(tokens.access_token).get('/user')).status).toBe(200)
  })

  it('ends with the grant, the application and the account', async () => {
    const erin = await server.world.user('erin')
    const browser = await signedIn('erin')
    const app = await register()
    const tokens = await tokensFor(app, {}, browser)
    expect((await asToken(tokens.access_token).get('/user')).json.login).toBe('erin')
    const home = await browser.open('/user/applications')
    expect(home.text).toContain('an &lt;app&gt;')
    await browser.send({})
    expect((await asToken(tokens.access_token).get('/user')).status).toBe(401)
    expect((await exchange(app, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).json.error).toBe(
      'invalid_grant',
    )
    const again = await tokensFor(app, {}, browser)
    await alice.client.delete(`/user/applications/oauth2/${app.id}`)
    expect((await asToken(again.access_token).get('/user')).status).toBe(401)
    const last = await tokensFor(await register(), {}, browser)
    const root = await server.world.admin()
    await root.client.patch('/admin/users/erin', { source_id: 0, login_name: 'erin', active: false })
    expect((await asToken(last.access_token).get('/user')).status).toBe(403)
    expect(
      (await fetch(`${server.url}/login/oauth/userinfo`, { headers: { authorization: `Bearer ${last.access_token}` } }))
        .status,
    ).toBe(401)
    expect(erin.name).toBe('erin')
  })

  it('is an OpenID provider: a signed id token, keys, user info, discovery', async () => {
    const { org } = await server.world.org('acme', { owner: alice })
    const app = await register()
    const tokens = await tokensFor(app, { scope: 'openid profile email groups', nonce: 'n-1' })
    const root = (await (await fetch(`${server.url}/.well-known/openid-configuration`)).json()) as Record<
      string,
      string
    >
    expect(root['issuer']).toBe(server.url)
    const keys = createLocalJWKSet((await (await fetch(root['jwks_uri']!)).json()) as JSONWebKeySet)
    const { payload } = await jwtVerify(tokens.id_token, keys, {
      issuer: server.url,
      audience: app.client,
      currentDate: new Date(systemClock.now() + ahead),
    })
    expect(payload).toMatchObject({
      sub: String(alice.user.id),
      nonce: 'n-1',
      name: 'Alice <A>',
      preferred_username: 'alice',
      email: 'alice@example.test',
      groups: [org.name, `${org.name}:owners`],
    })
    expect(payload).not.toHaveProperty('website')
    const info = async (headers: Record<string, string>) => fetch(root['userinfo_endpoint']!, { headers })
    expect(await (await info({ authorization: `Bearer ${tokens.access_token}` })).json()).toMatchObject({
      sub: String(alice.user.id),
      preferred_username: 'alice',
      groups: ['acme', 'acme:owners'],
    })
    expect((await info({ authorization: `token ${await alice.token('read:user')}` })).status).toBe(200)
    for (const headers of [{}, basic('alice', PASSWORD), { authorization: 'Bearer nothing' }] as Record<
      string,
      string
    >[]) {
      const refused = await info(headers)
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="Gitea OAuth2"'])
    }
    expect((await fetch(`${server.url}/login/oauth/access_token`)).status).toBe(405)
    const stored = await server.app.database.read.selectFrom('signing_key').selectAll().execute()
    expect([stored.length, JSON.stringify(stored).includes('PRIVATE')]).toEqual([1, false])
  })

  it('tells clients about tokens, and nobody else', async () => {
    const app = await register()
    const tokens = await tokensFor(app, { scope: 'read:user' })
    const ask = (token: string, headers: Record<string, string> = basic(app.client, app.secret)) =>
      post('introspect', { token }, headers)
    for (const token of [tokens.access_token, tokens.refresh_token])
      expect((await ask(token)).json).toEqual({
        active: true,
        scope: 'read:user',
        username: 'alice',
        iss: server.url,
        sub: String(alice.user.id),
        aud: [app.client],
      })
    expect((await ask('x.y.z')).json).toEqual({ active: false })
    expect((await ask(tokens.access_token, {})).status).toBe(401)
    expect((await ask(tokens.access_token, basic(app.client, 'wrong'))).status).toBe(401)
    expect((await ask(tokens.access_token, { authorization: `Bearer ${tokens.access_token}` })).status).toBe(401)
  })

  it('reads requests as forms, as multipart and as JSON, and clients by Basic', async () => {
    const app = await register()
    const url = `${server.url}/login/oauth/access_token`
    const fields = { grant_type: 'authorization_code', redirect_uri: CALLBACK }
    const form = new FormData()
    for (const [name, value] of Object.entries({
      ...fields,
      client_id: app.client,
      client_secret: app.secret,
      code: await codeFor(app),
    }))
      form.set(name, value)
    expect((await fetch(url, { method: 'POST', body: form })).status).toBe(200)
    const json = JSON.stringify({
      ...fields,
      client_id: app.client,
      client_secret: app.secret,
      code: await codeFor(app),
    })
    expect(
      (await fetch(url, { method: 'POST', body: json, headers: { 'content-type': 'application/json' } })).status,
    ).toBe(200)
    expect(
      (await post('access_token', { ...fields, code: await codeFor(app) }, basic(app.client, app.secret))).status,
    ).toBe(200)
    for (const [grantType, quoted] of [
      ['authorization_code', "'nobody'"],
      ['refresh_token', '"nobody"'],
    ]) {
      expect((await post('access_token', { grant_type: grantType!, client_id: 'nobody' })).json).toEqual({
        error: 'invalid_client',
        error_description: `cannot load client with client id: ${quoted}`,
      })
    }
    const conflict = await post(
      'access_token',
      { ...fields, client_id: 'other', code: 'x' },
      basic(app.client, app.secret),
    )
    expect(conflict.json).toEqual({
      error: 'invalid_request',
      error_description: 'client_id in request body inconsistent with Authorization header',
    })
    for (const body of ['{', '[]', 'null', '"x"'])
      expect((await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })).status).toBe(
        400,
      )
    expect(
      (await fetch(url, { method: 'POST', body: 'nonsense', headers: { 'content-type': 'multipart/form-data' } }))
        .status,
    ).toBe(400)
  })
})

it('clients in browsers of other origins may call the endpoints where the operator lets them, never the pages', async () => {
  const origin = 'https://spa.example.test'
  const preflight = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  }
  const closed = await startServer()
  const open = await startServer({ settings: { 'cors.enabled': 'true', 'cors.allow_domain': origin } })
  try {
    const options = (server: TestServer, path: string) =>
      fetch(server.url + path, { method: 'OPTIONS', headers: preflight })
    expect((await options(closed, '/login/oauth/access_token')).status).toBe(405)
    const allowed = await options(open, '/login/oauth/access_token')
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, origin])
    const refused = await fetch(`${open.url}/login/oauth/access_token`, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams(),
    })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([400, origin])
    expect(
      (await fetch(`${open.url}/user/login`, { headers: { origin } })).headers.get('access-control-allow-origin'),
    ).toBeNull()
  } finally {
    await closed.close()
    await open.close()
  }
})

it('nothing of the provider is there when it is switched off, and its tokens count no more', async () => {
  const server = await startServer({ settings: { 'oauth2.enabled': 'false' } })
  try {
    for (const path of [
      '/login/oauth/authorize',
      '/login/oauth/keys',
      '/login/oauth/userinfo',
      '/.well-known/openid-configuration',
    ])
      expect((await fetch(server.url + path)).status).toBe(404)
    expect((await fetch(`${server.url}/user/login`)).status).toBe(200)
    expect((await server.anonymous.get('/user', { authorization: 'Bearer a.b.c' })).status).toBe(401)
  } finally {
    await server.close()
  }
})
