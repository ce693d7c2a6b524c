import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Database } from '../../../../core/db/database.ts'
import type { Paging } from '../../../../core/platform/paging.ts'
import type { IssueInView } from '../views.ts'
import { createEntryDetails, type EntryDetailsPort } from './entry-details.ts'
import { type EntryFacts, loadEntryFacts } from './entry-views.ts'
import type { TimelineEntry } from './timeline-entry.store.ts'
import { listEntries } from './timeline.store.ts'
import type { UpdateSpan } from './update-span.ts'

/** Entries with what they refer to. */
interface TimelinePage extends EntryFacts {
  readonly entries: readonly TimelineEntry[]
}

/** Comments and events of issues (behaviour/issues#timeline). */
export interface Timeline {
  /** Port for later modules, while the server is composed: gives the details of entries of these kinds. */
  registerDetails: EntryDetailsPort['register']
  /** The oldest first, without references from what the viewer may not read. */
  list(viewer: Viewer, target: IssueInView, span: UpdateSpan, paging: Paging): Promise<TimelinePage>
}

export function createTimeline({ read }: Database): Timeline {
  const details = createEntryDetails()
  return {
    registerDetails: details.register,
    async list(viewer, { issue }, span, paging) {
      const entries = await listEntries(read, viewer, { issueId: issue.id, span }, paging)
      const facts = await loadEntryFacts(read, viewer, entries)
      return { entries, ...facts, details: await details.load(viewer, entries) }
    },
  }
}
