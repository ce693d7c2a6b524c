import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { systemClock } from '../../../src/core/platform/clock.ts'
import { createBrowser, type Browser } from '../../harness/browser.ts'
import { createClient, type Any, type Client } from '../../harness/client.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'

export const CALLBACK = 'https://app.example.test/cb'
export const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

export function pkce() {
  const verifier = randomBytes(32).toString('base64url')
  return {
    verifier,
    query: { code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
  }
}

export interface OauthApp {
  readonly id: number
  readonly client: string
  readonly secret: string
}

interface OauthWorld {
  server: TestServer
  alice: Person
  /** Milliseconds that the clock of the server is ahead. */
  ahead: number
}

/** A server for the tests of one `describe`, with a user `alice` who has a private repository `secret`. */
export function useOauthServer(kind: 'sqlite' | 'postgres', settings: Record<string, string> = {}) {
  const world = { ahead: 0 } as OauthWorld
  beforeAll(async () => {
    world.server = await startServer({ on: kind, clock: { now: () => systemClock.now() + world.ahead }, settings })
    world.alice = await world.server.world.user('alice', { fullName: 'Alice <A>' })
    await world.server.world.repo({ owner: world.alice, name: 'secret', isPrivate: true, autoInit: true })
  })
  afterAll(() => world.server.close())

  async function register(more: object = {}, by = world.alice): Promise<OauthApp> {
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
    const browser = createBrowser(world.server.url)
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
    const answer = await fetch(`${world.server.url}/login/oauth/${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers,
    })
    const text = await answer.text()
    return { status: answer.status, json: text.startsWith('{') ? JSON.parse(text) : text }
  }
  const exchange = (app: OauthApp, fields: Record<string, string>) =>
    post('access_token', { client_id: app.client, client_secret: app.secret, ...fields })
  const codeFor = async (app: OauthApp, query: Record<string, string> = {}, browser?: Browser): Promise<string> =>
    (await authorize(browser ?? (await signedIn()), { client_id: app.client, ...query })).get('code')!
  const tokensFor = async (app: OauthApp, query: Record<string, string> = {}, browser?: Browser): Promise<Any> => {
    const { status, json } = await exchange(app, {
      grant_type: 'authorization_code',
      code: await codeFor(app, query, browser),
      redirect_uri: CALLBACK,
    })
    expect(status).toBe(200)
    return json
  }
  const asToken = (token: string): Client =>
    createClient(world.server.url, world.server.app.operations, { authorization: `Bearer ${token}` })

  return { world, register, authorizePath, signedIn, authorize, post, exchange, codeFor, tokensFor, asToken }
}
