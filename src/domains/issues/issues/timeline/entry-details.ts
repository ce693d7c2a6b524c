import type { Viewer } from '../../../../core/access/viewer.ts'
import type { TimelineComment } from './timeline.model.ts'
import type { TimelineEntry } from './timeline-entry.store.ts'

/** Members of the wire model that other modules than this one fill. */
export type EntryDetails = Partial<
  Pick<
    TimelineComment,
    'assignee_team' | 'old_project_id' | 'project_id' | 'resolve_doer' | 'review_id' | 'tracked_time'
  >
>

type DetailsById = ReadonlyMap<number, EntryDetails>

/** The details of entries by the id of the entry, loaded for a page with a fixed number of queries. */
export type DetailsLoader = (viewer: Viewer, entries: readonly TimelineEntry[]) => Promise<DetailsById>

/** Where several loaders give details of one entry, it has all of them. */
export function mergeDetails(loaded: readonly DetailsById[]): DetailsById {
  const merged = new Map<number, EntryDetails>()
  for (const details of loaded) for (const [id, more] of details) merged.set(id, { ...merged.get(id), ...more })
  return merged
}
