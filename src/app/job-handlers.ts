import type { EventDispatcher } from '../events/index.ts'
import type { JobHandlers } from '../jobs/index.ts'
import { asId } from '../platform/ids.ts'
import type { Attachments } from '../subjects/attachments/attachments.service.ts'
import type { Avatars } from '../subjects/avatars/avatars.service.ts'
import { type MirrorJobDeps, mirrorJobs } from '../subjects/imports/mirrors.job.ts'
import type { Languages } from '../subjects/languages/languages.service.ts'
import type { LfsObjects } from '../subjects/lfs/lfs-objects.service.ts'
import type { RepoFiles } from '../subjects/repos/repo-files.ts'
import { describePush } from '../subjects/social/describe-push.ts'
import { type OnDemandDeps, onDemandJobs } from '../subjects/upkeep/on-demand.job.ts'
import { type RepoUpkeepDeps, repoUpkeepJobs } from '../subjects/upkeep/repo-upkeep.job.ts'
import { type SiteUpkeepDeps, siteUpkeepJobs } from '../subjects/upkeep/site-upkeep.job.ts'

export interface JobHandlerDeps extends RepoUpkeepDeps, MirrorJobDeps, OnDemandDeps, SiteUpkeepDeps {
  readonly attachments: Attachments
  readonly avatars: Avatars
  readonly events: EventDispatcher
  readonly languages: Languages
  readonly lfsObjects: LfsObjects
  readonly repoFiles: RepoFiles
}

/** One handler for each kind of job; long ones live in jobs/handlers. */
export function createJobHandlers(deps: JobHandlerDeps): JobHandlers {
  const { attachments, avatars, events, languages, lfsObjects, repoFiles } = deps
  return {
    'activity.describe': ({ repo_id, event_id, updates }, signal) =>
      describePush(deps, { repoId: asId(repo_id), eventId: event_id, updates }, signal),
    'attachment.release': ({ hash }) => attachments.release(hash),
    'attachments.sweep': (_, signal) => attachments.sweep(signal),
    'avatars.sweep': (_, signal) => avatars.sweep(signal),
    'events.prune': () => events.prune(),
    'repo.languages': ({ repo_id }, signal) => languages.refresh(asId(repo_id), signal),
    'lfs.sweep': (_, signal) => lfsObjects.sweep(signal),
    'repo.remove': ({ storage }) => repoFiles.remove(storage),
    'repos.sweep': (_, signal) => repoFiles.sweep(signal),
    ...mirrorJobs(deps),
    ...onDemandJobs(deps),
    ...repoUpkeepJobs(deps),
    ...siteUpkeepJobs(deps),
  }
}
