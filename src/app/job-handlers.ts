import type { Attachments } from '../domain/attachments/index.ts'
import type { Languages } from '../domain/code/index.ts'
import type { Avatars } from '../domain/avatars/index.ts'
import type { LfsObjects } from '../domain/lfs/index.ts'
import type { RepoFiles } from '../domain/repos/index.ts'
import { describePush } from '../domain/social/index.ts'
import type { EventDispatcher } from '../events/index.ts'
import { mirrorJobs, type MirrorJobDeps } from '../jobs/handlers/mirrors.job.ts'
import { onDemandJobs, type OnDemandDeps } from '../jobs/handlers/on-demand.job.ts'
import { repoUpkeepJobs, type RepoUpkeepDeps } from '../jobs/handlers/repo-upkeep.job.ts'
import { siteUpkeepJobs, type SiteUpkeepDeps } from '../jobs/handlers/site-upkeep.job.ts'
import type { JobHandlers } from '../jobs/index.ts'
import { asId } from '../platform/ids.ts'

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
    'activity.describe': ({ repo_id, event_id, updates }, signal) => describePush(deps, { repoId: asId(repo_id), eventId: event_id, updates }, signal),
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
