import { defineModule } from '../../../core/module.ts'
import { secretEvents } from './secrets.events.ts'
import { secretOperations } from './secrets.operations.ts'
import { type ActionsSecrets, createSecrets, sealedSecretColumns } from './secrets.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly actionsSecrets: ActionsSecrets
  }
}

/** Secrets of Actions, for repositories, organizations and users. */
export const module = defineModule({
  name: 'secrets',
  needs: [],
  create({ database, clock, events, secrets, log }, _services, guards) {
    const actionsSecrets = createSecrets({ database, clock, events, secrets, log })
    return {
      services: { actionsSecrets },
      operations: secretOperations({ guards, actionsSecrets }),
      events: secretEvents,
      sealedColumns: [sealedSecretColumns],
    }
  },
})
