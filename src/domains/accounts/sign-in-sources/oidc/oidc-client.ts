import type * as Library from 'openid-client'
import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client'
import { errors } from '../../../errors.ts'
import { isDomainError, unauthenticated } from '../../../../core/platform/errors.ts'
import { boundedCache } from '../../../../core/platform/lru.ts'
import {
  createHostGuard,
  createOutgoingClient,
  isOutgoingError,
  type OutgoingClient,
} from '../../../../core/platform/outgoing/index.ts'
import type { SignInSource } from '../sources.service.ts'
import type { OidcSettings } from './oidc.model.ts'
import type { Claims } from './oidc-profile.policy.ts'

type OidcSource = SignInSource<'oidc'>

/** State that the browser stores between the request and the answer of the provider. */
export interface Pending {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface SignOut {
  /** The address to which the browser returns. */
  readonly returnTo: string
  /** The ID token of the sign-in that ends; empty if unknown. */
  readonly idToken: string
}

export interface OidcTimes {
  /** Milliseconds for one request to a provider. */
  readonly answer: number
}

interface Provider {
  readonly config: Configuration
  readonly client: OutgoingClient
}

const TIMES: OidcTimes = { answer: 10_000 }
const MAX_ANSWER = 1024 * 1024
const MAX_PROVIDERS = 200
/** How long the discovery document of a provider is cached. */
const METADATA_MS = 10 * 60_000

export type OidcClient = ReturnType<typeof createOidcClient>

/**
 * The protocol with providers. Every function throws unavailable when the provider does not answer as it should, and
 * unauthenticated when its answer does not prove who the person is.
 */
export function createOidcClient({ tuning }: { readonly tuning: Partial<OidcTimes> | undefined }) {
  const times = { ...TIMES, ...tuning }
  const providers = boundedCache<string, Promise<Provider>>(MAX_PROVIDERS, METADATA_MS)

  const open = (source: OidcSource): Promise<Provider> =>
    connect(source.settings, times).catch((error: unknown) => {
      throw errors.providerUnavailable(source.name, messageOf(error)).causedBy(error)
    })
  /** NOTE: the key changes with the settings of the source. */
  const providerOf = (source: OidcSource): Promise<Provider> => {
    const key = `${source.id} ${source.updatedAt}`
    const known = providers.get(key)
    if (known !== undefined) return known
    const found = open(source)
    providers.set(key, found)
    found.catch(() => providers.delete(key))
    return found
  }
  const using = async <T>(
    source: OidcSource,
    work: (provider: Provider, library: typeof Library) => Promise<T> | T,
  ): Promise<T> => {
    try {
      return await work(await providerOf(source), await import('openid-client'))
    } catch (error) {
      throw explain(source.name, error)
    }
  }

  return {
    /** Requests the discovery document; false for a provider without OpenID Connect, which has none. */
    async probe(source: OidcSource): Promise<boolean> {
      await open(source)
      return isOpenId(source.settings)
    },

    /** The address at the provider to which the browser is sent, and the state that it must store. */
    begin: (source: OidcSource, redirectUri: string): Promise<{ readonly url: URL; readonly pending: Pending }> =>
      using(source, async ({ config }, library) => {
        const pending = {
          state: library.randomState(),
          nonce: library.randomNonce(),
          verifier: library.randomPKCECodeVerifier(),
        }
        const url = library.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: source.settings.scopes.join(' '),
          state: pending.state,
          ...(isOpenId(source.settings) && { nonce: pending.nonce }),
          code_challenge: await library.calculatePKCECodeChallenge(pending.verifier),
          code_challenge_method: 'S256',
        })
        return { url, pending }
      }),

    /**
     * What the provider says about the person with whom it answered at this address, and the id token; empty without
     * OpenID Connect.
     */
    complete: (
      source: OidcSource,
      answer: URL,
      pending: Pending,
    ): Promise<{ readonly claims: Claims; readonly idToken: string }> =>
      using(source, async ({ config, client }, library) => {
        const openId = isOpenId(source.settings)
        const tokens = await library.authorizationCodeGrant(config, answer, {
          expectedState: pending.state,
          pkceCodeVerifier: pending.verifier,
          ...(openId && { expectedNonce: pending.nonce }),
        })
        if (!openId) return { claims: await readUser(client, source.settings, tokens.access_token), idToken: '' }
        const claims: Claims & { readonly sub: string } = tokens.claims()!
        const idToken = tokens.id_token!
        if (config.serverMetadata().userinfo_endpoint === undefined) return { claims, idToken }
        // Refused when the subject is another one.
        const user = await library.fetchUserInfo(config, tokens.access_token, claims.sub)
        return { claims: { ...user, ...claims }, idToken }
      }),

    /** The address at which a browser signs out at the provider; undefined if the provider has none. */
    signOutUrl: (source: OidcSource, { returnTo, idToken }: SignOut): Promise<string | undefined> =>
      using(source, ({ config }, library) =>
        config.serverMetadata().end_session_endpoint === undefined
          ? undefined
          : library.buildEndSessionUrl(config, {
              post_logout_redirect_uri: returnTo,
              ...(idToken !== '' && { id_token_hint: idToken }),
            }).href,
      ),
  }
}

const isOpenId = (settings: OidcSettings): boolean => settings.authorization_url === ''

/** NOTE: the library takes a while to load, so it is loaded with the first sign-in. */
async function connect(settings: OidcSettings, times: OidcTimes): Promise<Provider> {
  const library = await import('openid-client')
  const issuer = new URL(settings.issuer)
  // The host that the administrator configured may be in a private network, those that it names may not.
  const host = issuer.hostname.replaceAll(/[[\]]/g, '')
  const client = createOutgoingClient({ guard: createHostGuard(`external,${host}`, 'issuer'), userAgent: 'ingot' })
  const fetch = boundedFetch(client, times)
  const discovered: ServerMetadata = isOpenId(settings)
    ? (
        await library.discovery(issuer, settings.client_id, undefined, undefined, {
          [library.customFetch]: fetch,
          timeout: times.answer / 1000,
          execute: issuer.protocol === 'http:' ? [library.allowInsecureRequests] : [],
        })
      ).serverMetadata()
    : {
        issuer: settings.issuer,
        authorization_endpoint: settings.authorization_url,
        token_endpoint: settings.token_url,
      }
  const { client_id: clientId, client_secret: secret } = settings
  // Some providers do not decode what clients must encode for client_secret_basic.
  const methods = discovered.token_endpoint_auth_methods_supported ?? ['client_secret_post']
  const method = methods.includes('client_secret_post') ? library.ClientSecretPost : library.ClientSecretBasic
  const config = new library.Configuration(
    { ...discovered },
    clientId,
    undefined,
    secret === '' ? library.None() : method(secret),
  )
  config[library.customFetch] = fetch
  config.timeout = times.answer / 1000
  if (issuer.protocol === 'http:') library.allowInsecureRequests(config)
  if (isOpenId(settings)) library.enableNonRepudiationChecks(config)
  return { config, client }
}

/** The requests of the library, by the client that checks addresses and bounds time and size. */
const boundedFetch =
  (client: OutgoingClient, { answer: timeout }: OidcTimes): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const {
      status,
      headers: names,
      body: bytes,
    } = await client.request(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body !== undefined && body !== null && { body: bodyText(body) }),
      timeout,
      maxBytes: MAX_ANSWER,
      ...(signal && { signal }),
    })
    return new Response(status === 204 || status === 304 ? null : new Uint8Array(bytes), { status, headers: names })
  }

function bodyText(body: unknown): string {
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('unexpected body of a request to a provider')
}

/** A provider without OpenID Connect: the account of the access token. */
async function readUser(client: OutgoingClient, settings: OidcSettings, token: string): Promise<Claims> {
  const { status, body } = await client.request(settings.userinfo_url, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    maxBytes: MAX_ANSWER,
  })
  const user = status === 200 ? (JSON.parse(body.toString('utf8')) as unknown) : undefined
  if (user === null || typeof user !== 'object') throw unauthenticated(`it answers ${status} for the account`)
  return user as Claims
}

/** The provider does not answer, or its answer is invalid. */
const UNAVAILABLE_CODES = new Set([
  'OAUTH_ABORT',
  'OAUTH_INVALID_SERVER_METADATA',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_TIMEOUT',
])

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // The code of the provider, such as invalid_client.
  const { error: code } = error as { readonly error?: unknown }
  return typeof code === 'string' ? `${error.message}: ${code.slice(0, 100)}` : error.message
}

/** Distinguishes a provider that does not answer from an invalid answer. */
function explain(name: string, error: unknown): Error {
  if (isDomainError(error)) return error
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (isOutgoingError(cause) || UNAVAILABLE_CODES.has((cause as { readonly code?: string }).code ?? ''))
      return errors.providerUnavailable(name, cause.message).causedBy(error)
  return unauthenticated(`the provider ${name} did not sign the person in: ${messageOf(error)}`).causedBy(error)
}
