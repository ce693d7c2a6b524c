import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type Authenticate,
  type Credentials,
  parseAuthorization,
  ANONYMOUS,
  type Viewer,
  type SignedIn,
} from '../access/viewer.ts'
import { isDomainError } from '../platform/errors.ts'
import { type Fields, isUrlEncoded, parseUrlEncoded } from './body/form.ts'
import { isRead } from './is-read.ts'
import type { Operation } from './operation.ts'
import { signedRequest } from './body/signed-body.ts'
import {
  boundedUserAgent,
  type RequestClient,
  type RequestCredential,
  type RequestSource,
} from '../platform/request-source.ts'

/** The parts of a request that identify its caller. */
interface Sent {
  readonly ip: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export const clientOf = ({ ip, headers }: Sent): RequestClient => ({
  address: ip,
  userAgent: boundedUserAgent(one(headers['user-agent'])),
})

/** The record of a request whose caller has this credential. */
export const sourceOf = (request: Sent, credential: RequestCredential): RequestSource => ({
  ...clientOf(request),
  credential,
})

/**
 * `viewer` with the source of its request. `requester` sent it: with sudo an administrator who acts as another account.
 */
export function withSource(viewer: Viewer, requester: Viewer, request: Sent): Viewer {
  if (viewer.kind === 'anonymous' || requester.kind === 'anonymous') return viewer
  const source = sourceOf(request, credentialOf(requester))
  if (viewer.account.id === requester.account.id) return { ...viewer, source }
  return { ...viewer, source: { ...source, sudoBy: { id: requester.account.id, name: requester.account.name } } }
}

/** The credential of an account that signed in, with the id of its row. */
export function credentialOf(viewer: SignedIn): RequestCredential {
  const { method, tokenId, deployKeyId, keyId, applicationId, directoryId } = viewer
  if (tokenId !== undefined) return { kind: 'access-token', id: tokenId }
  if (applicationId !== undefined) return { kind: 'oauth2-token', id: applicationId }
  if (deployKeyId !== undefined) return { kind: 'deploy-key', id: deployKeyId }
  if (directoryId !== undefined) return { kind: 'ldap', id: directoryId }
  switch (method) {
    case 'password':
    case 'reverse-proxy':
      return { kind: method, id: 0 }
    case 'ssh-key':
    case 'http-signature':
      return keyId === undefined ? { kind: 'ssh-certificate', id: 0 } : { kind: method, id: keyId }
    default:
      return { kind: 'oauth2-token', id: 0 }
  }
}

export interface RequesterSettings {
  rootUrl(): string
  readonly queryTokens: boolean
  readonly proxyHeaders: { readonly user: string; readonly email: string; readonly fullName: string } | undefined
}

const TOKEN_IN_URL = 'Tokens in the query or the body end up in logs: send them in the Authorization header.'

/**
 * Returns the viewer of the first valid credentials, in the contract's order
 * (behaviour/auth-and-access#authentication-methods). Invalid ones throw `unauthenticated` unless others of the request
 * are valid; without any the viewer is anonymous.
 */
export async function identifyRequester(
  authenticate: Authenticate,
  request: FastifyRequest,
  settings: RequesterSettings,
): Promise<Viewer> {
  let refusal: unknown
  for (const credentials of credentialsOf(request, settings)) {
    try {
      const viewer = await authenticate(credentials, clientOf(request))
      if (viewer.kind === 'user') return viewer
    } catch (error) {
      if (!isDomainError(error, 'unauthenticated')) throw error
      refusal ??= error
    }
  }
  if (refusal !== undefined) throw refusal
  return ANONYMOUS
}

function credentialsOf(request: FastifyRequest, settings: RequesterSettings): Credentials[] {
  const token = tokenOutsideHeader(request, settings)
  const name = settings.proxyHeaders && one(request.headers[settings.proxyHeaders.user.toLowerCase()])?.trim()
  const found: Credentials[] = [parseAuthorization(request.headers)]
  const signed = signedRequest(request, settings.rootUrl())
  if (signed !== undefined) found.splice(found[0]!.kind === 'token' ? 1 : 0, 0, { kind: 'signature', request: signed })
  if (token !== undefined) found.unshift({ kind: 'token', token, via: 'query' })
  if (name && settings.proxyHeaders) {
    const { email, fullName } = settings.proxyHeaders
    found.push({
      kind: 'proxy',
      name,
      email: one(request.headers[email.toLowerCase()]) ?? '',
      fullName: one(request.headers[fullName.toLowerCase()]) ?? '',
    })
  }
  return found
}

function tokenOutsideHeader(request: FastifyRequest, settings: RequesterSettings): string | undefined {
  if (!settings.queryTokens) return undefined
  const query = request.query as Fields
  const form = formOf(request)
  return (
    one(query['token']) || one(query['access_token']) || one(form['token']) || one(form['access_token']) || undefined
  )
}

/**
 * COMPAT: every response, refusals included, warns about the place of the token
 * (test/core/http/requests.test.ts).
 */
export function warnOfToken(request: FastifyRequest, reply: FastifyReply, settings: RequesterSettings): void {
  if (tokenOutsideHeader(request, settings) !== undefined)
    void reply.headers({ 'x-gitea-warning': TOKEN_IN_URL, warning: `299 - "${TOKEN_IN_URL}"` })
}

/** The name of the account to act as, from the query, the form or the header. */
export const sudoName = (request: FastifyRequest): string | undefined =>
  one((request.query as Fields)['sudo']) || one(formOf(request)['sudo']) || one(request.headers['sudo'])

/**
 * COMPAT: clients may send their token in a urlencoded body, so that the caller is identified only when the body is
 * read (test/core/http/requests.test.ts).
 */
export const mayBeInBody = (operation: Operation, request: FastifyRequest): boolean =>
  !isRead(operation) && (operation.bodyKind === 'json' || operation.body === undefined) && isUrlEncoded(request.headers)

const NO_FIELDS: Fields = {}

/** The fields of a urlencoded body that has been read; none for other bodies. */
export function formOf({ body, state, headers }: FastifyRequest): Fields {
  if (!Buffer.isBuffer(body) || !isUrlEncoded(headers)) return NO_FIELDS
  return (state.form ??= parseUrlEncoded(body.toString('utf8')))
}

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)
