import type { Actor } from '../../../../core/access/viewer.ts'
import type { PullId } from '../../../../core/platform/crypto/ids.ts'
import { findHeadTip } from '../heads.ts'
import { updateMergeRef } from '../mergeability/merge-ref.ts'
import { findPull, type Pull, updateChecked } from '../records/pull.store.ts'
import { syncHead, type HeadDeps, tipOfBase } from './move-head.ts'
import { findPlace, type LifecycleDeps, type PullPlace } from './pull-change.ts'
import type { GitRepo } from '../../../../core/git/index.ts'
import { type CheckedTree, checkColumns, checkMerge } from '../mergeability/check-merge.ts'

/** Updates an open pull request to its head and its base as they are now, for example after it was reopened. */
export async function refreshPull(deps: HeadDeps, actor: Actor, id: PullId): Promise<void> {
  const seen = await findPull(deps.database.read, id)
  const place = seen && (await findPlace(deps, seen))
  if (place === undefined) return
  await syncHead(deps, actor, place, (pull) => findHeadTip(deps, pull, place))
  await updateMergeRef(deps, place, { makes: false, checked: await recheck(deps, place) })
}

/** The tips may move while they are compared. */
const MAX_ROUNDS = 5

/**
 * Checks whether a pull request can be merged, unless that is known for the present tips; again when these have moved
 * meanwhile, since another process may have stored a newer check before. At most one git process in a round. A check
 * that fails is recorded as `error`. Returns what was found; undefined where it was known.
 */
export async function recheck(
  deps: LifecycleDeps,
  { id, repo }: Pick<PullPlace, 'id' | 'repo'>,
): Promise<CheckedTree | undefined> {
  let checked: CheckedTree | undefined
  const git = deps.git.open(repo)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const pull = await findPull(deps.database.read, id)
    if (pull === undefined || pull.merge !== undefined) return checked
    const baseOid = await tipOfBase(git, pull)
    const { check, headOid } = pull
    const isKnown = check.baseOid === baseOid && check.headOid === headOid
    if (isKnown && (check.state !== 'error' || round > 0)) return checked
    checked = await checkTips(deps, git, pull, baseOid)
  }
  return checked
}

async function checkTips(deps: LifecycleDeps, git: GitRepo, pull: Pull, baseOid: string): Promise<CheckedTree> {
  const { headOid } = pull
  const checked = await git
    .writing(() => checkMerge(git, baseOid, headOid))
    .catch((error: unknown) => {
      deps.log.warn({ err: error, pull: pull.id }, 'a merge could not be checked')
      return { baseOid, headOid, conflicts: [], state: 'error' as const, tree: undefined }
    })
  await deps.database.transaction((tx) => updateChecked(tx, pull, checkColumns(checked)))
  return checked
}
