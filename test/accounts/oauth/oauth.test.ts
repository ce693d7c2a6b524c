import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose'
import { expect, it } from 'vitest'
import { systemClock } from '../../../src/core/platform/clock.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD } from '../../harness/world.ts'
import { basic, CALLBACK, useOauthServer } from './oauth-fixture.ts'

describeOnBoth('the endpoints of the OAuth2 provider', (kind) => {
  const { world, register, post, codeFor, tokensFor } = useOauthServer(kind)

  it('is an OpenID provider: a signed id token, keys, user info, discovery', async () => {
    const { org } = await world.server.world.org('acme', { owner: world.alice })
    const app = await register()
    const tokens = await tokensFor(app, { scope: 'openid profile email groups', nonce: 'n-1' })
    const root = (await (await fetch(`${world.server.url}/.well-known/openid-configuration`)).json()) as Record<
      string,
      string
    >
    expect(root['issuer']).toBe(world.server.url)
    const keys = createLocalJWKSet((await (await fetch(root['jwks_uri']!)).json()) as JSONWebKeySet)
    const { payload } = await jwtVerify(tokens.id_token, keys, {
      issuer: world.server.url,
      audience: app.client,
      currentDate: new Date(systemClock.now() + world.ahead),
    })
    expect(payload).toMatchObject({
      sub: String(world.alice.user.id),
      nonce: 'n-1',
      name: 'Alice <A>',
      preferred_username: 'alice',
      email: 'alice@example.test',
      groups: [org.name, `${org.name}:owners`],
    })
    expect(payload).not.toHaveProperty('website')
    const info = async (headers: Record<string, string>) => fetch(root['userinfo_endpoint']!, { headers })
    expect(await (await info({ authorization: `Bearer ${tokens.access_token}` })).json()).toMatchObject({
      sub: String(world.alice.user.id),
      preferred_username: 'alice',
      groups: ['acme', 'acme:owners'],
    })
    expect((await info({ authorization: `token ${await world.alice.token('read:user')}` })).status).toBe(200)
    for (const headers of [{}, basic('alice', PASSWORD), { authorization: 'Bearer nothing' }] as Record<
      string,
      string
    >[]) {
      const refused = await info(headers)
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="Gitea OAuth2"'])
    }
    expect((await fetch(`${world.server.url}/login/oauth/access_token`)).status).toBe(405)
    const stored = await world.server.app.database.read.selectFrom('signing_key').selectAll().execute()
    expect([stored.length, JSON.stringify(stored).includes('PRIVATE')]).toEqual([1, false])
  })

  it('introspects tokens for clients only', async () => {
    const app = await register()
    const tokens = await tokensFor(app, { scope: 'read:user' })
    const ask = (token: string, headers: Record<string, string> = basic(app.client, app.secret)) =>
      post('introspect', { token }, headers)
    for (const token of [tokens.access_token, tokens.refresh_token])
      expect((await ask(token)).json).toEqual({
        active: true,
        scope: 'read:user',
        username: 'alice',
        iss: world.server.url,
        sub: String(world.alice.user.id),
        aud: [app.client],
      })
    expect((await ask('x.y.z')).json).toEqual({ active: false })
    const other = await register()
    for (const token of [tokens.access_token, tokens.refresh_token])
      expect((await ask(token, basic(other.client, other.secret))).json).toEqual({ active: false })
    expect((await ask(tokens.access_token, {})).status).toBe(401)
    expect((await ask(tokens.access_token, basic(app.client, 'wrong'))).status).toBe(401)
    expect((await ask(tokens.access_token, { authorization: `Bearer ${tokens.access_token}` })).status).toBe(401)
  })

  it('reads requests as forms, as multipart and as JSON, and clients by Basic', async () => {
    const app = await register()
    const url = `${world.server.url}/login/oauth/access_token`
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
    // RFC 6749 §2.3.1, as some libraries encode everything but letters and digits.
    const encode = (text: string): string => text.replaceAll('-', '%2D').replaceAll('_', '%5F')
    const encoded = basic(encode(app.client), encode(app.secret))
    expect((await post('access_token', { ...fields, code: await codeFor(app) }, encoded)).status).toBe(200)
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

it('clients in browsers of other origins may call the endpoints when CORS is configured, never the pages', async () => {
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

it('the disabled provider has no endpoints, and its tokens are no longer valid', async () => {
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
