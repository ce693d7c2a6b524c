import type { Subscriptions } from '../../../../core/events/index.ts'
import type { Jobs } from '../../../../core/jobs/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { enqueueSync } from './sync-branch.ts'
import { findPullByIssue, hasOpenPulls } from '../records/pull.store.ts'

const BRANCH = 'refs/heads/'
/** The maximum number of branches in one query. */
const CHUNK = 200

/** Updates pull requests after a push to their branches. */
export const pullSubscriptions = (jobs: Jobs): Subscriptions => ({
  async 'issue.reopened'(tx, { payload, actorId }) {
    const pull = payload.is_pull ? await findPullByIssue(tx, asId(payload.issue_id)) : undefined
    if (pull !== undefined) await jobs.enqueue(tx, 'pulls.refresh', { pull_id: pull.id, actor_id: actorId })
  },
  async 'issue.closed'(tx, { payload }) {
    const pull = payload.is_pull ? await findPullByIssue(tx, asId(payload.issue_id)) : undefined
    if (pull !== undefined) await jobs.enqueue(tx, 'pulls.restore_ref', { pull_id: pull.id })
  },
  async 'pull.retargeted'(tx, { payload, actorId }) {
    await jobs.enqueue(tx, 'pulls.refresh', { pull_id: payload.pull_id, actor_id: actorId })
  },
  async 'repo.pushed'(tx, { payload, actorId }) {
    const branches = payload.updates
      .filter(({ ref }) => ref.startsWith(BRANCH))
      .map(({ ref }) => ref.slice(BRANCH.length))
    for (let at = 0; at < branches.length; at += CHUNK) {
      const some = branches.slice(at, at + CHUNK)
      if (!(await hasOpenPulls(tx, asId(payload.repo_id), some))) continue
      for (const branch of some) await enqueueSync(tx, jobs, { repoId: asId(payload.repo_id), branch }, actorId)
    }
  },
})
