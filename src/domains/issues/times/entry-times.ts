import type { Db } from '../../../core/db/database.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Timeline } from '../issues/timeline/timeline.service.ts'
import { presentTime } from './times.present.ts'
import { loadTimeViews } from './time-views.ts'
import { listTimesByIds } from './tracked-time.store.ts'

type DetailsLoader = Parameters<Timeline['registerDetails']>[1]

/** The `tracked_time` of entries of the timeline; none where the time was deleted. */
export const loadTrackedTimes =
  (read: Db, site: Site): DetailsLoader =>
  async (viewer, entries) => {
    const views = await loadTimeViews(
      read,
      await listTimesByIds(
        read,
        entries.map((entry) => entry.targetId),
      ),
    )
    const byId = new Map(views.map((view) => [view.time.id, view]))
    return new Map(
      entries.flatMap(({ id, targetId }) => {
        const view = byId.get(targetId)
        return view === undefined ? [] : [[id, { tracked_time: presentTime(view, viewer, site) }] as const]
      }),
    )
  }
