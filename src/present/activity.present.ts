import type { Activity } from '../contract/models/activity.ts'
import type { RepoView } from '../domain/repos/index.ts'
import type { ActivityView } from '../domain/social/index.ts'
import { wireTime } from '../platform/clock.ts'
import type { Viewer } from '../policy/viewer.ts'
import { presentRepo } from './repo.present.ts'
import type { Site } from './site.ts'
import { presentUser } from './user.present.ts'

export interface FeedContext {
  /** Whose feed it is. */
  readonly feedId: number
  readonly viewer: Viewer
  readonly site: Site
}

/** `repo` is the view of the activity's repository. */
export function presentActivity({ activity, actor }: ActivityView, repo: RepoView, { feedId, viewer, site }: FeedContext): Activity {
  return {
    id: activity.id,
    user_id: feedId,
    op_type: activity.opType,
    act_user_id: actor.id,
    act_user: presentUser(actor, viewer, site),
    repo_id: activity.repoId,
    repo: presentRepo(repo, site),
    comment_id: 0,
    comment: null,
    ref_name: activity.refName,
    is_private: repo.repo.isPrivate || repo.repo.owner.visibility === 'private',
    content: activity.content,
    created: wireTime(activity.createdAt),
  }
}
