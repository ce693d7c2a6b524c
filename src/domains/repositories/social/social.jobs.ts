import type { Core } from '../../../core/module.ts'
import { Type } from '@sinclair/typebox'
import { defineJob, type JobDefinitions, type JobPayloadsOf } from '../../../core/jobs/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { deleteActivities } from './activities/activity.store.ts'
import { describePush } from './activities/describe-push.ts'

const socialJobPayloads = {
  /** Adds the commits of a push to its feed entries. */
  'activity.describe': Type.Object({
    repo_id: Type.Integer(),
    event_id: Type.Integer(),
    updates: Type.Array(Type.Object({ ref: Type.String(), old_oid: Type.String(), new_oid: Type.String() })),
  }),
  /** Deletes feed entries that are too old for any heatmap. */
  'activities.prune': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof socialJobPayloads> {}
}

const DAY_MS = 24 * 60 * 60_000
/** Heatmaps cover a year and a week; feeds are stored a month longer. */
const RETENTION_MS = 400 * DAY_MS

type SocialJobDeps = Pick<Core, 'database' | 'git' | 'clock'>

export function createSocialJobs({ database, git, clock }: SocialJobDeps): JobDefinitions {
  return {
    'activity.describe': defineJob(socialJobPayloads['activity.describe'], ({ repo_id, event_id, updates }, signal) =>
      describePush({ database, git }, { repoId: asId(repo_id), eventId: event_id, updates }, signal),
    ),
    'activities.prune': defineJob(socialJobPayloads['activities.prune'], async (_, signal) => {
      const before = clock.now() - RETENTION_MS
      while (!signal.aborted && (await database.transaction((tx) => deleteActivities(tx, before))) > 0);
    }),
  }
}
