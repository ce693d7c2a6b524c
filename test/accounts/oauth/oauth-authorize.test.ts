import { expect, it } from 'vitest'
import { createBrowser } from '../../harness/browser.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { PASSWORD } from '../../harness/world.ts'
import { basic, CALLBACK, useOauthServer } from './oauth-fixture.ts'

describeOnBoth('the authorization page of the OAuth2 provider', (kind) => {
  const { world, register, authorizePath, signedIn, authorize, exchange, asToken } = useOauthServer(kind)

  it('redirects a user to sign in, to agree and back to the client, whose token works', async () => {
    const app = await register()
    const browser = createBrowser(world.server.url)
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
    expect(
      (await world.server.anonymous.post('/user/repos', { name: 'no' }, basic('alice', json.access_token))).status,
    ).toBe(403)
    expect((await world.server.anonymous.get('/user', basic('oauth2', json.access_token))).json.login).toBe('alice')
    const refs = (service: string) =>
      fetch(`${world.server.url}/alice/secret.git/info/refs?service=${service}`, {
        headers: basic('oauth2', json.access_token),
      })
    expect([(await refs('git-upload-pack')).status, (await refs('git-receive-pack')).status]).toEqual([200, 403])
    expect(
      (await authorize(browser, { client_id: app.client, scope: 'read:user read:repository' })).get('code'),
    ).toMatch(/^gta_/)
  })

  it('shows errors of untrusted clients to the user without a redirect', async () => {
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

  it('redirects every other error to the client', async () => {
    const app = await register()
    const open = await register({ confidential_client: false })
    const browser = await signedIn()
    const errorOf = async (query: Record<string, string>, granted?: string) => {
      const sent = await authorize(browser, query, granted)
      return [sent.get('error'), sent.get('error_description'), sent.get('state')]
    }
    expect(await errorOf({ client_id: app.client, response_type: 'token', state: 's' })).toEqual([
      'unsupported_response_type',
      'Only code response type is supported.',
      's',
    ])
    expect(await errorOf({ client_id: open.client })).toEqual([
      'invalid_request',
      'PKCE is required for public clients',
      null,
    ])
    expect(await errorOf({ client_id: open.client, code_challenge_method: 'S256' })).toEqual([
      'invalid_request',
      'PKCE is required for public clients',
      null,
    ])
    expect(await errorOf({ client_id: open.client, code_challenge: 'x', code_challenge_method: 'S512' })).toEqual([
      'invalid_request',
      'unsupported code challenge method',
      null,
    ])
    expect(await errorOf({ client_id: app.client, state: 's' }, 'false')).toEqual([
      'access_denied',
      'the request is denied',
      's',
    ])
    await authorize(browser, { client_id: app.client, scope: 'read:user' })
    expect(await errorOf({ client_id: app.client, scope: 'write:user' })).toEqual([
      'server_error',
      'a grant exists with different scope',
      null,
    ])
  })

  it('accepts one of two concurrent consents with different scopes', async () => {
    const app = await register()
    const answers = await Promise.all(
      ['read:user', 'write:user'].map(async (scope) => authorize(await signedIn(), { client_id: app.client, scope })),
    )
    expect(answers.map((answer) => answer.get('error') ?? 'granted').toSorted()).toEqual(['granted', 'server_error'])
  })

  it('accepts only the grant of the consent form, from the browser that got the form', async () => {
    const app = await register()
    const browser = await signedIn()
    await browser.open(authorizePath({ client_id: app.client, scope: 'read:user' }))
    const { ticket } = browser.page.forms[0]!.fields
    expect((await browser.send({ granted: 'true' }, { headers: { origin: 'https://evil.test' } })).status).toBe(403)
    await world.server.world.user('mallory').catch(() => undefined)
    const mallory = await signedIn('mallory')
    await mallory.open(authorizePath({ client_id: app.client, scope: 'read:user' }))
    expect((await mallory.send({ granted: 'true', ticket: ticket! })).status).toBe(400)
    await mallory.open(authorizePath({ client_id: app.client, scope: 'read:user' }))
    world.ahead += 3_600_000 + 1000
    expect((await mallory.send({ granted: 'true' })).status).toBe(400)
  })
})
