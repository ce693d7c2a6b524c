import { createHash, randomBytes } from 'node:crypto'
import { createLocalJWKSet, jwtVerify, SignJWT, type JSONWebKeySet } from 'jose'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/core/config/index.ts'
import { createBrowser } from '../../harness/browser.ts'
import { createClient, type Any } from '../../harness/client.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'

const CALLBACK = 'https://app.example.test/cb'
const ISSUER = 'https://id.example.test'

interface Situation {
  readonly server: TestServer
  readonly alice: Person
}

async function withServer(
  settings: Record<string, string>,
  work: (situation: Situation) => Promise<void>,
): Promise<void> {
  const server = await startServer({ settings })
  try {
    await work({ server, alice: await server.world.user('alice') })
  } finally {
    await server.close()
  }
}

const jsonOf = async (answer: Response): Promise<Any> => answer.json() as Promise<Any>
const discovery = async (server: TestServer): Promise<Any> =>
  jsonOf(await fetch(`${server.url}/.well-known/openid-configuration`))
const asToken = (server: TestServer, token: string) =>
  createClient(server.url, server.app.operations, { authorization: `Bearer ${token}` })

/** Registers an application, lets alice agree to it and gives what it gets. */
async function signInTo(
  { server, alice }: Situation,
  isConfidential = true,
): Promise<{ readonly app: Any; readonly tokens: Any }> {
  const app = (
    await alice.client.post('/user/applications/oauth2', {
      name: 'app',
      redirect_uris: [CALLBACK],
      confidential_client: isConfidential,
    })
  ).json
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const browser = createBrowser(server.url)
  await browser.open('/user/login')
  await browser.send({ user_name: 'alice', password: PASSWORD })
  await browser.open(
    `/login/oauth/authorize?${new URLSearchParams({ response_type: 'code', redirect_uri: CALLBACK, client_id: app.client_id, scope: 'openid read:user', nonce: 'n', code_challenge: challenge, code_challenge_method: 'S256' })}`,
  )
  const { url } = await browser.send({ granted: 'true' })
  const body = {
    grant_type: 'authorization_code',
    code: new URL(url).searchParams.get('code')!,
    client_id: app.client_id,
    code_verifier: verifier,
    ...(isConfidential && { client_secret: app.client_secret }),
  }
  const answer = await fetch(`${server.url}/login/oauth/access_token`, {
    method: 'POST',
    body: new URLSearchParams(body),
  })
  expect(answer.status).toBe(200)
  return { app, tokens: await jsonOf(answer) }
}

const headerOf = (token: string): Any => JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as Any

describe('the algorithm of tokens', () => {
  it.each([
    ['RS256', 'RSA'],
    ['RS512', 'RSA'],
    ['ES256', 'EC'],
    ['ES384', 'EC'],
    ['ES512', 'EC'],
    ['EdDSA', 'OKP'],
  ])('%s: clients verify with the published key', (algorithm, kty) =>
    withServer({ 'oauth2.jwt_signing_algorithm': algorithm, 'oauth2.jwt_claim_issuer': ISSUER }, async (situation) => {
      const { server } = situation
      const { app, tokens } = await signInTo(situation)
      expect(await discovery(server)).toMatchObject({
        issuer: ISSUER,
        id_token_signing_alg_values_supported: [algorithm],
        jwks_uri: `${server.url}/login/oauth/keys`,
      })
      const { keys } = await jsonOf(await fetch(`${server.url}/login/oauth/keys`))
      expect(keys).toEqual([
        expect.objectContaining({ kty, alg: algorithm, use: 'sig', kid: headerOf(tokens.id_token).kid }),
      ])
      for (const member of ['d', 'p', 'q', 'k']) expect(keys[0]).not.toHaveProperty(member)
      const { payload, protectedHeader } = await jwtVerify(
        tokens.id_token,
        createLocalJWKSet({ keys } as JSONWebKeySet),
        { issuer: ISSUER, audience: app.client_id },
      )
      expect([protectedHeader.alg, payload['nonce']]).toEqual([algorithm, 'n'])
      expect((await asToken(server, tokens.access_token).get('/user')).json.login).toBe('alice')
      expect((await asToken(server, tokens.id_token).get('/user')).status).toBe(401)
      const basic = `Basic ${Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64')}`
      const asked = await fetch(`${server.url}/login/oauth/introspect`, {
        method: 'POST',
        headers: { authorization: basic },
        body: new URLSearchParams({ token: tokens.access_token }),
      })
      expect(await jsonOf(asked)).toMatchObject({ active: true, iss: ISSUER })
    }),
  )

  it.each(['HS256', 'HS384', 'HS512'])(
    '%s: no key is published; id tokens are signed with the secret of the client',
    (algorithm) =>
      withServer({ 'oauth2.jwt_signing_algorithm': algorithm }, async (situation) => {
        const { server } = situation
        const { app, tokens } = await signInTo(situation)
        expect(await jsonOf(await fetch(`${server.url}/login/oauth/keys`))).toEqual({ keys: [] })
        expect((await discovery(server)).id_token_signing_alg_values_supported).toEqual([algorithm])
        const secret = new TextEncoder().encode(app.client_secret)
        const { payload } = await jwtVerify(tokens.id_token, secret, {
          issuer: server.url,
          audience: app.client_id,
          algorithms: [algorithm],
        })
        expect(payload['nonce']).toBe('n')
        expect((await asToken(server, tokens.access_token).get('/user')).json.login).toBe('alice')
        await expect(jwtVerify(tokens.access_token, secret)).rejects.toThrow('signature verification failed')
        const claims = JSON.parse(Buffer.from(tokens.access_token.split('.')[1], 'base64url').toString()) as Record<
          string,
          unknown
        >
        const forged = await new SignJWT(claims).setProtectedHeader(headerOf(tokens.access_token)).sign(secret)
        for (const token of [forged, tokens.id_token])
          expect((await asToken(server, token).get('/user')).status).toBe(401)
        const again = await fetch(`${server.url}/login/oauth/access_token`, {
          method: 'POST',
          body: new URLSearchParams({
            grant_type: 'refresh_token',
            refresh_token: tokens.refresh_token,
            client_id: app.client_id,
            client_secret: app.client_secret,
          }),
        })
        await jwtVerify((await jsonOf(again)).id_token, secret, { algorithms: [algorithm] })
        const open = await signInTo(situation, false)
        expect([typeof open.tokens.access_token, open.tokens.id_token]).toEqual(['string', undefined])
      }),
  )
})

it('the setting selects the built-in applications, which no list contains', () =>
  withServer({ 'oauth2.default_applications': 'tea' }, async ({ server, alice }) => {
    const known = {
      'a4792ccc-144e-407e-86c9-5e7d8d9c3269': 'git-credential-oauth',
      'e90ee53c-94e2-48ac-9358-a874fb9e0662': 'Git Credential Manager',
      'd57cb8c4-630c-4168-8324-ec79935e18d4': 'tea',
    }
    const browser = createBrowser(server.url)
    await browser.open('/user/login')
    await browser.send({ user_name: 'alice', password: PASSWORD })
    for (const [id, name] of Object.entries(known)) {
      const query = new URLSearchParams({
        response_type: 'code',
        redirect_uri: 'http://127.0.0.1:9999/',
        client_id: id,
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      })
      const page = await browser.open(`/login/oauth/authorize?${query}`)
      expect([name, page.status]).toEqual([name, name === 'tea' ? 200 : 400])
      expect(page.text).toContain(name === 'tea' ? 'tea' : 'Client ID not registered')
    }
    expect((await alice.client.get('/user/applications/oauth2')).json).toEqual([])
  }))

it('an unknown built-in application prevents the start', () => {
  const start = () => loadConfig({ flags: { 'oauth2.default_applications': 'tea,gcm' } })
  expect(start).toThrow(
    'oauth2.default_applications.1 is "gcm"; allowed: a list of git-credential-oauth, git-credential-manager, tea',
  )
  expect(loadConfig({ flags: { 'oauth2.default_applications': '' } }).oauth2.default_applications).toEqual([])
})

it('the settings determine the lifetime of access and refresh tokens', () =>
  withServer(
    { 'oauth2.access_token_expiration_time': '77', 'oauth2.refresh_token_expiration_time': '2' },
    async (situation) => {
      const { tokens } = await signInTo(situation)
      const life = (token: string): number => {
        const { exp, iat } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
          exp: number
          iat: number
        }
        return exp - iat
      }
      expect([tokens.expires_in, life(tokens.access_token), life(tokens.id_token), life(tokens.refresh_token)]).toEqual(
        [77, 77, 77, 7200],
      )
    },
  ))
