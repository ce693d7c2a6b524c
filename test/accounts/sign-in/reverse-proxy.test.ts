import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer, type TestServerOptions } from '../../harness/server.ts'

const ON = { 'service.enable_reverse_proxy_authentication_api': 'true' }
const REGISTER = { ...ON, 'service.enable_reverse_proxy_auto_registration': 'true' }

/** A server with these settings, gone when the tests are done. */
async function withServer(
  settings: NonNullable<TestServerOptions['settings']>,
  run: (server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await startServer({ settings })
  try {
    await run(server)
  } finally {
    await server.close()
  }
}

describe('a reverse proxy that signs users in', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ settings: ON })
    await server.world.user('ann')
    await server.world.org('guild')
  })
  afterAll(() => server.close())

  it('is trusted, also to manage tokens', async () => {
    expect((await server.anonymous.get('/user', { 'x-webauth-user': ' Ann ' })).json.login).toBe('ann')
    expect((await server.anonymous.get('/users/ann/tokens', { 'x-webauth-user': 'ann' })).status).toBe(200)
    expect(
      (await server.anonymous.get('/user', { 'x-webauth-user': 'ann', authorization: 'token wrong' })).json.login,
    ).toBe('ann')
  })

  it('creates no accounts unless configured', async () => {
    for (const name of ['fresh', 'guild'])
      expect((await server.anonymous.get('/version', { 'x-webauth-user': name })).status).toBe(401)
    expect((await server.anonymous.get('/users/fresh')).status).toBe(404)
  })

  it('is not trusted by default', () =>
    withServer({}, async ({ anonymous, world }) => {
      await world.user('ann')
      expect((await anonymous.get('/user', { 'x-webauth-user': 'ann' })).status).toBe(401)
    }))
})

describe('accounts made by the reverse proxy', () => {
  const headers = {
    'x-webauth-user': 'fresh',
    'x-webauth-email': 'fresh@example.test',
    'x-webauth-fullname': 'Fresh Face',
  }

  it('are created once, whatever the password rules, and use the address and name only when configured', () =>
    withServer(
      { ...REGISTER, 'security.password_complexity': 'lower,upper,digit,spec' },
      async ({ anonymous, world }) => {
        await world.org('guild')
        const made = await Promise.all([1, 2, 3].map(() => anonymous.get('/user', headers)))
        expect(new Set(made.map(({ status, json }) => `${status} ${json.login} ${json.id}`)).size).toBe(1)
        expect(made[0]!.json).toMatchObject({
          login: 'fresh',
          full_name: '',
          is_admin: false,
          email: expect.stringMatching(/^[0-9a-f-]{36}@localhost$/),
        })
        for (const name of ['api', 'guild', 'no spaces'])
          expect((await anonymous.get('/user', { 'x-webauth-user': name })).status).toBe(401)
      },
    ))

  it('use the address and name of the proxy', () =>
    withServer(
      { ...REGISTER, 'service.enable_reverse_proxy_email': 'true', 'service.enable_reverse_proxy_full_name': 'true' },
      async ({ anonymous }) => {
        expect((await anonymous.get('/user', headers)).json).toMatchObject({
          email: 'fresh@example.test',
          full_name: 'Fresh Face',
        })
      },
    ))
})
