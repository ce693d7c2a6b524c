import type { Actor } from '../../../../core/access/viewer.ts'
import { isZeroOid } from '../../../../core/git/index.ts'
import type { RecordedPush } from '../../../code/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import { findHeadTip } from '../heads/find-head-tip.ts'
import { pullHeadRef } from '../pull.policy.ts'
import { listPushedPulls, type PushedPull } from '../records/pull-heads.store.ts'
import { findPull } from '../records/pull.store.ts'
import { closePull } from './close-pull.ts'
import { followHead, type HeadDeps } from './move-head.ts'
import { findPlace } from './pull-change.ts'

const BRANCH = 'refs/heads/'
/** A branch may be the head of several, and a push of many branches that of hundreds: the job updates the others. */
const MAX_AT_ONCE = 5

/**
 * Updates the open pull requests from pushed branches, because clients read them, and fetch their refs, right after their
 * push. All head refs in the same repository move, and the oldest five pull requests are updated completely. The job of
 * this push does what fails here, for example because the job of an earlier push runs. One query where there are none.
 */
export async function syncPushedPulls(deps: HeadDeps, { repo, actor, changes }: RecordedPush): Promise<void> {
  const moved = new Map(
    changes.flatMap(({ ref, newOid }) => (ref.startsWith(BRANCH) ? [[ref.slice(BRANCH.length), newOid]] : [])),
  )
  const pulls = await listPushedPulls(deps.database.read, repo.id, [...moved.keys()])
  if (pulls.length === 0) return
  const leaveToJob =
    (what: object) =>
    (error: unknown): void =>
      deps.log.warn({ err: error, ...what }, 'pull request not updated right after a push; a job will retry')
  await moveHeadRefs(deps, repo, moved, pulls).catch(leaveToJob({ repo: repo.id }))
  for (const pushed of pulls.slice(0, MAX_AT_ONCE))
    await syncPull(deps, actor, pushed).catch(leaveToJob({ pull: pushed.id }))
}

/** The repository has the objects already: one git process for all pull requests within it. */
async function moveHeadRefs(
  { git }: Pick<HeadDeps, 'git'>,
  repo: Repo,
  moved: ReadonlyMap<string, string>,
  pulls: readonly PushedPull[],
): Promise<void> {
  const own = pulls.filter(({ baseRepoId, branch }) => baseRepoId === repo.id && !isZeroOid(moved.get(branch)!))
  if (own.length === 0) return
  const { refs, zeroOid } = git.open(repo)
  const snapshot = await refs.snapshot()
  await refs.update(
    own.map(({ number, branch }) => {
      const ref = pullHeadRef(number)
      return { ref, old: snapshot.get(ref)?.oid ?? zeroOid, new: moved.get(branch)! }
    }),
  )
}

/** Closes the pull request where its branch was deleted. */
async function syncPull(deps: HeadDeps, actor: Actor, { id, branch }: PushedPull): Promise<void> {
  const pull = await findPull(deps.database.read, id)
  const place = pull && (await findPlace(deps, pull))
  if (place === undefined) return
  if ((await findHeadTip(deps, pull!, place)) === undefined) return closePull(deps, actor, pull!, branch)
  await followHead(deps, actor, place, (current) => findHeadTip(deps, current, place))
}
