import { defineModule } from '../../../core/module.ts'
import { variableEvents } from './variables.events.ts'
import { variableOperations } from './variables.operations.ts'
import { type ActionsVariables, createVariables } from './variables.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly actionsVariables: ActionsVariables
  }
}

/** Variables of Actions, for repositories, organizations and users. */
export const module = defineModule({
  name: 'variables',
  needs: [],
  create({ database, clock, events }, _services, guards) {
    const actionsVariables = createVariables({ database, clock, events })
    return {
      services: { actionsVariables },
      operations: variableOperations({ guards, actionsVariables }),
      events: variableEvents,
    }
  },
})
