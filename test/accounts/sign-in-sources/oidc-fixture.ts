import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { createBrowser, type Browser } from '../../harness/browser.ts'
import type { TestServer } from '../../harness/server.ts'

export const CLIENT = 'ingot'
export const SECRET = 'a-secret-of-the-client-that-is-long-enough'

export interface Stopped {
  readonly url: string
  close(): Promise<void>
}

/** A person at the provider: the subject and what else it says. */
interface Person {
  readonly sub: string
  readonly [claim: string]: unknown
}

async function listen(handlerOf: (url: string) => RequestListener): Promise<Stopped> {
  const server: Server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.on('request', handlerOf(url))
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export interface OidcServer extends Stopped {
  /** Who signs in at the provider next. */
  person: Person
}

/** oidc-provider, where whoever comes is signed in as `person` and agrees. */
export async function startOidcProvider(redirectUris: readonly string[]): Promise<OidcServer> {
  const state: { person: Person } = { person: { sub: 'nobody' } }
  const stopped = await listen((url) => {
    const provider = new Provider(url, {
      clients: [
        {
          client_id: CLIENT,
          client_secret: SECRET,
          token_endpoint_auth_method: 'client_secret_post',
          redirect_uris: [...redirectUris],
          post_logout_redirect_uris: redirectUris.map((uri) => `${new URL(uri).origin}/user/login`),
        },
      ],
      claims: {
        openid: ['sub'],
        profile: ['name', 'preferred_username', 'groups'],
        email: ['email', 'email_verified'],
      },
      cookies: { keys: ['a key for cookies'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...state.person, sub }) }),
      async loadExistingGrant({ oidc }) {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client!.clientId,
          accountId: oidc.session!.accountId!,
        })
        grant.addOIDCScope('openid profile email')
        await grant.save()
        return grant
      },
    })
    const callback = provider.callback()
    return (request: IncomingMessage, response: ServerResponse) => {
      if (request.url?.startsWith('/interaction/') !== true) return void callback(request, response)
      void provider.interactionFinished(request, response, { login: { accountId: state.person.sub } })
    }
  })
  return Object.assign(state, stopped)
}

/** What a provider that does not behave answers in place of the right answer. */
export interface Misbehaviour {
  readonly discovery?: Readonly<Record<string, unknown>>
  readonly idToken?: Readonly<Record<string, unknown>>
  readonly userinfo?: Readonly<Record<string, unknown>>
  readonly signsWithOtherKey?: boolean
  /** Parameters of the address at which the browser comes back; null deletes one. */
  readonly answer?: Readonly<Record<string, string | null>>
  /** Handles requests to this path itself. */
  readonly path?: string
  readonly handle?: RequestListener
}

export interface OddProvider extends Stopped {
  misbehaviour: Misbehaviour
  person: Person
  /** Paths that were requested by the server. */
  readonly requested: string[]
  /** The address at which the browser comes back after it was sent to this one. */
  answerTo(url: string): string
}

/** A provider made by hand, which behaves until told otherwise. It is an OAuth2 provider without OpenID Connect, too. */
export async function startOddProvider(): Promise<OddProvider> {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const other = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'key', alg: 'RS256', use: 'sig' }
  const codes = new Map<string, { readonly nonce: string; readonly challenge: string }>()
  const state = { misbehaviour: {} as Misbehaviour, person: { sub: 'odd' } as Person, requested: [] as string[] }
  const json = (response: ServerResponse, body: unknown, status = 200): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const giveTokens = async (url: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { misbehaviour, person } = state
    const fields = new URLSearchParams(Buffer.concat(await Array.fromAsync(request)).toString())
    const code = codes.get(fields.get('code') ?? '')
    codes.delete(fields.get('code') ?? '')
    if (code === undefined || fields.get('code_verifier') === null)
      return json(response, { error: 'invalid_grant' }, 400)
    const idToken = await new SignJWT({ sub: person.sub, nonce: code.nonce, ...misbehaviour.idToken })
      .setProtectedHeader({ alg: 'RS256', kid: 'key' })
      .setIssuer((misbehaviour.idToken?.['iss'] as string | undefined) ?? url)
      .setAudience((misbehaviour.idToken?.['aud'] as string | undefined) ?? CLIENT)
      .setIssuedAt()
      .setExpirationTime((misbehaviour.idToken?.['exp'] as number | undefined) ?? '5m')
      .sign(misbehaviour.signsWithOtherKey === true ? other.privateKey : privateKey)
    const isOpenId = code.nonce !== ''
    return json(response, { access_token: 'access', token_type: 'bearer', ...(isOpenId && { id_token: idToken }) })
  }
  const answer = async (url: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url!, url)
    state.requested.push(pathname)
    const { misbehaviour, person } = state
    if (misbehaviour.path === pathname) return misbehaviour.handle!(request, response)
    if (pathname === '/.well-known/openid-configuration')
      return json(response, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        userinfo_endpoint: `${url}/userinfo`,
        jwks_uri: `${url}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        authorization_response_iss_parameter_supported: true,
        ...misbehaviour.discovery,
      })
    if (pathname === '/keys') return json(response, { keys: [jwk] })
    if (pathname === '/userinfo') return json(response, { ...person, ...misbehaviour.userinfo })
    if (pathname !== '/token') return json(response, {}, 404)
    await giveTokens(url, request, response)
  }
  const stopped = await listen((url) => (request, response) => void answer(url, request, response))
  return Object.assign(state, stopped, {
    answerTo(url: string): string {
      const asked = new URL(url).searchParams
      const code = crypto.randomUUID()
      codes.set(code, { nonce: asked.get('nonce') ?? '', challenge: asked.get('code_challenge') ?? '' })
      const back = new URL(asked.get('redirect_uri')!)
      const answer = { code, state: asked.get('state'), iss: stopped.url, ...state.misbehaviour.answer }
      for (const [name, value] of Object.entries(answer)) if (value !== null) back.searchParams.set(name, value)
      return back.href
    },
  })
}

export const callbackOf = ({ url }: Pick<TestServer, 'url'>, name: string): string =>
  `${url}/user/oauth2/${encodeURIComponent(name)}/callback`

/** Sends the browser to the provider; where it is to come back. */
export async function visitProvider(browser: Browser, provider: Stopped, path: string): Promise<string> {
  const { url } = await browser.open(path)
  const there = createBrowser(provider.url)
  return (await there.open(url)).url
}
