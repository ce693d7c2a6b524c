import type { SignedIn } from '../../../../core/access/viewer.ts'
import { flag } from '../../../../core/db/flag.ts'
import { changeLocked } from '../changes/edit-issue.ts'
import type { IssueDeps } from '../changes/create-issue.ts'
import { addEntries } from '../changes/issue-change.ts'
import { updateIssue } from '../records/issue.store.ts'
import type { NewEntry } from '../timeline/timeline-entry.store.ts'
import type { IssueInView } from '../views.ts'

export type IssueLocks = ReturnType<typeof createIssueLocks>

/** Only writers may comment on and react to locked issues (behaviour/issues#lock). */
export function createIssueLocks(deps: IssueDeps) {
  const setLocked = (
    actor: SignedIn,
    target: IssueInView,
    { isLocked, entry }: { readonly isLocked: boolean; readonly entry: NewEntry },
  ): Promise<void> =>
    changeLocked(deps, actor, target, async (change) => {
      const { tx, issue, at } = change
      if (issue.isLocked === isLocked) return
      await updateIssue(tx, issue.id, { is_locked: flag(isLocked), updated_at: at })
      await addEntries(change, entry)
    })

  return {
    /** Does nothing when the issue is already locked; the first reason stays. Throws NotFound. */
    lock: (actor: SignedIn, target: IssueInView, reason: string): Promise<void> =>
      setLocked(actor, target, { isLocked: true, entry: { kind: 'lock', body: reason } }),
    /** Does nothing when the issue is not locked. Throws NotFound. */
    unlock: (actor: SignedIn, target: IssueInView): Promise<void> =>
      setLocked(actor, target, { isLocked: false, entry: { kind: 'unlock' } }),
  }
}
