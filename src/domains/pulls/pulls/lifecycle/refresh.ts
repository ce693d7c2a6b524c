import type { Actor } from '../../../../core/access/viewer.ts'
import type { PullId } from '../../../../core/platform/crypto/ids.ts'
import { findHeadTip } from '../heads/find-head-tip.ts'
import { followMergeRef } from '../mergeability/merge-ref.ts'
import { findPull } from '../records/pull.store.ts'
import { followHead, type HeadDeps } from './move-head.ts'
import { findPlace } from './pull-change.ts'
import { recheck } from './recheck.ts'

/** Makes an open pull request follow its head and its base as they are now, such as after it was reopened. */
export async function refreshPull(deps: HeadDeps, actor: Actor, id: PullId): Promise<void> {
  const seen = await findPull(deps.database.read, id)
  const place = seen && (await findPlace(deps, seen))
  if (place === undefined) return
  await followHead(deps, actor, place, (pull) => findHeadTip(deps, pull, place))
  await followMergeRef(deps, place, { makes: false, checked: await recheck(deps, place) })
}
