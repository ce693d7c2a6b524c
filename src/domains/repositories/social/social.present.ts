import type { Viewer } from '../../../core/access/viewer.ts'
import { wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import { presentRepo } from '../repos/repo.present.ts'
import type { RepoView } from '../repos/lookup.ts'
import { userPresenters } from '../../accounts/index.ts'
import type { ActivityView } from './activities/activities.service.ts'
import type { Activity, WatchInfo } from './social.model.ts'
import type { Repo } from '../repos/repo.store.ts'

export interface FeedContext {
  /** The id of the user of the feed. */
  readonly feedId: number
  readonly viewer: Viewer
  readonly site: Site
}

/** `repo` is the view of the activity's repository. */
export function presentActivity(
  { activity, actor, comment }: ActivityView,
  repo: RepoView,
  { feedId, viewer, site }: FeedContext,
): Activity {
  return {
    id: activity.id,
    user_id: feedId,
    op_type: activity.opType,
    act_user_id: actor.id,
    act_user: userPresenters.present(actor, viewer, site),
    repo_id: activity.repoId,
    repo: presentRepo(repo, site),
    comment_id: activity.commentId,
    comment: comment ?? null,
    ref_name: activity.refName,
    is_private: repo.repo.isPrivate || repo.repo.owner.visibility === 'private',
    content: activity.content,
    created: wireTime(activity.createdAt),
  }
}

/**
 * Presents how the requester watches the repository (behaviour/base-interface#watchinfo): `created_at` is that of the
 * repository (behaviour/repositories#watching-and-starring).
 */
export function presentWatchInfo(repo: Repo, site: Site): WatchInfo {
  const url = `${site.rootUrl()}/api/v1/repos/${repo.fullName}`
  return {
    subscribed: true,
    ignored: false,
    reason: null,
    created_at: wireTime(repo.createdAt),
    url: `${url}/subscription`,
    repository_url: url,
  }
}
