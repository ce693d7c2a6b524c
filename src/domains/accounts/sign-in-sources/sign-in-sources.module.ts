import { defineModule } from '../../../core/module.ts'
import type { SignInSourceId } from '../../../core/platform/crypto/ids.ts'
import { createDirectorySync, type DirectorySync } from './directory-sync.service.ts'
import { createSourceTest, type SourceTest } from './source-test.service.ts'
import { createSourceJobs, requestSynchronization, sourceTasks } from './sources.jobs.ts'
import { createExternalAccounts } from './external-accounts.service.ts'
import { createExternalIdentities, type ExternalIdentities } from './identities.service.ts'
import type { DirectoryTimes } from './ldap/connection.ts'
import { createLdapSources } from './ldap/ldap-source.ts'
import { createPasswordSources, type PasswordSources } from './password-sources.service.ts'
import { createOidcAccounts } from './oidc/oidc-accounts.ts'
import { createOidcClient, type OidcTimes } from './oidc/oidc-client.ts'
import { createOidcSignIn, type OidcSignIn } from './oidc/oidc.service.ts'
import { createSourceTeams } from './source-teams.ts'
import { sourceEvents } from './sources.events.ts'
import { sourceOperations } from './sources.operations.ts'
import { identityProjections } from './users.projection.ts'
import { createSignInSources, sealedSourceColumns, type SignInSources } from './sources.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly directorySync: DirectorySync
    readonly externalIdentities: ExternalIdentities
    readonly passwordSources: PasswordSources
    readonly oidcSignIn: OidcSignIn
    readonly signInSources: SignInSources
    readonly sourceTest: SourceTest
  }
  interface Tuning {
    readonly directory: Partial<DirectoryTimes>
    readonly providers: Partial<OidcTimes>
  }
}

/** Directories and identity providers whose accounts can sign in. */
export const module = defineModule({
  name: 'sign-in-sources',
  needs: ['sshKeys', 'teamMembers', 'users'],
  create({ config, database, clock, events, jobs, log, secrets, tuning }, { sshKeys, teamMembers, users }) {
    const sources = createSignInSources({
      database,
      clock,
      events,
      secrets,
      reservedIds: config.service.login_sources,
    })
    const identities = createExternalIdentities({ database, clock, events })
    const ldap = createLdapSources({ tuning: tuning.directory })
    const oidc = createOidcClient({ tuning: tuning.providers })
    const test = createSourceTest({ ldap, oidc })
    const teams = createSourceTeams({ database, log, teamMembers })
    const accounts = createExternalAccounts({ database, clock, log, users, identities, sshKeys, teams })
    const sync = createDirectorySync({ database, clock, events, log, sources, ldap, accounts, users })
    const requestSync = (id: SignInSourceId): Promise<void> =>
      database.transaction((tx) => requestSynchronization(jobs, tx, id))
    const oidcSignIn = createOidcSignIn({
      sources,
      identities,
      client: oidc,
      accounts: createOidcAccounts({ database, log, users, identities, teams }),
    })
    return {
      services: {
        oidcSignIn,
        directorySync: sync,
        externalIdentities: identities,
        passwordSources: createPasswordSources({ sources, ldap, accounts, log }),
        signInSources: sources,
        sourceTest: test,
      },
      operations: sourceOperations({ sources, test, requestSync }),
      jobs: createSourceJobs({ sync, sources }),
      tasks: sourceTasks(jobs, sources),
      events: sourceEvents,
      projections: identityProjections,
      sealedColumns: [sealedSourceColumns],
    }
  },
})
