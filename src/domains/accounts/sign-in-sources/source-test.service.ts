import { invalid, isDomainError } from '../../../core/platform/errors.ts'
import type { ExternalProfile } from './external-profile.ts'
import type { LdapSources } from './ldap/ldap-source.ts'
import type { OidcClient } from './oidc/oidc-client.ts'
import type { SignInSource } from './sources.service.ts'

/** A person to look for; with a password as at a sign-in. */
export interface TestedLogin {
  readonly login?: string | undefined
  readonly password?: string | undefined
}

export interface TestResult {
  readonly isOk: boolean
  readonly message: string
  readonly person?: ExternalProfile | undefined
}

export type SourceTest = ReturnType<typeof createSourceTest>

interface Deps {
  readonly ldap: Pick<LdapSources, 'verify' | 'search'>
  readonly oidc: Pick<OidcClient, 'probe'>
}

/** Tests a source without changing an account. */
export function createSourceTest({ ldap, oidc }: Deps) {
  async function askProvider(source: SignInSource<'oidc'>, { login = '' }: TestedLogin): Promise<TestResult> {
    if (login !== '') throw invalid(`only a browser can sign in at the provider ${source.name}`)
    const hasAnswered = await oidc.probe(source)
    const message = hasAnswered
      ? `the provider answers as ${source.settings.issuer}`
      : 'a provider without OpenID Connect is not asked before somebody signs in'
    return { isOk: true, message }
  }

  async function askDirectory(
    source: SignInSource<'ldap'>,
    { login = '', password = '' }: TestedLogin,
  ): Promise<TestResult> {
    if (login !== '' && password !== '') {
      const person = await ldap.verify(source, login, password)
      return person === undefined
        ? { isOk: false, message: 'the directory refuses this name or password, or the filter selects no such user' }
        : { isOk: true, message: 'the name and the password are right', person }
    }
    return ldap.search(source, async (people) => {
      if (login !== '') {
        const person = await people.find(login)
        const [profile] = person === undefined ? [] : await people.describe([person])
        return profile === undefined
          ? { isOk: false, message: 'no entry, or more than one, has this login name' }
          : { isOk: true, message: 'the directory knows this login name', person: profile }
      }
      for await (const { people: found, entries } of people.all())
        return found.length > 0
          ? { isOk: true, message: `the directory answers; ${found.length} users on the first page` }
          : { isOk: false, message: `the directory answers; ${entries} entries, none with a login name` }
      return { isOk: false, message: 'the directory answers, but the filter selects nobody' }
    })
  }

  return async (source: SignInSource, tested: TestedLogin): Promise<TestResult> => {
    try {
      return source.kind === 'ldap' ? await askDirectory(source, tested) : await askProvider(source, tested)
    } catch (error) {
      if (!isDomainError(error, 'unavailable')) throw error
      return { isOk: false, message: error.message }
    }
  }
}
