import type { Viewer } from '../../../../core/access/viewer.ts'
import type { TimelineComment } from './timeline.model.ts'
import type { EntryKind, TimelineEntry } from './timeline-entry.store.ts'

/** Members of the wire model that other modules than this one fill. */
export type EntryDetails = Partial<
  Pick<
    TimelineComment,
    'assignee_team' | 'old_project_id' | 'project_id' | 'resolve_doer' | 'review_id' | 'tracked_time'
  >
>

/** The details of entries by the id of the entry, loaded for a page with a fixed number of queries. */
type DetailsLoader = (viewer: Viewer, entries: readonly TimelineEntry[]) => Promise<ReadonlyMap<number, EntryDetails>>

/** Port for modules whose rows entries of the timeline refer to: tracked times, reviews. */
export interface EntryDetailsPort {
  /** While the server is composed; several loaders may serve one kind. */
  register(kinds: readonly EntryKind[], load: DetailsLoader): void
  load: DetailsLoader
}

export function createEntryDetails(): EntryDetailsPort {
  const loaders: { readonly kinds: ReadonlySet<EntryKind>; readonly load: DetailsLoader }[] = []
  return {
    register: (kinds, load) => void loaders.push({ kinds: new Set(kinds), load }),
    async load(viewer, entries) {
      const details = new Map<number, EntryDetails>()
      for (const { kinds, load } of loaders) {
        const wanted = entries.filter((entry) => kinds.has(entry.kind))
        if (wanted.length === 0) continue
        for (const [id, found] of await load(viewer, wanted)) details.set(id, { ...details.get(id), ...found })
      }
      return details
    },
  }
}
