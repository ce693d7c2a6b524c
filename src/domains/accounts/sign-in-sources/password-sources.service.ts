import { isDomainError, unavailable } from '../../../core/platform/errors.ts'
import type { Core } from '../../../core/module.ts'
import type { SignInSourceId } from '../../../core/platform/crypto/ids.ts'
import type { RequestCredential } from '../../../core/platform/request-source.ts'
import type { User } from '../users/user.store.ts'
import type { ExternalAccounts } from './external-accounts.service.ts'
import type { LdapSources } from './ldap/ldap-source.ts'
import type { SignInSource, SignInSources } from './sources.service.ts'

interface Deps extends Pick<Core, 'log'> {
  readonly sources: Pick<SignInSources, 'find' | 'listActive'>
  readonly ldap: Pick<LdapSources, 'verify'>
  readonly accounts: ExternalAccounts
}

/** The account of a right password, and the source that accepted it. */
export interface AcceptedPassword {
  readonly user: User
  readonly sourceId: SignInSourceId
}

/** Checks a password against one or several sources. */
export interface PasswordDecider {
  /** Changes whenever the same password might get another decision. */
  readonly version: string
  /** The credential in the record of a wrong password; its id is 0 when several sources decide. */
  readonly credential: RequestCredential
  /** Undefined for a wrong password. Throws unavailable when the source cannot be asked. */
  verify(password: string): Promise<AcceptedPassword | undefined>
}

export type PasswordSources = ReturnType<typeof createPasswordSources>

/** Passwords that sign-in sources check. */
export function createPasswordSources({ sources, ldap, accounts, log }: Deps) {
  async function verify(
    source: SignInSource<'ldap'>,
    login: string,
    password: string,
  ): Promise<AcceptedPassword | undefined> {
    try {
      const profile = await ldap.verify(source, login, password)
      const rules = { source, createsAccounts: source.settings.create_accounts }
      return profile && { user: (await accounts.refresh(rules, profile)).user, sourceId: source.id }
    } catch (error) {
      if (isDomainError(error, 'unavailable')) {
        log.warn({ source: source.name, reason: error.message }, 'a directory cannot check a password')
        throw unavailable(`the sign-in source ${source.name} cannot be reached, try again later`)
      }
      // The person has the right password, but no account.
      if (!isDomainError(error, 'forbidden')) throw error
      log.warn({ source: source.name, reason: error.message }, 'a person of a directory cannot sign in')
      return undefined
    }
  }

  return {
    /**
     * Undefined when the server itself decides: for accounts without a directory, and for unknown names when there is
     * no directory.
     */
    async decider(login: string, user: User | undefined): Promise<PasswordDecider | undefined> {
      if (user !== undefined) {
        const source = await sources.find(user.sourceId, 'ldap')
        return (
          source && {
            version: `${source.id} ${source.updatedAt} ${user.loginName}`,
            credential: { kind: 'ldap', id: source.id },
            async verify(password) {
              if (!source.isActive) return undefined
              const found = await verify(source, user.loginName || user.name, password)
              return found?.user.id === user.id ? found : undefined
            },
          }
        )
      }
      const active = await sources.listActive('ldap')
      if (active.length === 0) return undefined
      return {
        version: active.map(({ id, updatedAt }) => `${id} ${updatedAt}`).join(),
        credential: { kind: 'ldap', id: active.length === 1 ? active[0]!.id : 0 },
        verify: (password) => firstAccount(active, (source) => verify(source, login.trim(), password)),
      }
    },
  }
}

/**
 * The account at the first source that accepts the password; an unavailable source matters only if no other one accepts
 * it.
 */
async function firstAccount(
  sources: readonly SignInSource<'ldap'>[],
  verify: (source: SignInSource<'ldap'>) => Promise<AcceptedPassword | undefined>,
): Promise<AcceptedPassword | undefined> {
  let away: unknown
  for (const source of sources) {
    try {
      const accepted = await verify(source)
      if (accepted !== undefined) return accepted
    } catch (error) {
      if (!isDomainError(error, 'unavailable')) throw error
      away ??= error
    }
  }
  if (away !== undefined) throw away
  return undefined
}
