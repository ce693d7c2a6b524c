import type { Projections } from '../../events/index.ts'
import type { Jobs } from '../../jobs/index.ts'
import { asId } from '../../platform/crypto/ids.ts'
import { findIssueById } from '../issues/index.ts'
import { isDraftTitle } from './pull.policy.ts'
import { detachHeadRepo, detachHeadsOfOwner, renameBranchInPulls, updatePullOfIssue } from './records/pull.store.ts'

interface ProjectionDeps {
  readonly jobs: Jobs
  readonly draftPrefixes: readonly string[]
}

/** Keeps what the rows of pull requests copy from issues and branches, and detaches them from what is deleted. */
export const pullProjections = ({ jobs, draftPrefixes }: ProjectionDeps): Projections => ({
  async 'branch.renamed'(tx, { payload }) {
    await renameBranchInPulls(tx, { repoId: asId(payload.repo_id), from: payload.from, to: payload.to })
  },
  async 'issue.deleting'(tx, { payload: { is_pull: isPull, repo_id, number } }) {
    if (isPull) await jobs.enqueue(tx, 'pulls.delete_ref', { repo_id, number })
  },
  async 'repo.deleting'(tx, { payload, actorId }) {
    for (const pull of await detachHeadRepo(tx, asId(payload.repo_id)))
      await jobs.enqueue(tx, 'pulls.close', { pull_id: pull.id, actor_id: actorId })
  },
  async 'user.deleting'(tx, { payload, actorId }) {
    for (const pull of await detachHeadsOfOwner(tx, asId(payload.user_id)))
      await jobs.enqueue(tx, 'pulls.close', { pull_id: pull.id, actor_id: actorId })
  },
  async 'issue.closed'(tx, { payload }) {
    if (payload.is_pull) await updatePullOfIssue(tx, asId(payload.issue_id), { is_closed: 1 })
  },
  async 'issue.reopened'(tx, { payload }) {
    if (payload.is_pull) await updatePullOfIssue(tx, asId(payload.issue_id), { is_closed: 0 })
  },
  async 'issue.edited'(tx, { payload }) {
    if (!payload.is_pull || payload.old_title === undefined) return
    const issue = await findIssueById(tx, asId(payload.issue_id))
    if (issue === undefined) return
    await updatePullOfIssue(tx, issue.id, { is_draft: isDraftTitle(issue.title, draftPrefixes) ? 1 : 0 })
  },
})
