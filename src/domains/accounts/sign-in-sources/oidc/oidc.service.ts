import type { Actor } from '../../../../core/access/viewer.ts'
import { conflict, isDomainError, notFound, unauthenticated } from '../../../../core/platform/errors.ts'
import { asId, type SignInSourceId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { User } from '../../users/user.store.ts'
import type { ExternalIdentities } from '../identities.service.ts'
import type { SignInSource, SignInSources } from '../sources.service.ts'
import type { OidcAccounts } from './oidc-accounts.ts'
import type { OidcClient, Pending, SignOut } from './oidc-client.ts'
import { type OidcProfile, profileOf } from './oidc-profile.policy.ts'

type OidcSource = SignInSource<'oidc'>

/** A provider as pages name it. */
export interface ProviderLink {
  readonly id: SignInSourceId
  readonly name: string
  /** The user's name at the provider, if the account is linked. */
  readonly linkedAs: string | undefined
  /** Whether the account belongs to the provider, so that the link cannot be deleted. */
  readonly isOwner: boolean
}

/** Whom the provider named. */
export type Arrival =
  | { readonly kind: 'user'; readonly user: User; readonly asksSecondStep: boolean; readonly idToken: string }
  | { readonly kind: 'unlinked'; readonly profile: OidcProfile }
  | { readonly kind: 'refused' }

interface Deps {
  readonly sources: Pick<SignInSources, 'find' | 'findByName' | 'listActive'>
  readonly identities: Pick<ExternalIdentities, 'listOf' | 'unlink'>
  readonly client: OidcClient
  readonly accounts: OidcAccounts
}

export type OidcSignIn = ReturnType<typeof createOidcSignIn>

/** Signing in with providers of OpenID Connect or OAuth2 (docs/operate/sign-in.md#openid-connect-and-oauth2). */
export function createOidcSignIn({ sources, identities, client, accounts }: Deps) {
  /** Throws NotFound; also for a source that is not active. */
  async function getActive(id: number): Promise<OidcSource> {
    const source = await sources.find(id, 'oidc')
    if (source?.isActive !== true) throw notFound('there is no such provider')
    return source
  }
  return {
    /** Names of the providers that users can sign in with; none when their settings cannot be read. */
    async names(): Promise<string[]> {
      try {
        return (await sources.listActive('oidc')).map(({ name }) => name)
      } catch (error) {
        if (!isDomainError(error, 'unavailable')) throw error
        return []
      }
    },

    /** Throws NotFound. */
    async idOf(name: string): Promise<SignInSourceId> {
      const source = await sources.findByName(name)
      return (await getActive(source?.id ?? 0)).id
    },

    /** Throws NotFound and unavailable. */
    begin: async (id: number, redirectUri: string): Promise<{ readonly url: URL; readonly pending: Pending }> =>
      client.begin(await getActive(id), redirectUri),

    /**
     * The account of the person whom the provider signed in. `links`: the user wants to link an account that exists.
     * Throws NotFound, unavailable, and unauthenticated when the answer proves nothing.
     */
    async complete(
      id: number,
      { answer, pending, links }: { readonly answer: URL; readonly pending: Pending; readonly links: boolean },
    ): Promise<Arrival> {
      const source = await getActive(id)
      const { claims, idToken } = await client.complete(source, answer, pending)
      const profile = profileOf(source.settings, claims)
      if (profile === undefined) throw unauthenticated(`the provider ${source.name} names nobody`)
      if (!profile.isAllowed) return { kind: 'refused' }
      const found = await accounts.find(source, profile)
      const user = found ?? (profile.mayRegister && !links ? await accounts.register(source, profile) : undefined)
      if (user === undefined) return { kind: 'unlinked', profile }
      return { kind: 'user', user, asksSecondStep: !source.settings.skip_second_factor, idToken }
    },

    /** Links the account after its user proved who it is to both sides. Throws NotFound and conflict. */
    async link(
      actor: Actor,
      user: User,
      { id, subject, loginName }: { readonly id: number; readonly subject: string; readonly loginName: string },
    ): Promise<void> {
      await accounts.link(actor, await getActive(id), { user, subject, loginName })
    },

    /** Throws conflict for the provider that the account belongs to. */
    async unlink(actor: Actor, user: User, id: number): Promise<void> {
      if (user.sourceId === id) throw conflict('the account belongs to this provider')
      await identities.unlink(actor, asId(id), user.id)
    },

    async list({ id: userId, sourceId }: { readonly id: UserId; readonly sourceId: number }): Promise<ProviderLink[]> {
      const linked = await identities.listOf(userId)
      return (await sources.listActive('oidc')).map(({ id, name }) => ({
        id,
        name,
        linkedAs: linked.find((identity) => identity.sourceId === id)?.loginName,
        isOwner: sourceId === id,
      }))
    },

    /**
     * The address at which the browser can sign out at the provider too; undefined if there is none, or if the provider
     * is unavailable.
     */
    async signOutUrl(id: number, session: SignOut): Promise<{ name: string; url: string } | undefined> {
      try {
        const source = await getActive(id)
        const url = await client.signOutUrl(source, session)
        return url === undefined ? undefined : { name: source.name, url }
      } catch {
        return undefined
      }
    },
  }
}
