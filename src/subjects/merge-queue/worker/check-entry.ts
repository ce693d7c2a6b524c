import { viewerOfAccount } from '../../../access/viewer.ts'
import { findIssueById } from '../../issues/index.ts'
import type { OrderedMerge } from '../../merges/index.ts'
import { findPullByIssue } from '../../pulls/index.ts'
import { loadRepoAccess } from '../../repos/index.ts'
import { findUserById } from '../../users/index.ts'
import type { QueueEntry } from '../records/entry.store.ts'
import { removeEntry } from './remove-entry.ts'
import type { Place, WorkerDeps } from './worker-deps.ts'

export interface CheckedEntry extends OrderedMerge {
  readonly entry: QueueEntry
}

/** Undefined when one of the entries may not be merged any more; it has left the queue then. */
export async function checkEntries(
  deps: WorkerDeps,
  place: Place,
  entries: readonly QueueEntry[],
): Promise<CheckedEntry[] | undefined> {
  const checked: CheckedEntry[] = []
  for (const entry of entries) {
    const found = await checkEntry(deps, place, entry)
    if (typeof found === 'string') {
      await removeEntry(deps, place, entry, found)
      return undefined
    }
    checked.push(found)
  }
  return checked
}

/** The merge, or why it cannot be made now. */
async function checkEntry(deps: WorkerDeps, { repo }: Place, entry: QueueEntry): Promise<CheckedEntry | string> {
  const { read } = deps.database
  const [issue, pull, user] = await Promise.all([
    findIssueById(read, entry.issueId),
    findPullByIssue(read, entry.issueId),
    findUserById(read, entry.actorId),
  ])
  if (issue === undefined || pull === undefined) return 'it was deleted'
  if (issue.isClosed) return 'it was closed'
  if (pull.baseBranch !== entry.branch) return 'its base is another branch now'
  if (pull.headOid !== entry.headOid) return 'its head was pushed to'
  if (user === undefined || !user.isActive || user.isLoginProhibited) return 'the account that queued it is not active'
  const actor = viewerOfAccount(user)
  const target = { repo, issue, pull, access: await loadRepoAccess(read, actor, repo) }
  const merge = { actor, target, order: entry.order }
  const problem = await deps.batchMerges.problem(merge)
  return problem ?? { ...merge, entry }
}
