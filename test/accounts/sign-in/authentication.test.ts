import { systemActor } from '../../../src/core/access/viewer.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { row, rows } from '../../harness/expect.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

let server: TestServer
let alice: Person
let root: Person

beforeAll(async () => {
  server = await startServer()
  alice = await server.world.user('alice')
  root = await server.world.admin()
})
afterAll(() => server.close())

/** Another server, gone when the work is done. */
async function withServer(settings: Record<string, string>, work: (other: TestServer) => Promise<void>): Promise<void> {
  const other = await startServer({ settings })
  try {
    await work(other)
  } finally {
    await other.close()
  }
}

describe('methods (behaviour/auth-and-access#authentication-methods)', () => {
  it('tokens in the query are ignored if the operator disables them', () =>
    withServer({ 'security.disable_query_auth_token': 'true' }, async (other) => {
      const token = await (await other.world.user('alice')).token('all')
      for (const name of ['token', 'access_token']) {
        const ignored = await other.anonymous.get(`/user?${name}=${token}`)
        expect([ignored.status, ignored.json.message, ignored.headers.get('x-gitea-warning')]).toEqual([
          401,
          'token is required',
          null,
        ])
        expect((await other.anonymous.get(`/version?${name}=wrong`)).status).toBe(200)
      }
    }))

  it('passwords are ignored if the operator disables them; tokens by Basic are accepted', () =>
    withServer({ 'service.enable_basic_authentication': 'false' }, async (other) => {
      const person = await other.world.user('alice')
      expect((await other.anonymous.get('/user', basic('alice', PASSWORD))).json.message).toBe('token is required')
      expect((await other.anonymous.get('/version', basic('alice', 'wrong'))).status).toBe(200)
      await other.world.repo({ owner: person, name: 'hidden', isPrivate: true, autoInit: true })
      const git = async (password: string) =>
        (
          await fetch(`${other.url}/alice/hidden.git/info/refs?service=git-upload-pack`, {
            headers: basic('alice', password),
          })
        ).status
      expect(await git(PASSWORD)).toBe(401)
      const token = await person.token('read:user')
      for (const headers of [basic('x', token), basic(token, '')])
        expect((await other.anonymous.get('/user', headers)).status).toBe(200)
      expect(await git(await person.token('read:repository'))).toBe(200)
    }))

  it('names are trimmed; an address must be activated', async () => {
    expect((await server.anonymous.get('/user', basic('  Alice ', PASSWORD))).json.login).toBe('alice')
    await server.app.database.transaction(async (tx) => {
      await tx
        .insertInto('email_address')
        .values({
          user_id: alice.user.id,
          email: 'Later@example.test',
          lower_email: 'later@example.test',
          is_activated: 0,
          is_primary: 0,
        })
        .execute()
    })
    expect((await server.anonymous.get('/user', basic('later@example.test', PASSWORD))).status).toBe(401)
  })

  it('refusals have no challenge over the API, and Basic over git', async () => {
    for (const headers of [{}, basic('alice', 'wrong'), bearer('wrong')] as Record<string, string>[]) {
      const refused = await server.anonymous.get('/user', headers)
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, null])
    }
    const realm = async (at: TestServer) =>
      (await fetch(`${at.url}/alice/none.git/info/refs?service=git-upload-pack`)).headers.get('www-authenticate')
    expect(await realm(server)).toBe('Basic realm="Gitea"')
    await withServer({ 'oauth2.enabled': 'false' }, async (other) =>
      expect(await realm(other)).toBe('Basic realm="Gitea (Basic Auth)"'),
    )
  })

  it('the use of a token is recorded', async () => {
    const person = await server.world.user('used')
    const { json } = await person.client.post('/users/used/tokens', { name: 'one', scopes: ['read:user'] })
    const [fresh] = (await person.client.get('/users/used/tokens')).json
    expect(fresh.last_used_at).toBe(fresh.created_at)
    await server.anonymous.get('/user', bearer(json.sha1))
    await server.app.tokenUse.flush()
    const { last_used_at, created_at } = await row(server, 'access_token', { id: json.id })
    expect(last_used_at).toBeGreaterThanOrEqual(created_at)
  })
})

describe('sudo (behaviour/auth-and-access#sudo)', () => {
  it('is refused with only a message', async () => {
    for (const client of [server.anonymous, alice.client]) {
      const refused = await client.get('/user?sudo=root')
      expect([refused.status, refused.json]).toEqual([403, { message: 'Only administrators allowed to sudo.' }])
    }
  })

  it('the query takes precedence over the header', async () => {
    expect((await root.client.get('/user?sudo=alice', { sudo: 'root' })).json.login).toBe('alice')
  })

  it('works for accounts that cannot sign in themselves', async () => {
    for (const [name, edit] of [
      ['asleep', { isActive: false }],
      ['barred', { isLoginProhibited: true }],
      ['stale', { mustChangePassword: true }],
    ] as const) {
      const person = await server.world.user(name)
      await server.app.users.edit(systemActor, person.user, edit)
      expect((await root.client.get(`/user?sudo=${name}`)).json.login).toBe(name)
    }
  })

  it('does not change the scopes of the token', async () => {
    const narrow = await root.withToken('read:user')
    expect((await narrow.get('/user?sudo=alice')).json.login).toBe('alice')
    expect((await narrow.patch('/user/settings?sudo=alice', { location: 'x' })).status).toBe(403)
    expect((await narrow.get('/repos/search?sudo=alice')).status).toBe(403)
  })

  it('suspends the rights of the administrator', async () => {
    expect((await root.client.get('/admin/users?sudo=alice')).status).toBe(403)
  })
})

describe('tokens (behaviour/auth-and-access#personal-access-tokens)', () => {
  const create = (person: Person, body: object) => person.client.post(`/users/${person.name}/tokens`, body)

  it('require a scope, even one without permissions', async () => {
    expect(await create(alice, { name: 'none' })).toMatchObject({
      status: 400,
      json: { message: 'access token must have a scope' },
    })
    const only = await create(alice, { name: 'only', scopes: ['public-only'] })
    expect([only.status, only.json.scopes]).toEqual([201, ['public-only']])
    expect((await server.anonymous.get('/user', bearer(only.json.sha1))).status).toBe(403)
  })

  it('scopes are normalized', async () => {
    const categories = 'activitypub admin misc notification organization package issue repository user'
    const nine = categories.split(' ').map((category) => `write:${category}`)
    const cases = [
      [
        ['all', 'public-only'],
        ['public-only', 'all'],
      ],
      [
        ['read:user', 'write:user', 'read:repository', 'public-only'],
        ['public-only', 'read:repository', 'write:user'],
      ],
      [
        ['write:user,,read:issue', ''],
        ['read:issue', 'write:user'],
      ],
      [nine, ['all']],
    ] as const
    for (const [index, [scopes, normal]] of cases.entries())
      expect((await create(alice, { name: `form-${index}`, scopes })).json.scopes).toEqual(normal)
    for (const wrong of ['repo', 'sudo', 'ALL', 'read:', 'write:users', 'Read:user', 'admin:org', ' all']) {
      expect((await create(alice, { name: `wrong`, scopes: [wrong] })).json.message, wrong).toBe(
        `invalid access token scope provided: invalid access token scope: ${wrong}`,
      )
    }
  })

  it('names are unique per user and case-sensitive', async () => {
    const bob = await server.world.user('bob')
    for (const [person, name, status] of [
      [alice, 'same', 201],
      [bob, 'same', 201],
      [alice, 'Same', 201],
      [alice, 'same', 400],
    ] as const)
      expect((await create(person, { name, scopes: ['all'] })).status).toBe(status)
  })

  it('by Basic, one with the scope can create and delete others, with more scopes than its own', async () => {
    const writer = basic('x', await alice.token('write:user'))
    const reader = basic('x', await alice.token('read:user'))
    const made = await server.anonymous.post('/users/alice/tokens', { name: 'more', scopes: ['all'] }, writer)
    expect([made.status, made.json.scopes]).toEqual([201, ['all']])
    expect((await server.anonymous.post('/users/alice/tokens', { name: 'less', scopes: ['all'] }, reader)).status).toBe(
      403,
    )
    expect((await server.anonymous.get('/users/alice/tokens', reader)).status).toBe(200)
    expect((await server.anonymous.delete(`/users/alice/tokens/${made.json.id}`, undefined, reader)).status).toBe(403)
    const header = await server.anonymous.delete(
      `/users/alice/tokens/${made.json.id}`,
      undefined,
      bearer(made.json.sha1),
    )
    expect([header.status, header.json.message]).toEqual([401, 'auth required'])
    expect(
      (await server.anonymous.delete(`/users/alice/tokens/0x${made.json.id.toString(16)}`, undefined, writer)).status,
    ).toBe(204)
  })

  it('refuses other users with the required role', async () => {
    const bob = await server.world.user('bobby')
    for (const client of [server.anonymous, bob.client]) {
      for (const answer of [
        await client.get('/users/alice/tokens'),
        await client.post('/users/alice/tokens', {}),
        await client.delete('/users/alice/tokens/1'),
      ]) {
        expect([answer.status, answer.json.message]).toEqual([
          403,
          'doer should be the site admin or be same as the contextUser',
        ])
      }
    }
  })

  it('remain valid after a rename and are deleted with the account', async () => {
    const eve = await server.world.user('eve')
    const token = await eve.token('read:user')
    expect((await root.client.post('/admin/users/eve/rename', { new_username: 'eva' })).status).toBe(204)
    expect((await server.anonymous.get('/user', bearer(token))).json.login).toBe('eva')
    expect((await root.client.delete('/admin/users/eva')).status).toBe(204)
    expect((await server.anonymous.get('/user', bearer(token))).status).toBe(401)
    expect(await rows(server, 'access_token', { user_id: eve.user.id })).toEqual([])
  })

  it('stored without a scope by early versions have full access', async () => {
    const old = await create(alice, { name: 'old', scopes: ['read:user'] })
    await server.app.database.transaction(async (tx) =>
      tx.updateTable('access_token').set({ scopes: '' }).where('id', '=', old.json.id).execute(),
    )
    expect((await server.anonymous.patch('/user/settings', { location: 'there' }, bearer(old.json.sha1))).status).toBe(
      200,
    )
    expect(
      (await alice.client.get('/users/alice/tokens')).json.find((token: { name: string }) => token.name === 'old')
        .scopes,
    ).toEqual(['all'])
  })
})

describe('scopes (behaviour/auth-and-access#scopes)', () => {
  it('a refusal lists the missing and the present scopes in normalized form', async () => {
    const refusal = async (...scopes: string[]) => {
      const made = await alice.client.post('/users/alice/tokens', { name: `refusal ${scopes.join()}`, scopes })
      return (await server.anonymous.post('/user/repos', { name: 'x' }, bearer(made.json.sha1))).json.message
    }
    const required = 'token does not have at least one of required scope(s), required=[write:repository write:user]'
    expect(await refusal('read:user', 'write:issue', 'public-only')).toBe(
      `${required}, token scope=public-only,write:issue,read:user`,
    )
    expect(await refusal('write:user')).toBe(`${required}, token scope=write:user`)
  })

  it('writing includes reading', async () => {
    const client = await alice.withToken('write:user')
    expect((await client.get('/user')).status).toBe(200)
    expect((await client.get('/user/repos')).status).toBe(403)
  })
})

describe('applications (behaviour/auth-and-access#oauth2-applications)', () => {
  it('that are registered by default have no owner', async () => {
    const registered = await rows(server, 'oauth_application', { user_id: null })
    expect(registered.map(({ name, client_id }) => [name, client_id])).toEqual([
      ['git-credential-oauth', 'a4792ccc-144e-407e-86c9-5e7d8d9c3269'],
      ['Git Credential Manager', 'e90ee53c-94e2-48ac-9358-a874fb9e0662'],
      ['tea', 'd57cb8c4-630c-4168-8324-ec79935e18d4'],
    ])
    for (const application of registered) {
      expect([application.is_confidential, JSON.parse(application.redirect_uris)]).toEqual([
        0,
        ['http://127.0.0.1', 'https://127.0.0.1'],
      ])
      for (const client of [alice.client, root.client]) {
        expect((await client.get(`/user/applications/oauth2/${application.id}`)).status).toBe(404)
        expect(
          (await client.patch(`/user/applications/oauth2/${application.id}`, { name: 'mine', redirect_uris: [] }))
            .status,
        ).toBe(404)
        expect((await client.delete(`/user/applications/oauth2/${application.id}`)).status).toBe(404)
      }
    }
  })
})

describe('tokens of applications (behaviour/auth-and-access#oauth2-and-openid-connect-provider)', () => {
  const post = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server.url}/login/oauth/access_token`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers,
    })
    const { error, error_description: description } = (await answer.json()) as Record<string, string>
    return [answer.status, error, description]
  }

  it('requests that cannot be parsed get 400 with the reason', async () => {
    const { json: app } = await alice.client.post('/user/applications/oauth2', {
      name: 'app',
      redirect_uris: ['https://a.test'],
      confidential_client: true,
    })
    const client = { client_id: app.client_id, client_secret: app.client_secret }
    const unsupported = [
      400,
      'unsupported_grant_type',
      'Only refresh_token or authorization_code grant type is supported',
    ]
    expect(await post(client)).toEqual(unsupported)
    expect(await post({ ...client, grant_type: 'password', username: 'alice', password: PASSWORD })).toEqual(
      unsupported,
    )
    expect(await post({ ...client, grant_type: 'client_credentials' })).toEqual(unsupported)
    const code = { grant_type: 'authorization_code', code: 'gta_x' }
    expect(await post(code, { authorization: 'Basic !!!' })).toEqual([
      400,
      'invalid_request',
      'cannot parse basic auth header',
    ])
    expect(await post({ ...code, client_secret: 'other' }, basic(app.client_id, app.client_secret))).toEqual([
      400,
      'invalid_request',
      'client_secret in request body inconsistent with Authorization header',
    ])
    expect(await post({ ...code, ...client })).toEqual([400, 'unauthorized_client', 'client is not authorized'])
    const refresh = { grant_type: 'refresh_token', refresh_token: 'a.b.c' }
    expect(await post({ ...refresh, ...client })).toEqual([400, 'unauthorized_client', 'unable to parse refresh token'])
    expect(await post({ ...refresh, ...client, client_secret: 'wrong' })).toEqual([
      400,
      'invalid_client',
      'invalid client secret',
    ])
    expect(await post({ ...refresh, client_id: app.client_id })).toEqual([
      400,
      'invalid_client',
      'invalid empty client secret',
    ])
  })

  it('a visitor who has not signed in is redirected to the sign-in page and back to the same consent form', async () => {
    const path = '/login/oauth/authorize?client_id=x&scope=a%20b&state=%26'
    const answer = await fetch(server.url + path, { redirect: 'manual' })
    expect(answer.status).toBe(303)
    const location = new URL(answer.headers.get('location')!, server.url)
    expect([location.pathname, location.searchParams.get('redirect_to')]).toEqual(['/user/login', path])
  })

  it('discovery lists the supported features', async () => {
    const document = (await (await fetch(`${server.url}/.well-known/openid-configuration`)).json()) as Record<
      string,
      unknown
    >
    expect(document).toEqual({
      issuer: server.url,
      authorization_endpoint: `${server.url}/login/oauth/authorize`,
      token_endpoint: `${server.url}/login/oauth/access_token`,
      jwks_uri: `${server.url}/login/oauth/keys`,
      userinfo_endpoint: `${server.url}/login/oauth/userinfo`,
      introspection_endpoint: `${server.url}/login/oauth/introspect`,
      response_types_supported: ['code', 'id_token'],
      id_token_signing_alg_values_supported: ['RS256'],
      subject_types_supported: ['public'],
      scopes_supported: ['openid', 'profile', 'email', 'groups'],
      claims_supported: [
        'aud',
        'exp',
        'iat',
        'iss',
        'sub',
        'name',
        'preferred_username',
        'profile',
        'picture',
        'website',
        'locale',
        'updated_at',
        'email',
        'email_verified',
        'groups',
      ],
      code_challenge_methods_supported: ['plain', 'S256'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
    })
  })
})
