import { restoreHeadRef } from './move-head.ts'
import { Type } from '@sinclair/typebox'
import { actorOf } from '../../../../core/access/viewer.ts'
import { defineJob, type JobDefinitions, type JobPayloadsOf } from '../../../../core/jobs/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { issueQueries } from '../../../issues/index.ts'
import { repoQueries } from '../../../repositories/index.ts'
import { updateMergeRef } from '../mergeability/merge-ref.ts'
import { pullHeadRef, pullMergeRef } from '../pull.policy.ts'
import { closePull, findLocation } from './pull-change.ts'
import { syncBranch, type SyncDeps, refreshPull } from './sync-branch.ts'
import { findPull } from '../records/pull.store.ts'

const Id = Type.Integer()

const pullJobPayloads = {
  /** Closes a pull request whose head repository was deleted. */
  'pulls.close': Type.Object({ pull_id: Id, actor_id: Id }),
  /** Deletes the refs of a deleted pull request, or refs without a pull request. */
  'pulls.delete_ref': Type.Object({ repo_id: Id, number: Id }),
  /** Updates pull requests to a branch that moved, was created or was deleted. */
  'pulls.sync_branch': Type.Object({
    repo_id: Id,
    branch: Type.String(),
    actor_id: Id,
    /** The last pull request that the preceding job updated. */
    after_id: Type.Optional(Id),
  }),
  /**
   * Points the ref of a closed pull request to its head again, where a push coincided with the closing, and deletes
   * that of its test merge.
   */
  'pulls.restore_ref': Type.Object({ pull_id: Id }),
  /** Updates a reopened pull request to its branches. */
  'pulls.refresh': Type.Object({ pull_id: Id, actor_id: Id }),
}

declare module '../../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof pullJobPayloads> {}
}

export const pullJobs = (deps: SyncDeps): JobDefinitions => ({
  'pulls.close': defineJob(pullJobPayloads['pulls.close'], async ({ pull_id, actor_id }) => {
    const pull = await findPull(deps.database.read, asId(pull_id))
    if (pull !== undefined) await closePull(deps, actorOf(asId(actor_id)), pull, undefined)
  }),
  'pulls.delete_ref': defineJob(pullJobPayloads['pulls.delete_ref'], async ({ repo_id, number }) => {
    const repo = await repoQueries.findById(deps.database.read, asId(repo_id))
    if (repo === undefined || (await issueQueries.findByNumber(deps.database.read, repo.id, number))) return
    const { refs, zeroOid } = deps.git.open(repo)
    const snapshot = await refs.snapshot()
    const remaining = [pullHeadRef(number), pullMergeRef(number)].flatMap((name) => snapshot.get(name) ?? [])
    await refs.update(remaining.map(({ name, oid }) => ({ ref: name, old: oid, new: zeroOid })))
  }),
  'pulls.sync_branch': defineJob(
    pullJobPayloads['pulls.sync_branch'],
    ({ repo_id, branch, actor_id, after_id: after }, signal) =>
      syncBranch(
        deps,
        actorOf(asId(actor_id)),
        { repoId: asId(repo_id), branch, afterId: after ? asId(after) : 0 },
        signal,
      ),
    { group: 'pulls' },
  ),
  'pulls.restore_ref': defineJob(pullJobPayloads['pulls.restore_ref'], async ({ pull_id }) => {
    const pull = await findPull(deps.database.read, asId(pull_id))
    const location = pull?.isClosed ? await findLocation(deps, pull) : undefined
    if (location === undefined) return
    await updateMergeRef(deps, location, { makes: false })
    await restoreHeadRef(deps, location)
  }),
  'pulls.refresh': defineJob(pullJobPayloads['pulls.refresh'], ({ pull_id, actor_id }) =>
    refreshPull(deps, actorOf(asId(actor_id)), asId(pull_id)),
  ),
})
