import { flag } from '../../../core/db/flag.ts'
import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { builtInTemplates } from '../../repositories/index.ts'
import { insertLabels } from './label.store.ts'

/** Inserts the label set that was chosen for a new repository. */
export const repoLabelProjections: Projections = {
  async 'repo.created'(tx, { repoId, at, payload: { label_set: name } }) {
    if (name === undefined) return
    const labels = builtInTemplates.labelsOfSet(name).map(({ exclusive, ...label }) => ({
      ...label,
      is_exclusive: flag(exclusive),
      archived_at: 0,
    }))
    await insertLabels(tx, { repoId: asId(repoId) }, labels, at)
  },
}
