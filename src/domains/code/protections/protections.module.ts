import type { TemplateCopier } from '../../repositories/index.ts'
import { defineModule } from '../../../core/module.ts'
import { branchProtectionOperations } from './branches/branch-protections.operations.ts'
import { createBranchProtections, createBranchRuleCopier } from './branches/branch-protections.service.ts'
import { protectionEvents } from './protections.events.ts'
import { tagProtectionOperations } from './tags/tag-protections.operations.ts'
import { createTagProtections } from './tags/tag-protections.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    /** Copies the branch rules of a template. */
    readonly branchRuleCopier: TemplateCopier
  }
}

/** Protections: the rules for pushes and merges to branches and tags. */
export const module = defineModule({
  name: 'protections',
  needs: [],
  create({ database, clock, events }, _services, guards) {
    const branchProtections = createBranchProtections({ database, clock, events })
    const tagProtections = createTagProtections({ database, clock, events })
    return {
      services: { branchRuleCopier: createBranchRuleCopier(clock) },
      operations: [
        ...branchProtectionOperations({ guards, branchProtections }),
        ...tagProtectionOperations({ guards, tagProtections }),
      ],
      events: protectionEvents,
    }
  },
})
