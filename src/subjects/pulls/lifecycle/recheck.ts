import { checkColumns, checkMerge } from '../mergeability/check-merge.ts'
import { type Pull, updateChecked } from '../records/pull.store.ts'
import { findPlace, type LifecycleDeps } from './pull-change.ts'
import { tipOfBase } from './move-head.ts'

/**
 * Checks whether a pull request can be merged, unless that is known for the present tips. At most one git process. A
 * check that fails is recorded as `error`.
 */
export async function recheck(deps: LifecycleDeps, pull: Pull): Promise<void> {
  const place = await findPlace(deps, pull)
  if (place === undefined) return
  const git = deps.git.open(place.repo)
  const baseOid = await tipOfBase(git, pull)
  const { check, headOid } = pull
  if (check.baseOid === baseOid && check.headOid === headOid && check.state !== 'error') return
  const checked = await git
    .writing(() => checkMerge(git, baseOid, headOid))
    .catch((error: unknown) => {
      deps.log.warn({ err: error, pull: pull.id }, 'a merge could not be checked')
      return { baseOid, headOid, conflicts: [], state: 'error' as const }
    })
  await deps.database.transaction((tx) => updateChecked(tx, pull, checkColumns(checked)))
}
