import type { Viewer } from '../../../../core/access/viewer.ts'
import { createHook } from '../../../../core/platform/hook.ts'
import type { Database } from '../../../../core/db/database.ts'
import type { Paging } from '../../../../core/platform/paging.ts'
import type { Issue } from '../records/issue.store.ts'
import type { IssueInView } from '../views.ts'
import { type DetailsLoader, mergeDetails, type EntryFacts, loadEntryFacts } from './entry-views.ts'
import type { EntryKind, TimelineEntry } from './timeline-entry.store.ts'
import { listEntries, listEntryIds } from './timeline.store.ts'
import type { UpdateSpan } from './update-span.ts'

/** Entries with the rows that they refer to. */
interface TimelinePage extends EntryFacts {
  readonly entries: readonly TimelineEntry[]
}

/** Comments and events of issues (behaviour/issues#timeline). */
export interface Timeline {
  /** For later modules to whose rows entries of these kinds refer; several loaders may serve one kind. */
  registerDetails(kinds: readonly EntryKind[], load: DetailsLoader): void
  /** Oldest first, without references from issues that the viewer may not read. */
  list(viewer: Viewer, target: IssueInView, span: UpdateSpan, paging: Paging): Promise<TimelinePage>
  /** The same, with the comments of submitted reviews. */
  listWithReviews(viewer: Viewer, target: IssueInView, paging: Paging): Promise<TimelinePage>
  /** The ids of at most `limit` entries in that order. */
  listIds(viewer: Viewer, target: IssueInView, limit: number): Promise<number[]>
}

const ALWAYS: UpdateSpan = { since: undefined, before: undefined }

export function createTimeline({ read }: Database): Timeline {
  const details = createHook<Parameters<DetailsLoader>, Awaited<ReturnType<DetailsLoader>>>()
  async function pageOf(viewer: Viewer, entries: readonly TimelineEntry[]): Promise<TimelinePage> {
    const facts = await loadEntryFacts(read, viewer, entries)
    return { entries, ...facts, details: mergeDetails(await details.run(viewer, entries)) }
  }
  const everything = ({ id }: Issue) => ({ issueId: id, span: ALWAYS, hasReviewComments: true })
  return {
    registerDetails(kinds, load) {
      details.register(async (viewer, entries) => {
        const chosen = entries.filter(({ kind }) => kinds.includes(kind))
        return chosen.length === 0 ? new Map() : load(viewer, chosen)
      })
    },
    list: async (viewer, { issue }, span, paging) =>
      pageOf(viewer, await listEntries(read, viewer, { issueId: issue.id, span }, paging)),
    listWithReviews: async (viewer, { issue }, paging) =>
      pageOf(viewer, await listEntries(read, viewer, everything(issue), paging)),
    listIds: (viewer, { issue }, limit) => listEntryIds(read, viewer, everything(issue), limit),
  }
}
