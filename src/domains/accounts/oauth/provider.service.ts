import { type ScopeSet, decideAccountState } from '../../../core/access/viewer.ts'
import { notFound } from '../../../core/platform/errors.ts'
import type { OauthApplicationId, OauthGrantId, UserId } from '../../../core/platform/crypto/ids.ts'
import type { User } from '../users/user.store.ts'
import {
  answerAuthorization,
  type AuthorizationRequest,
  type AuthorizationStep,
  beginAuthorization,
  isKnownRedirect,
  type GrantActor,
  findClient,
  isClientSecret,
} from './authorize.ts'
import { userInfo, type UserInfo } from './claims.ts'
import type { ProviderDeps, ProviderParts } from './deps.ts'
import { exchangeToken, type TokenAnswer, type TokenRequest } from './exchange.ts'
import { deleteGrant, findGrantById, findLiveGrant, listGrants, type LiveGrant } from './oauth-grant.store.ts'
import { scopesOfGrant } from './oauth.policy.ts'
import { type SigningAlgorithm, createSigningKey, type PublicKey } from './signing-keys/signing-key.ts'
import { createTokenSigner, type TokenClaims } from './tokens.ts'

type Introspection =
  | { readonly active: false }
  | {
      readonly active: true
      readonly scope: string
      readonly username: string
      readonly iss: string
      readonly sub: string
      readonly aud: readonly string[]
    }

interface OauthAccess {
  readonly user: User
  readonly scopes: ScopeSet
  readonly applicationId: OauthApplicationId
}

interface GrantView {
  readonly id: OauthGrantId
  readonly application: string
  readonly scope: string
  readonly createdAt: number
}

/** The OAuth2 and OpenID Connect provider (behaviour/auth-and-access#oauth2-and-openid-connect-provider). */
export interface OauthProvider {
  /** Throws OauthError when the redirect address cannot be trusted. */
  begin(userId: UserId, request: AuthorizationRequest): Promise<AuthorizationStep>
  /** The address to redirect the browser to after the user's answer. */
  answer(
    actor: GrantActor,
    answer: { readonly request: AuthorizationRequest; readonly isGranted: boolean },
  ): Promise<string>
  isKnownRedirect(request: Pick<AuthorizationRequest, 'clientId' | 'redirectUri'>): Promise<boolean>
  /** Throws OauthError. */
  exchange(request: TokenRequest): Promise<TokenAnswer>
  /** The user and the scopes of an access token; undefined for anything else. */
  readAccessToken(token: string): Promise<OauthAccess | undefined>
  userInfo(user: User, onlyPublic: boolean): Promise<UserInfo>
  isClient(clientId: string, secret: string): Promise<boolean>
  /** Only for the client that the token was issued to; for other clients the token is inactive. */
  introspect(token: string, clientId: string): Promise<Introspection>
  /** The keys with which clients verify tokens; empty when tokens are signed with a shared secret. */
  publicKeys(): Promise<readonly PublicKey[]>
  readonly signingAlgorithm: SigningAlgorithm
  issuer(): string
  /** The grants of a user, ordered by name of the application. */
  grants(userId: UserId): Promise<GrantView[]>
  /** Revokes a grant with all its tokens. Throws NotFound. */
  revoke(actor: GrantActor, id: OauthGrantId): Promise<void>
}

export function createOauthProvider(deps: ProviderDeps): OauthProvider {
  const { database, clock, settings } = deps
  const algorithm = settings.signingAlgorithm
  const key = createSigningKey({ ...deps, algorithm })
  const parts: ProviderParts = {
    ...deps,
    signer: createTokenSigner({ key, clock, algorithm, maxLength: settings.maxTokenLength }),
  }
  const findLive = async (token: string): Promise<{ claims: TokenClaims; live: LiveGrant } | undefined> => {
    const claims = await parts.signer.verify(token)
    const live = claims && (await findLiveGrant(database.read, claims.chainId))
    if (claims === undefined || live === undefined || live.grant.id !== claims.grantId) return undefined
    const { builtIn } = live.application
    return builtIn === '' || settings.builtIn.includes(builtIn) ? { claims, live } : undefined
  }
  return {
    begin: (userId, request) => beginAuthorization(deps, userId, request),
    answer: (actor, answer) => answerAuthorization(deps, actor, answer),
    isKnownRedirect: (request) => isKnownRedirect(deps, request),
    exchange: (request) => exchangeToken(parts, request),

    async readAccessToken(token) {
      const found = await findLive(token)
      if (found?.claims.kind !== 'access') return undefined
      const { application, grant, user } = found.live
      return { user, scopes: scopesOfGrant(grant.scope), applicationId: application.id }
    },

    userInfo: (user, onlyPublic) => userInfo(parts, user, onlyPublic),

    async isClient(clientId, secret) {
      const client = await findClient(database.read, settings, clientId)
      return client !== undefined && isClientSecret(client, secret)
    },

    async introspect(token, clientId) {
      const found = await findLive(token)
      if (found === undefined || found.live.application.clientId !== clientId) return { active: false }
      const { claims, live } = found
      const superseded = claims.kind === 'refresh' && settings.rotate && claims.counter !== live.chain.counter
      if (superseded || decideAccountState(live.user) === 'prohibited') return { active: false }
      return {
        active: true,
        scope: live.grant.scope,
        username: live.user.name,
        iss: deps.issuer(),
        sub: String(live.user.id),
        aud: [live.application.clientId],
      }
    },

    async publicKeys() {
      const { publicKey } = await key()
      return publicKey === undefined ? [] : [publicKey]
    },
    signingAlgorithm: algorithm,
    issuer: deps.issuer,
    grants: (userId) => listGrants(database.read, userId),

    async revoke(actor, id) {
      await database.transaction(async (tx) => {
        const grant = await findGrantById(tx, actor.account.id, id)
        if (grant === undefined) throw notFound('grant does not exist')
        await deleteGrant(tx, id)
        await deps.events.append(
          tx,
          'oauth.grant_revoked',
          { actor, repoId: 0, at: clock.now() },
          {
            user_id: actor.account.id,
            application_id: grant.applicationId,
            name: grant.application,
            scope: grant.scope,
          },
        )
      })
    },
  }
}
