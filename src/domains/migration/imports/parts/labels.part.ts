import { flag } from '../../../../core/db/flag.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import { readColor, labelQueries } from '../../../issues/index.ts'
import type { ImportPart } from '../read-request.ts'
import type { Source, SourceLabel } from '../source.ts'

const CHUNK_SIZE = 100
/** For labels with an invalid colour. */
const DEFAULT_COLOR = 'cccccc'

/** Imports labels in the order of the service. */
export function labelsPart(source: Source, clock: Clock): ImportPart {
  return async ({ signal, warn }) => {
    const labels: SourceLabel[] = []
    for await (const page of source.labels(signal)) {
      const named = page.filter(({ name }) => name.trim() !== '')
      if (named.length < page.length) warn('a label without a name was not imported')
      labels.push(...named)
    }
    return async (tx, repoId) => {
      const at = clock.now()
      const rows = labels.map(({ name, color, description, isExclusive, isArchived }) => ({
        name,
        color: readColor(color) ?? DEFAULT_COLOR,
        description,
        is_exclusive: flag(isExclusive),
        archived_at: isArchived ? at : 0,
      }))
      for (let start = 0; start < rows.length; start += CHUNK_SIZE)
        await labelQueries.insert(tx, { repoId }, rows.slice(start, start + CHUNK_SIZE), at)
    }
  }
}
