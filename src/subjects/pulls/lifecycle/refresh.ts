import type { Actor } from '../../../access/viewer.ts'
import { branchRef } from '../../../git/index.ts'
import type { PullId } from '../../../platform/crypto/ids.ts'
import { findRepoById } from '../../repos/index.ts'
import { findPull } from '../records/pull.store.ts'
import { moveHead } from './move-head.ts'
import type { LifecycleDeps } from './pull-change.ts'
import { recheck } from './recheck.ts'

/** Makes an open pull request follow its head and its base as they are now, such as after it was reopened. */
export async function refreshPull(deps: LifecycleDeps, actor: Actor, id: PullId): Promise<void> {
  const { read } = deps.database
  const pull = await findPull(read, id)
  if (pull === undefined || pull.isClosed) return
  const head = pull.headRepoId === undefined || pull.isAgit ? undefined : await findRepoById(read, pull.headRepoId)
  const ref = head && (await deps.git.open(head).refs.snapshot()).get(branchRef(pull.headBranch))
  if (ref !== undefined) await moveHead(deps, actor, pull, ref.oid)
  const moved = await findPull(read, id)
  if (moved !== undefined) await recheck(deps, moved)
}
