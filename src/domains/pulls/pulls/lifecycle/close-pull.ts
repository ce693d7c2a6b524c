import type { Actor } from '../../../../core/access/viewer.ts'
import { changeState, recordEntries } from '../../../issues/index.ts'
import type { Pull } from '../records/pull.store.ts'
import { changePull, findPlace, type LifecycleDeps, type PullChange } from './pull-change.ts'

/**
 * Closes a pull request whose head or base was deleted; the timeline names the branch. Nothing happens to one that is
 * closed (behaviour/pull-requests#branch-lifecycle).
 */
export async function closePull(
  deps: LifecycleDeps,
  actor: Actor,
  pull: Pull,
  deletedBranch: string | undefined,
): Promise<void> {
  const place = await findPlace(deps, pull)
  if (place !== undefined)
    await changePull(deps, actor, { repo: place.repo, pull }, (change) => closeInChange(change, deletedBranch))
}

export async function closeInChange(change: PullChange, deletedBranch?: string): Promise<void> {
  if (change.issue.isClosed) return
  const issue = await changeState(change, { isClosed: true })
  if (deletedBranch === undefined) return
  const { tx, actor, at } = change
  const entry = { kind: 'delete_branch', payload: { oldRef: deletedBranch } } as const
  await recordEntries(tx, { issue, actorId: actor.account.id, at }, entry)
}
