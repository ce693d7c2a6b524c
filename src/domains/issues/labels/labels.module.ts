import type { TemplateCopier } from '../../repositories/index.ts'
import { defineModule } from '../../../core/module.ts'
import { labelEvents } from './labels.events.ts'
import { labelOperations } from './labels.operations.ts'
import { createLabelCopier, createLabels, type Labels } from './labels.service.ts'
import { repoLabelProjections } from './repo-created.projection.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly labelCopier: TemplateCopier
    readonly labels: Labels
  }
}

/** Labels of repositories and organizations. */
export const module = defineModule({
  name: 'labels',
  needs: [],
  create({ database, clock, events, site }, _services, guards) {
    const labels = createLabels({ database, clock, events })
    return {
      services: { labelCopier: createLabelCopier(clock), labels },
      operations: labelOperations({ guards, labels, site }),
      events: labelEvents,
      projections: repoLabelProjections,
    }
  },
})
