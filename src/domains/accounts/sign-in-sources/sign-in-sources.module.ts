import { defineModule } from '../../../core/module.ts'
import { createExternalIdentities, type ExternalIdentities } from './identities.service.ts'
import { sourceEvents } from './sources.events.ts'
import { sourceOperations } from './sources.operations.ts'
import { createSignInSources, sealedSourceColumns, type SignInSources } from './sources.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly externalIdentities: ExternalIdentities
    readonly signInSources: SignInSources
  }
}

/** Directories and identity providers whose accounts can sign in. */
export const module = defineModule({
  name: 'sign-in-sources',
  needs: [],
  create({ config, database, clock, events, secrets }) {
    const sources = createSignInSources({
      database,
      clock,
      events,
      secrets,
      reservedIds: config.service.login_sources,
    })
    return {
      services: {
        externalIdentities: createExternalIdentities({ database, clock, events }),
        signInSources: sources,
      },
      operations: sourceOperations({ sources }),
      events: sourceEvents,
      sealedColumns: [sealedSourceColumns],
    }
  },
})
