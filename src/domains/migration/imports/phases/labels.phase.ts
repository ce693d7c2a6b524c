import { flag } from '../../../../core/db/flag.ts'
import { readColor, labelQueries } from '../../../issues/index.ts'
import type { ImportDeps } from '../new-import.ts'
import type { ImportPhase } from '../phase.ts'

/** For labels with an invalid colour. */
const DEFAULT_COLOR = 'cccccc'

/** Labels in the order of the service. The cursor is the number of labels that were read. */
export const labelsPhase = ({ clock }: ImportDeps): ImportPhase => ({
  name: 'labels',
  isWanted: ({ parts }) => parts.has('labels'),
  async *steps({ source, repoId, warn, signal }, cursor) {
    const after = Number(cursor)
    let read = 0
    for await (const page of source.labels(signal)) {
      const fresh = page.slice(Math.max(0, after - read))
      read += page.length
      if (fresh.length === 0) continue
      const named = fresh.filter(({ name }) => name.trim() !== '')
      if (named.length < fresh.length) warn('a label without a name was not imported')
      const at = clock.now()
      const rows = named.map(({ name, color, description, isExclusive, isArchived }) => ({
        name,
        color: readColor(color) ?? DEFAULT_COLOR,
        description,
        is_exclusive: flag(isExclusive),
        archived_at: isArchived ? at : 0,
      }))
      yield {
        cursor: String(read),
        count: rows.length,
        async write(tx) {
          if (rows.length > 0) await labelQueries.insert(tx, { repoId }, rows, at)
        },
      }
    }
  },
})
