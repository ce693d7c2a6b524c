import type { Tx } from '../../../core/db/database.ts'
import type { Subscriptions } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'
import { asId, type RepoId } from '../../../core/platform/crypto/ids.ts'
import { parseRepoSettings, repoQueries } from '../../repositories/index.ts'
import {
  findSchedule,
  listSchedulesOfHead,
  listSchedulesOfOwner,
  listSchedulesOfRepo,
  listSchedulesOfReviewer,
  type MergeSchedule,
} from './schedules/merge-schedule.store.ts'

/** Retries scheduled merges after events that they may wait for, and detects manual merges after a push. */
export function mergeSubscriptions(jobs: Jobs): Subscriptions {
  const enqueue = async (tx: Tx, schedules: readonly (MergeSchedule | undefined)[]): Promise<void> => {
    for (const schedule of schedules) {
      if (schedule === undefined) continue
      await jobs.enqueue(tx, 'merges.try_scheduled', { pull_id: schedule.pullId }, { key: String(schedule.pullId) })
    }
  }
  const ofRepo = async (tx: Tx, repoId: RepoId): Promise<void> => enqueue(tx, await listSchedulesOfRepo(tx, repoId))
  const always = (tx: Tx, { payload }: { readonly payload: { readonly repo_id: number } }): Promise<void> =>
    ofRepo(tx, asId(payload.repo_id))
  const ofOrg = async (tx: Tx, { payload }: { readonly payload: { readonly org_id: number } }): Promise<void> =>
    enqueue(tx, await listSchedulesOfOwner(tx, asId(payload.org_id)))
  const ofReviewer = async (tx: Tx, { payload }: { readonly payload: { readonly user_id: number } }): Promise<void> =>
    enqueue(tx, await listSchedulesOfReviewer(tx, asId(payload.user_id)))
  return {
    async 'commit.status'(tx, { payload }) {
      if (payload.state !== 'success' && payload.state !== 'skipped') return
      await enqueue(tx, await listSchedulesOfHead(tx, { repoId: asId(payload.repo_id), headOid: payload.oid }))
    },
    'review.dismissed': async (tx, { payload }) => enqueue(tx, [await findSchedule(tx, asId(payload.pull_id))]),
    'review.submitted': async (tx, { payload }) => enqueue(tx, [await findSchedule(tx, asId(payload.pull_id))]),
    async 'repo.pushed'(tx, { payload }) {
      const repo = await repoQueries.findById(tx, asId(payload.repo_id))
      if (repo === undefined) return
      await ofRepo(tx, repo.id)
      if (!parseRepoSettings(repo.settings).pulls.autodetectManualMerge) return
      await jobs.enqueue(tx, 'merges.detect', { repo_id: repo.id }, { key: String(repo.id) })
    },
    'branch_protection.created': always,
    'branch_protection.edited': always,
    'branch_protection.deleted': always,
    'branch_protection.reordered': always,
    'issue.closed': always,
    'issue.edited': async (tx, event) => {
      if (event.payload.is_pull) await always(tx, event)
    },
    'issue.reopened': always,
    // NOTE: access decides which reviews count.
    'repo.collaborator_added': always,
    'repo.collaborator_removed': always,
    'repo.edited': always,
    'review.request_deleted': async (tx, { payload }) => enqueue(tx, [await findSchedule(tx, asId(payload.pull_id))]),
    'team.deleted': ofOrg,
    'team.edited': ofOrg,
    'team.member_added': ofOrg,
    'team.member_removed': ofOrg,
    'team.repo_added': always,
    'team.repo_removed': always,
    'user.edited': ofReviewer,
  }
}
