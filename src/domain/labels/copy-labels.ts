import { copyLabels } from '../../db/stores/label.store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { TemplateCopier } from '../repos/index.ts'

/** Takes a template's labels over into what is made after it. */
export const labelCopier = (clock: Clock): TemplateCopier => ({
  item: 'labels',
  copy: (tx, template, repoId) => copyLabels(tx, template.id, repoId, clock.now()),
})
