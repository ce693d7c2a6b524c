import { wireTime } from '../../../../core/platform/clock.ts'
import { formatDuration } from '../../../../core/platform/duration.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { PushMirror as Model } from './push-mirror.model.ts'
import type { PushMirror } from './push-mirror.store.ts'

/** Contains no credentials or private keys (behaviour/repositories#push-mirrors). */
export function presentPushMirror(mirror: PushMirror, repo: Repo): Model {
  return {
    repo_name: repo.name,
    remote_name: mirror.remoteName,
    remote_address: mirror.remoteUrl,
    created: wireTime(mirror.createdAt),
    last_update: wireTime(mirror.pushedAt),
    last_error: mirror.lastError,
    branch_filter: mirror.branchFilter,
    interval: formatDuration(mirror.interval),
    sync_on_commit: mirror.isOnCommit,
    public_key: mirror.publicKey,
  }
}
