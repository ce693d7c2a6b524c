import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authorizeRequester } from '../../../core/access/authorize.ts'
import { type Authenticate, parseAuthorization, isPublicOnly } from '../../../core/access/viewer.ts'
import { addCorsHook, answerPreflight, type CorsSettings, isPreflight } from '../../../core/http/cors.ts'
import { clientOf as requestClient } from '../../../core/http/caller.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import { type Fields, readFields } from '../sign-in/web/form.ts'
import type { User } from '../users/user.store.ts'
import { OauthError } from './authorize.ts'
import type { OauthProvider } from './provider.service.ts'

export interface OauthRouteDeps {
  readonly provider: OauthProvider
  readonly authenticate: Authenticate
  findUser(name: string): Promise<User | undefined>
  /** Undefined: requests from pages of other origins are refused. */
  readonly cors: CorsSettings | undefined
  rootUrl(): string
}

const TOKEN = '/login/oauth/access_token'
const INTROSPECT = '/login/oauth/introspect'
const USER_INFO = '/login/oauth/userinfo'
const KEYS = '/login/oauth/keys'
const DISCOVERY = '/.well-known/openid-configuration'

/** Endpoints that clients in browsers call from other origins. */
const OAUTH_PATHS: readonly string[] = [TOKEN, INTROSPECT, USER_INFO, KEYS, DISCOVERY]

const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache', 'x-content-type-options': 'nosniff' }

/** The endpoints of the OAuth2 provider (behaviour/auth-and-access#oauth2-and-openid-connect-provider). */
export function registerOauth(http: FastifyInstance, deps: OauthRouteDeps): void {
  allowOrigins(http, deps.cors)
  http.post(TOKEN, async (request, reply) => token(deps, request, reply))
  http.get(TOKEN, async (_, reply) => reply.code(405).header('allow', 'POST').send())
  http.post(INTROSPECT, async (request, reply) => introspect(deps, request, reply))
  http.get(USER_INFO, async (request, reply) => userInfo(deps, request, reply))
  http.get(KEYS, async (_, reply) => json(reply, 200, { keys: await deps.provider.publicKeys() }))
  http.get(DISCOVERY, async (_, reply) => json(reply, 200, discovery(deps)))
}

function allowOrigins(http: FastifyInstance, cors: CorsSettings | undefined): void {
  addCorsHook(http, cors)
  for (const path of OAUTH_PATHS) {
    http.options(path, async (request, reply) =>
      cors && isPreflight(request) ? answerPreflight(cors, request, reply) : reply.code(405).send(),
    )
  }
}

const json = (reply: FastifyReply, status: number, body: object): FastifyReply =>
  reply
    .code(status)
    .headers({ 'x-content-type-options': 'nosniff' })
    .type('application/json;charset=utf-8')
    .send(`${JSON.stringify(body)}\n`)

async function token(
  { provider }: OauthRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.headers(NO_STORE)
  try {
    const fields = await readFields(request)
    const client = clientOf(request, fields)
    return json(
      reply,
      200,
      await provider.exchange({
        ...client,
        grantType: fields['grant_type'] ?? '',
        redirectUri: fields['redirect_uri'] ?? '',
        code: fields['code'] ?? '',
        refreshToken: fields['refresh_token'] ?? '',
        codeVerifier: fields['code_verifier'] ?? '',
      }),
    )
  } catch (error) {
    if (!(error instanceof OauthError)) throw error
    return json(reply, 400, { error: error.code, error_description: error.message })
  }
}

interface Client {
  readonly clientId: string
  readonly clientSecret: string
}

/** The credentials of the client, from the body or from Basic; if both are present they must agree. */
function clientOf(request: FastifyRequest, fields: Fields): Client {
  const inBody = { clientId: fields['client_id'] ?? '', clientSecret: fields['client_secret'] ?? '' }
  const { authorization } = request.headers
  if (authorization === undefined || authorization === '') return inBody
  const basic = basicClient(request)
  if (basic === undefined) throw new OauthError('invalid_request', 'cannot parse basic auth header')
  if (inBody.clientId !== '' && inBody.clientId !== basic.clientId)
    throw new OauthError('invalid_request', 'client_id in request body inconsistent with Authorization header')
  if (inBody.clientSecret !== '' && inBody.clientSecret !== basic.clientSecret)
    throw new OauthError('invalid_request', 'client_secret in request body inconsistent with Authorization header')
  return basic
}

/**
 * NOTE: both parts are form-encoded before they are joined (RFC 6749 §2.3.1). Our ids and secrets need no encoding, but
 * some clients encode `-` and `_`.
 */
function basicClient(request: FastifyRequest): Client | undefined {
  const sent = parseAuthorization(request.headers)
  return sent.kind === 'basic'
    ? { clientId: decodeForm(sent.user), clientSecret: decodeForm(sent.password) }
    : undefined
}

function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** NOTE: the `token` in the body is what the request asks about, never its credentials. */
async function introspect(
  { provider }: OauthRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.headers(NO_STORE)
  const client = basicClient(request)
  if (client === undefined || !(await provider.isClient(client.clientId, client.clientSecret)))
    return unauthorized(reply, 'Basic')
  return json(reply, 200, await provider.introspect((await readFields(request))['token'] ?? '', client.clientId))
}

/** Accepts access tokens of either kind, only in the header. */
async function userInfo(
  { provider, authenticate, findUser }: OauthRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.headers(NO_STORE)
  const sent = parseAuthorization(request.headers)
  if (sent.kind !== 'token') return unauthorized(reply, 'Bearer')
  try {
    const viewer = await authenticate(sent, requestClient(request))
    const user =
      viewer.kind === 'user' && authorizeRequester(viewer, {}).kind === 'allowed'
        ? await findUser(viewer.account.name)
        : undefined
    return user === undefined
      ? unauthorized(reply, 'Bearer')
      : json(reply, 200, await provider.userInfo(user, isPublicOnly(viewer)))
  } catch (error) {
    if (isDomainError(error, 'unauthenticated')) return unauthorized(reply, 'Bearer')
    throw error
  }
}

/**
 * COMPAT: clients expect this realm (behaviour/auth-and-access#oauth2-and-openid-connect-provider;
 * test/accounts/oauth/oauth.test.ts).
 */
const unauthorized = (reply: FastifyReply, scheme: 'Basic' | 'Bearer'): FastifyReply =>
  reply
    .code(401)
    .header('www-authenticate', `${scheme} realm="Gitea OAuth2"`)
    .type('text/plain;charset=utf-8')
    .send('no valid authorization\n')

/** OpenID Connect Discovery 1.0 §3. */
function discovery({ provider, rootUrl }: OauthRouteDeps): object {
  const root = rootUrl()
  return {
    issuer: provider.issuer(),
    authorization_endpoint: `${root}/login/oauth/authorize`,
    token_endpoint: root + TOKEN,
    jwks_uri: root + KEYS,
    userinfo_endpoint: root + USER_INFO,
    introspection_endpoint: root + INTROSPECT,
    response_types_supported: ['code', 'id_token'],
    id_token_signing_alg_values_supported: [provider.signingAlgorithm],
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
  }
}
