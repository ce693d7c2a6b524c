import { defineModule } from '../../../core/module.ts'
import { reactionOperations } from './reactions.operations.ts'
import { createReactions } from './reactions.service.ts'

/** Reactions to issues and comments. */
export const module = defineModule({
  name: 'reactions',
  needs: ['issues'],
  create({ config, database, clock, site }, _services, guards) {
    const reactions = createReactions({ database, clock, allowed: new Set(config.ui.reactions) })
    return { operations: reactionOperations({ guards, reactions, site }) }
  },
})
