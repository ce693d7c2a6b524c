import { reachesRepo } from '../../../../core/access/credential-restriction.ts'
import { findIssueById } from '../../../issues/index.ts'
import { MERGE_NEED } from '../../merges/merge-order.ts'
import type { OrderedMerge } from '../../merges/batches/ordered-merge.ts'
import { findPullByIssue } from '../../pulls/records/pull.store.ts'
import { loadRepoAccess } from '../../../repositories/index.ts'
import { loadActingUser } from '../../../accounts/index.ts'
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
  const [issue, pull, actor] = await Promise.all([
    findIssueById(read, entry.issueId),
    findPullByIssue(read, entry.issueId),
    loadActingUser(read, entry.actorId, entry.restriction, MERGE_NEED),
  ])
  if (issue === undefined || pull === undefined) return 'it was deleted'
  if (issue.isClosed) return 'it was closed'
  if (pull.baseBranch !== entry.branch) return 'its base is another branch now'
  if (pull.headOid !== entry.headOid) return 'its head was pushed to'
  if (actor === undefined) return 'the account that queued it is not active'
  if (!reachesRepo(actor, repo)) return 'the token that queued it does not reach the repository'
  const target = { repo, issue, pull, access: await loadRepoAccess(read, actor, repo) }
  const merge = { actor, target, order: entry.order }
  const problem = await deps.batchMerges.problem(merge)
  return problem ?? { ...merge, entry }
}
