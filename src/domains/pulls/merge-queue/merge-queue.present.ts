import { repoUrls } from '../../../core/access/repo-urls.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import { wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import { userPresenters } from '../../accounts/index.ts'
import type { MergeQueueEntry } from './merge-queue.model.ts'
import { batchRef } from './batch-entries.ts'
import type { QueuedView } from './queue-views.ts'

export function presentQueued(view: QueuedView, viewer: Viewer, site: Site): MergeQueueEntry {
  const { repo, entry, position, issue, user, batch } = view
  const urls = repoUrls(repo, site)
  return {
    position,
    state: batch?.state ?? 'waiting',
    pull_request: {
      number: issue.number,
      title: issue.title,
      url: `${urls.api}/pulls/${issue.number}`,
      html_url: `${urls.html}/pulls/${issue.number}`,
      head_sha: entry.headOid,
    },
    style: entry.request.action,
    user: user ? userPresenters.present(user, viewer, site) : null,
    queued_at: wireTime(entry.at),
    merge_commit_sha: entry.oid,
    batch: batch
      ? {
          id: batch.id,
          ref: batchRef(batch),
          base_sha: batch.baseOid,
          sha: batch.oid,
          built_at: batch.builtAt === 0 ? null : wireTime(batch.builtAt),
        }
      : null,
    last_failure: entry.failure,
  }
}
