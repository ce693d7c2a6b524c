import { systemActor } from '../../../../core/access/viewer.ts'
import { branchRef, type RefSnapshot } from '../../../../core/git/index.ts'
import type { Jobs } from '../../../../core/jobs/index.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { type Repo, findRepoById } from '../../../repositories/index.ts'
import { updateMergeRef } from '../mergeability/merge-ref.ts'
import { pullMergeRef } from '../pull.policy.ts'
import { listPullHeads, type PullHead } from '../records/pull-heads.store.ts'
import { enqueueSync } from './sync-branch.ts'
import { restoreHeadRef, type HeadDeps } from './move-head.ts'
import type { LifecycleDeps } from './pull-change.ts'
import { refreshPull } from './refresh.ts'

const PULL_REF = /^refs\/pull\/(\d{1,15})\/(?:head|merge)$/
const HOUR_MS = 3_600_000

/** What a crash left. */
export interface PullDrift {
  readonly refs: RefSnapshot
  /** Their refs are missing, or differ from their rows. */
  readonly wrong: readonly PullHead[]
  /** Closed, with the ref of a test merge. */
  readonly ended: readonly PullHead[]
  /** Numbers of refs without a row. */
  readonly stray: readonly number[]
  /** Branches that moved while open pull requests from or into them did not follow. */
  readonly moved: readonly string[]
}

/** The difference between the rows of pull requests and the refs of their repository. */
export async function findPullDrift(
  { database, git }: Pick<LifecycleDeps, 'database' | 'git'>,
  repo: Repo,
): Promise<PullDrift> {
  const heads = await listPullHeads(database.read, repo.id)
  const refs = await git.open(repo).refs.snapshot()
  const known = new Set(heads.map(({ number }) => number))
  const numbers = refs.list('refs/pull/').map(({ name }) => Number(PULL_REF.exec(name)?.[1] ?? 0))
  // NOTE: a pull request may be reopened without its branches.
  const hasMoved = (branch: string, oid: string): boolean =>
    ![undefined, oid].includes(refs.get(branchRef(branch))?.oid)
  const moved = heads
    .filter(({ isClosed }) => !isClosed)
    .flatMap(({ base, branch, checkedBaseOid, oid }) => [
      ...(hasMoved(base, checkedBaseOid) ? [base] : []),
      ...(branch !== undefined && hasMoved(branch, oid) ? [branch] : []),
    ])
  return {
    refs,
    wrong: heads.filter(({ ref, oid }) => refs.get(ref)?.oid !== oid),
    ended: heads.filter(({ isClosed, number }) => isClosed && refs.get(pullMergeRef(number)) !== undefined),
    stray: [...new Set(numbers)].filter((number) => number > 0 && !known.has(number)),
    moved: [...new Set(moved)],
  }
}

/**
 * After a crash: writes the head refs that rows lack, deletes merge refs of closed pull requests, has refs without a
 * row deleted, and has pull requests follow branches that moved. The job that deletes waits, because a push may be
 * about to insert the row.
 */
export async function reconcilePulls(deps: HeadDeps & { readonly jobs: Jobs }, repoId: RepoId): Promise<void> {
  const { database, jobs, log } = deps
  const repo = await findRepoById(database.read, repoId)
  if (repo === undefined) return
  const { refs, wrong, ended, stray, moved } = await findPullDrift(deps, repo)
  for (const { pullId, ref, number, isClosed } of wrong) {
    log.warn({ repo: repoId, ref }, 'the head of a pull request differs from its row; correcting it')
    if (isClosed || refs.get(ref) === undefined) await restoreHeadRef(deps, { id: pullId, repo, number })
    if (!isClosed) await refreshPull(deps, systemActor, pullId)
  }
  for (const { pullId, number } of ended) await updateMergeRef(deps, { id: pullId, repo, number }, { makes: false })
  if (stray.length + moved.length === 0) return
  await database.transaction(async (tx) => {
    for (const number of stray) {
      const options = { key: `${repoId} ${number}`, delay: HOUR_MS }
      await jobs.enqueue(tx, 'pulls.delete_ref', { repo_id: repoId, number }, options)
    }
    for (const branch of moved) await enqueueSync(tx, jobs, { repoId, branch }, systemActor.account.id)
  })
}
