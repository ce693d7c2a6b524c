import { createHash } from 'node:crypto'
import { decideAccountState } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import { sameSecret, sha256Hex } from '../../../core/platform/crypto/crypto.ts'
import type { OauthChainId } from '../../../core/platform/crypto/ids.ts'
import { idClaims } from './claims.ts'
import { findClient, isClientSecret, OauthError, type OauthErrorCode } from './authorize.ts'
import type { ProviderParts } from './deps.ts'
import type { OauthApplication } from './applications/oauth-application.store.ts'
import {
  deleteChain,
  findCode,
  findLiveGrant,
  insertChain,
  type LiveGrant,
  type OauthCode,
  rotateChain,
  useCode,
} from './oauth-grant.store.ts'
import { scopeNames, isRegisteredRedirect, isSameRedirect } from './oauth.policy.ts'

/** The body of a token request; absent members are empty. */
export interface TokenRequest {
  readonly grantType: string
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
  readonly code: string
  readonly refreshToken: string
  readonly codeVerifier: string
}

export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: 'bearer'
  readonly expires_in: number
  readonly refresh_token: string
  readonly id_token?: string
}

/**
 * Within this time a repeated refresh does not count as theft: two processes of one client may refresh concurrently.
 */
const REUSE_GRACE_MS = 60_000

/**
 * Exchanges codes and refresh tokens for tokens. Throws OauthError with the codes and descriptions of the API
 * (behaviour/auth-and-access#oauth2-and-openid-connect-provider).
 */
export async function exchangeToken(parts: ProviderParts, request: TokenRequest): Promise<TokenAnswer> {
  switch (request.grantType) {
    case 'authorization_code':
      return exchangeCode(parts, request)
    case 'refresh_token':
      return refresh(parts, request)
    default:
      throw new OauthError('unsupported_grant_type', 'Only refresh_token or authorization_code grant type is supported')
  }
}

async function requireClient(
  parts: ProviderParts,
  request: TokenRequest,
  wrongSecret: OauthErrorCode,
): Promise<OauthApplication> {
  const client = await findClient(parts.database.read, parts.settings, request.clientId)
  const quote = request.grantType === 'refresh_token' ? '"' : "'"
  if (client === undefined)
    throw new OauthError('invalid_client', `cannot load client with client id: ${quote}${request.clientId}${quote}`)
  if (client.isConfidential && !isClientSecret(client, request.clientSecret))
    throw new OauthError(
      wrongSecret,
      request.clientSecret === '' ? 'invalid empty client secret' : 'invalid client secret',
    )
  return client
}

async function exchangeCode(parts: ProviderParts, request: TokenRequest): Promise<TokenAnswer> {
  const { database, clock, settings } = parts
  const client = await requireClient(parts, request, 'unauthorized_client')
  const { redirectUri } = request
  if (redirectUri !== '' && !isRegisteredRedirect(client.redirectUris, redirectUri, client.isConfidential))
    throw new OauthError('unauthorized_client', 'unexpected redirect URI')
  const codeHash = sha256Hex(request.code)
  const code = await findCode(database.read, codeHash)
  if (code === undefined) throw new OauthError('unauthorized_client', 'client is not authorized')
  if (code.chainId !== undefined) {
    await endReplayed(parts, codeHash)
    throw new OauthError('unauthorized_client', 'client is not authorized')
  }
  if (code.expiresAt <= clock.now()) throw new OauthError('invalid_grant', 'authorization code expired')
  if (!answersChallenge(code, request.codeVerifier, client.isConfidential))
    throw new OauthError('unauthorized_client', 'failed PKCE code challenge')
  if (code.grant.applicationId !== client.id) throw new OauthError('invalid_grant', 'invalid grant')
  if (redirectUri !== '' && !isSameRedirect(code.redirectUri, redirectUri, client.isConfidential))
    throw new OauthError('unauthorized_client', 'unexpected redirect URI')
  const now = clock.now()
  // NOTE: reads the grant in the same transaction, because a concurrent request may use the code again.
  const used = await database.transaction(async (tx) => {
    const id = await insertChain(tx, {
      grant_id: code.grant.id,
      rotated_at: now,
      expires_at: now + settings.refreshLifetime * 1000,
    })
    if (await useCode(tx, codeHash, id)) return { live: await findLiveGrant(tx, id) }
    await deleteChain(tx, id)
    return undefined
  })
  if (used === undefined) {
    await endReplayed(parts, codeHash)
    throw new OauthError('invalid_grant', 'authorization code already used')
  }
  return issue(parts, requireAllowed(used.live), { nonce: code.nonce, secret: request.clientSecret })
}

/** A code that is used twice may have been stolen: revokes all tokens issued for it (RFC 6819 §4.4.1.1). */
async function endReplayed({ database }: ProviderParts, codeHash: string): Promise<void> {
  await database.transaction(async (tx) => {
    const chainId = (await findCode(tx, codeHash))?.chainId
    if (chainId !== undefined) await deleteChain(tx, chainId)
  })
}

/** RFC 7636 §4.6. Without a challenge, confidential clients pass with any verifier and public clients never pass. */
function answersChallenge(
  { challenge, challengeMethod }: OauthCode,
  verifier: string,
  isConfidential: boolean,
): boolean {
  if (challengeMethod === '') return isConfidential
  if (verifier === '') return false
  return sameSecret(
    challenge,
    challengeMethod === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier,
  )
}

async function refresh(parts: ProviderParts, request: TokenRequest): Promise<TokenAnswer> {
  const { database, clock, settings, signer } = parts
  const client = await requireClient(parts, request, 'invalid_client')
  const claims = await signer.verify(request.refreshToken)
  if (claims?.kind !== 'refresh') throw new OauthError('unauthorized_client', 'unable to parse refresh token')
  const live = await requireLive(parts, claims.chainId)
  if (live.grant.id !== claims.grantId) throw new OauthError('invalid_grant', 'grant does not exist')
  if (live.application.id !== client.id) throw new OauthError('invalid_grant', 'invalid grant')
  const now = clock.now()
  const isNewest = claims.counter === live.chain.counter || !settings.rotate
  const moved =
    isNewest && (await database.transaction((tx) => rotate(tx, live, { now, lifetime: settings.refreshLifetime })))
  if (!moved && settings.rotate) {
    if (now - live.chain.rotatedAt > REUSE_GRACE_MS) await database.transaction((tx) => deleteChain(tx, live.chain.id))
    throw new OauthError('unauthorized_client', 'token was already used')
  }
  return issue(
    parts,
    { ...live, chain: { ...live.chain, counter: live.chain.counter + 1 } },
    { nonce: '', secret: request.clientSecret },
  )
}

const rotate = (
  tx: Tx,
  { chain }: LiveGrant,
  { now, lifetime }: { readonly now: number; readonly lifetime: number },
): Promise<boolean> => rotateChain(tx, chain, { rotated_at: now, expires_at: now + lifetime * 1000 })

/** Users who may not sign in get no tokens. */
const requireLive = async ({ database }: ProviderParts, chainId: OauthChainId): Promise<LiveGrant> =>
  requireAllowed(await findLiveGrant(database.read, chainId))

function requireAllowed(live: LiveGrant | undefined): LiveGrant {
  if (live === undefined || decideAccountState(live.user) === 'prohibited')
    throw new OauthError('invalid_grant', 'grant does not exist')
  return live
}

/**
 * The request that the response belongs to. NOTE: the secret of a client is available only during its request; the
 * database stores its hash.
 */
interface Occasion {
  readonly nonce: string
  readonly secret: string
}

async function issue(parts: ProviderParts, live: LiveGrant, { nonce, secret }: Occasion): Promise<TokenAnswer> {
  const { signer, settings } = parts
  const claims = { grantId: live.grant.id, chainId: live.chain.id, counter: live.chain.counter }
  const idToken = scopeNames(live.grant.scope).has('openid')
    ? await signer.signIdToken(
        await idClaims(parts, live, nonce),
        settings.accessLifetime,
        live.application.isConfidential ? secret : '',
      )
    : undefined
  return {
    access_token: await signer.sign({ kind: 'access', ...claims }, settings.accessLifetime),
    token_type: 'bearer',
    expires_in: settings.accessLifetime,
    refresh_token: await signer.sign({ kind: 'refresh', ...claims }, settings.refreshLifetime),
    ...(idToken !== undefined && { id_token: idToken }),
  }
}
