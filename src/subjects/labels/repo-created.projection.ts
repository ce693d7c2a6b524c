import { flag } from '../../db/flag.ts'
import type { Projections } from '../../events/index.ts'
import { asId } from '../../platform/ids.ts'
import { labelsOfSet } from '../templates/index.ts'
import { insertLabels } from './label.store.ts'

/** A new repository starts with the labels of the set that its creator chose. */
export const repoLabelProjections: Projections = {
  async 'repo.created'(tx, { repoId, at, payload: { label_set: name } }) {
    if (name === undefined) return
    const labels = labelsOfSet(name).map(({ exclusive, ...label }) => ({
      ...label,
      is_exclusive: flag(exclusive),
      archived_at: 0,
    }))
    await insertLabels(tx, { repoId: asId(repoId) }, labels, at)
  },
}
