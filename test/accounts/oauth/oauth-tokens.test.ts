import { createHash } from 'node:crypto'
import { type JSONWebKeySet } from 'jose'
import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { CALLBACK, pkce, useOauthServer, type OauthApp } from './oauth-fixture.ts'

const GIT_CREDENTIAL_OAUTH = 'a4792ccc-144e-407e-86c9-5e7d8d9c3269'

describeOnBoth('tokens of the OAuth2 provider', (kind) => {
  const { world, register, authorizePath, authorize, signedIn, post, exchange, codeFor, tokensFor, asToken } =
    useOauthServer(kind)

  it('exchanges a code once, in time, for its own client, with the right verifier', async () => {
    const app = await register()
    const other = await register()
    const fields = { grant_type: 'authorization_code', redirect_uri: CALLBACK }
    const refusal = async (client: OauthApp, more: Record<string, string>) => {
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
    world.ahead += 10 * 60_000 + 1000
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
    const rows = await world.server.app.database.read.selectFrom('oauth_code').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(late)
  })

  it('accepts the built-in clients of git, on any loopback port', async () => {
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

  it('compares loopback addresses of public clients at the exchange without the port', async () => {
    const app = await register({ confidential_client: false, redirect_uris: ['http://127.0.0.1/cb', CALLBACK] })
    const secretive = await register({ redirect_uris: ['http://127.0.0.1:1/cb'] })
    const redirectTo = async (client: OauthApp, asked: string, given: string) => {
      const { verifier, query } = pkce()
      const code = (await authorize(await signedIn(), { client_id: client.client, redirect_uri: asked, ...query })).get(
        'code',
      )!
      const fields = { grant_type: 'authorization_code', code, redirect_uri: given, code_verifier: verifier }
      const { status, json } = await exchange(
        client.secret === secretive.secret ? client : { ...client, secret: '' },
        fields,
      )
      return status === 200 ? 'tokens' : json.error_description
    }
    expect(await redirectTo(app, 'http://127.0.0.1:43210/cb', 'http://127.0.0.1:0/cb')).toBe('tokens')
    expect(await redirectTo(app, 'http://127.0.0.1:43210/cb', 'http://127.0.0.1/cb')).toBe('tokens')
    expect(await redirectTo(app, 'http://127.0.0.1:43210/cb', CALLBACK)).toBe('unexpected redirect URI')
    expect(await redirectTo(app, CALLBACK, 'http://127.0.0.1:0/cb')).toBe('unexpected redirect URI')
    expect(await redirectTo(secretive, 'http://127.0.0.1:1/cb', 'http://127.0.0.1:1/cb')).toBe('tokens')
    expect(await redirectTo(secretive, 'http://127.0.0.1:1/cb', 'http://127.0.0.1:0/cb')).toBe(
      'unexpected redirect URI',
    )
  })

  it('a reused code revokes the tokens that were issued for it, and no others', async () => {
    const app = await register()
    const fields = { grant_type: 'authorization_code', redirect_uri: CALLBACK }
    const untouched = (await exchange(app, { ...fields, code: await codeFor(app) })).json
    const code = await codeFor(app)
    const { json: tokens } = await exchange(app, { ...fields, code })
    const { json: renewed } = await exchange(app, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
    const statuses = () =>
      Promise.all(
        [tokens, renewed, untouched].map(async (answer) => (await asToken(answer.access_token).get('/user')).status),
      )
    expect(await statuses()).toEqual([200, 200, 200])
    world.ahead += 3 * 3_600_000
    await codeFor(app)
    expect((await exchange(app, { ...fields, code })).json.error).toBe('unauthorized_client')
    world.ahead -= 3 * 3_600_000
    expect(await statuses()).toEqual([401, 401, 200])
    const { json } = await exchange(app, { grant_type: 'refresh_token', refresh_token: renewed.refresh_token })
    expect(json.error).toBe('invalid_grant')
  })

  it('renews tokens, and an old refresh token remains valid', async () => {
    const app = await register()
    const first = await tokensFor(app, { scope: 'read:user' })
    for (let i = 0; i < 2; i++) {
      const again = await exchange(app, { grant_type: 'refresh_token', refresh_token: first.refresh_token })
      expect(again.status).toBe(200)
      expect((await asToken(again.json.access_token).get('/user')).status).toBe(200)
    }
  })

  it('accepts no refresh token, id token or foreign token as access token', async () => {
    const app = await register()
    const tokens = await tokensFor(app, { scope: 'openid' })
    const [head, body] = tokens.access_token.split('.') as [string, string]
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`
    const { keys } = (await (await fetch(`${world.server.url}/login/oauth/keys`)).json()) as JSONWebKeySet
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

  it('is revoked with the grant, the application and the account', async () => {
    const erin = await world.server.world.user('erin')
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
    await world.alice.client.delete(`/user/applications/oauth2/${app.id}`)
    expect((await asToken(again.access_token).get('/user')).status).toBe(401)
    const last = await tokensFor(await register(), {}, browser)
    const root = await world.server.world.admin()
    await root.client.patch('/admin/users/erin', { source_id: 0, login_name: 'erin', active: false })
    expect((await asToken(last.access_token).get('/user')).status).toBe(403)
    expect(
      (
        await fetch(`${world.server.url}/login/oauth/userinfo`, {
          headers: { authorization: `Bearer ${last.access_token}` },
        })
      ).status,
    ).toBe(401)
    expect(erin.name).toBe('erin')
  })
})

describeOnBoth('refresh tokens that work once, by setting', (kind) => {
  const { world, register, exchange, tokensFor, asToken } = useOauthServer(kind, {
    'oauth2.invalidate_refresh_tokens': 'true',
  })

  it('a late use of an old one revokes the chain', async () => {
    const app = await register()
    const first = await tokensFor(app, { scope: 'read:user' })
    const refresh = (token: string) => exchange(app, { grant_type: 'refresh_token', refresh_token: token })
    world.ahead += 3_600_000 + 1000
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
    world.ahead += 61_000
    expect((await refresh(first.refresh_token)).status).toBe(400)
    expect((await asToken(third.access_token).get('/user')).status).toBe(401)
    expect((await refresh(third.refresh_token)).json.error_description).toBe('grant does not exist')
  })
})
