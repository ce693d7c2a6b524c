import type { Core } from '../../../core/module.ts'
import { branchRef } from '../../../core/git/index.ts'
import type { KeyedMutex } from '../../../core/platform/concurrency/keyed-mutex.ts'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'
import { findRepoById } from '../../repositories/index.ts'
import { resolveComments } from '../reviews/records/review-comment.store.ts'

export interface SettleDeps extends Pick<Core, 'database' | 'git'> {
  /** Of head branches: what is applied to one comes one after the other. */
  readonly locks: KeyedMutex
}

interface Applied {
  readonly repoId: RepoId
  readonly branch: string
  readonly oid: string
  readonly commentIds: readonly number[]
  readonly userId: UserId
}

/** A call that takes longer is looked at by the job, which waits for the lock of the branch. */
export const SETTLE_DELAY_MS = 3000

export const headKey = (repoId: RepoId, branch: string): string => `${repoId} ${branch}`
export const settleKey = (repoId: RepoId, oid: string): string => `${repoId} ${oid}`

/** Resolves the comments when the branch contains the commit; otherwise it was never applied. */
export async function settleApplied(
  { database, git, locks }: SettleDeps,
  { repoId, branch, oid, commentIds, userId }: Applied,
): Promise<void> {
  await locks.run(headKey(repoId, branch), async () => {
    const repo = await findRepoById(database.read, repoId)
    if (repo === undefined) return
    const { refs, objects, history } = git.open(repo)
    const tip = (await refs.snapshot()).get(branchRef(branch))?.oid
    if (tip === undefined || (await objects.findInfo(oid)) === undefined) return
    if (!(await history.isAncestor(oid, tip))) return
    await database.transaction((tx) => resolveComments(tx, commentIds, userId))
  })
}
