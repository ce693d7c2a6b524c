import type { Clock } from '../../platform/clock.ts'
import type { TemplateCopier } from '../forks/generate-repo.ts'
import { copyLabels } from './label.store.ts'

/** Takes a template's labels over into what is made after it. */
export const labelCopier = (clock: Clock): TemplateCopier => ({
  item: 'labels',
  copy: (tx, template, repoId) => copyLabels(tx, template.id, repoId, clock.now()),
})
