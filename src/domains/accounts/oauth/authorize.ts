import type { Actor } from '../../../core/access/viewer.ts'
import { randomBase32, sha256Hex, sameSecret } from '../../../core/platform/crypto/crypto.ts'
import type { OauthGrantId, UserId } from '../../../core/platform/crypto/ids.ts'
import type { ProviderDeps, ProviderSettings } from './deps.ts'
import { type OauthApplication, findApplicationByClientId } from './applications/oauth-application.store.ts'
import { findGrant, insertCode, insertGrant, type OauthGrant } from './oauth-grant.store.ts'
import { isRegisteredRedirect, isSafeRedirect } from './oauth.policy.ts'
import type { Db } from '../../../core/db/database.ts'

/** An application by its client id; built-in ones only if they are enabled. */
export async function findClient(
  db: Db,
  { builtIn }: ProviderSettings,
  clientId: string,
): Promise<OauthApplication | undefined> {
  const found = clientId === '' ? undefined : await findApplicationByClientId(db, clientId)
  return found === undefined || (found.builtIn !== '' && !builtIn.includes(found.builtIn)) ? undefined : found
}

export const isClientSecret = ({ secretHash }: OauthApplication, secret: string): boolean =>
  secretHash !== '' && sameSecret(secretHash, sha256Hex(secret))

/** Error codes of OAuth2 (RFC 6749 §4.1.2.1 and §5.2); the descriptions are those of the API. */
export type OauthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'server_error'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'

export class OauthError extends Error {
  readonly code: OauthErrorCode

  constructor(code: OauthErrorCode, description: string) {
    super(description)
    this.name = 'OauthError'
    this.code = code
  }
}

/** The parameters of an authorization request (RFC 6749 §4.1.1, RFC 7636, OpenID Connect). */
export interface AuthorizationRequest {
  readonly clientId: string
  readonly redirectUri: string
  readonly responseType: string
  readonly state: string
  readonly scope: string
  readonly nonce: string
  readonly challenge: string
  readonly challengeMethod: string
}

/** The address to redirect the browser to, or the consent form to show. */
export type AuthorizationStep =
  { readonly kind: 'redirect'; readonly to: string } | { readonly kind: 'ask'; readonly application: OauthApplication }

const otherScope = (): OauthError => new OauthError('server_error', 'a grant exists with different scope')

const CODE_MS = 10 * 60_000
const CODE_BYTES = 32
const MAX_LENGTH = 2048

/**
 * Checks the request of a signed-in user. Throws OauthError when the redirect address cannot be trusted; all other
 * errors are sent to the client by a redirect.
 */
export async function beginAuthorization(
  deps: ProviderDeps,
  userId: UserId,
  request: AuthorizationRequest,
): Promise<AuthorizationStep> {
  const application = await requireClient(deps, request)
  const wrong = faultOf(application, request)
  if (wrong !== undefined) return refuse(request, wrong)
  const grant = await findGrant(deps.database.read, userId, application.id)
  if (grant !== undefined && grant.scope !== request.scope) return refuse(request, otherScope())
  if (grant !== undefined && (application.isConfidential || application.skipsConsent))
    return succeed(request, await makeCode(deps, grant.id, request))
  return { kind: 'ask', application }
}

/** Handles the user's answer to the consent form. Throws OauthError as `beginAuthorization` does. */
export async function answerAuthorization(
  deps: ProviderDeps,
  actor: GrantActor,
  { request, isGranted }: { readonly request: AuthorizationRequest; readonly isGranted: boolean },
): Promise<string> {
  const application = await requireClient(deps, request)
  const wrong =
    faultOf(application, request) ?? (isGranted ? undefined : new OauthError('access_denied', 'the request is denied'))
  if (wrong !== undefined) return refuse(request, wrong).to
  const grant = await grantAccess(deps, { actor, application }, request.scope)
  if (grant.scope !== request.scope) return refuse(request, otherScope()).to
  return succeed(request, await makeCode(deps, grant.id, request)).to
}

/** Whether the client is known and has registered the address; pages may redirect only to such addresses. */
export async function isKnownRedirect(
  deps: ProviderDeps,
  { clientId, redirectUri }: Pick<AuthorizationRequest, 'clientId' | 'redirectUri'>,
): Promise<boolean> {
  const application = await findClient(deps.database.read, deps.settings, clientId)
  return (
    application !== undefined &&
    isSafeRedirect(redirectUri) &&
    isRegisteredRedirect(application.redirectUris, redirectUri, application.isConfidential)
  )
}

async function requireClient(
  deps: ProviderDeps,
  { clientId, redirectUri }: AuthorizationRequest,
): Promise<OauthApplication> {
  const application = await findClient(deps.database.read, deps.settings, clientId)
  if (application === undefined) throw new OauthError('unauthorized_client', 'Client ID not registered')
  if (
    !isSafeRedirect(redirectUri) ||
    !isRegisteredRedirect(application.redirectUris, redirectUri, application.isConfidential)
  )
    throw new OauthError('invalid_request', 'Unregistered Redirect URI')
  return application
}

function faultOf({ isConfidential }: OauthApplication, request: AuthorizationRequest): OauthError | undefined {
  const { responseType, challenge, challengeMethod } = request
  if (responseType !== 'code')
    return new OauthError('unsupported_response_type', 'Only code response type is supported.')
  if ([request.scope, request.nonce, request.state, challenge].some((text) => text.length > MAX_LENGTH))
    return new OauthError('invalid_request', 'a parameter is too long')
  if (challengeMethod !== '' && challengeMethod !== 'S256' && challengeMethod !== 'plain')
    return new OauthError('invalid_request', 'unsupported code challenge method')
  const hasChallenge = challengeMethod !== '' && challenge !== ''
  if (!hasChallenge && (!isConfidential || challenge !== '' || challengeMethod !== ''))
    return new OauthError('invalid_request', 'PKCE is required for public clients')
  return undefined
}

/** The user who grants access to an application. */
export type GrantActor = Actor & { readonly account: { readonly id: UserId } }

interface Grantee {
  readonly actor: GrantActor
  readonly application: OauthApplication
}

/** The existing grant of the user, whose scope may differ, otherwise a new one with the scope. */
async function grantAccess(
  { database, clock, events }: ProviderDeps,
  { actor, application }: Grantee,
  scope: string,
): Promise<Pick<OauthGrant, 'id' | 'scope'>> {
  const userId = actor.account.id
  const existing = await findGrant(database.read, userId, application.id)
  if (existing !== undefined) return existing
  try {
    return await database.transaction(async (tx) => {
      const [of, at] = [{ user_id: userId, application_id: application.id }, clock.now()]
      const id = await insertGrant(tx, { ...of, scope, created_at: at })
      await events.append(tx, 'oauth.grant_given', { actor, repoId: 0, at }, { ...of, name: application.name, scope })
      return { id, scope }
    })
  } catch (error) {
    const other = database.dialect.isUniqueViolation(error)
      ? await findGrant(database.read, userId, application.id)
      : undefined
    if (other === undefined) throw error
    return other
  }
}

async function makeCode(
  { database, clock }: ProviderDeps,
  grant: OauthGrantId,
  request: AuthorizationRequest,
): Promise<string> {
  const code = `gta_${randomBase32(CODE_BYTES)}`
  const now = clock.now()
  const row = {
    code_hash: sha256Hex(code),
    grant_id: grant,
    redirect_uri: request.redirectUri,
    challenge: request.challenge,
    challenge_method: request.challengeMethod,
    nonce: request.nonce,
    expires_at: now + CODE_MS,
  }
  await database.transaction((tx) => insertCode(tx, row, now))
  return code
}

const succeed = (request: AuthorizationRequest, code: string): { kind: 'redirect'; to: string } =>
  redirect(request, { code })
const refuse = (
  request: AuthorizationRequest,
  error: { readonly code: OauthErrorCode; readonly message: string },
): { kind: 'redirect'; to: string } => redirect(request, { error: error.code, error_description: error.message })

function redirect(
  { redirectUri, state }: AuthorizationRequest,
  members: Readonly<Record<string, string>>,
): { kind: 'redirect'; to: string } {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(members)) url.searchParams.set(name, value)
  if (state !== '') url.searchParams.set('state', state)
  return { kind: 'redirect', to: url.href }
}
