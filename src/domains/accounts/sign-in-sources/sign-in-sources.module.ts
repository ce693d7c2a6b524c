import { defineModule } from '../../../core/module.ts'
import { createExternalAccounts } from './external-accounts.service.ts'
import { createExternalIdentities, type ExternalIdentities } from './identities.service.ts'
import type { DirectoryTimes } from './ldap/connection.ts'
import { createLdapSources } from './ldap/ldap-source.ts'
import { createPasswordSources, type PasswordSources } from './password-sources.service.ts'
import { createSourceTeams } from './source-teams.ts'
import { sourceEvents } from './sources.events.ts'
import { sourceOperations } from './sources.operations.ts'
import { identityProjections } from './users.projection.ts'
import { createSignInSources, sealedSourceColumns, type SignInSources } from './sources.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly externalIdentities: ExternalIdentities
    readonly passwordSources: PasswordSources
    readonly signInSources: SignInSources
  }
  interface Tuning {
    readonly directory: Partial<DirectoryTimes>
  }
}

/** Directories and identity providers whose accounts can sign in. */
export const module = defineModule({
  name: 'sign-in-sources',
  needs: ['sshKeys', 'teamMembers', 'users'],
  create({ config, database, clock, events, log, secrets, tuning }, { sshKeys, teamMembers, users }) {
    const sources = createSignInSources({
      database,
      clock,
      events,
      secrets,
      reservedIds: config.service.login_sources,
    })
    const identities = createExternalIdentities({ database, clock, events })
    const ldap = createLdapSources({ tuning: tuning.directory })
    const teams = createSourceTeams({ database, log, teamMembers })
    const accounts = createExternalAccounts({ database, clock, log, users, identities, sshKeys, teams })
    return {
      services: {
        externalIdentities: identities,
        passwordSources: createPasswordSources({ sources, ldap, accounts, log }),
        signInSources: sources,
      },
      operations: sourceOperations({ sources }),
      events: sourceEvents,
      projections: identityProjections,
      sealedColumns: [sealedSourceColumns],
    }
  },
})
