import { systemActor } from '../../../../core/access/viewer.ts'
import { lockIssue } from '../../../issues/index.ts'
import { lockPull } from '../../pulls/records/pull.store.ts'
import { lockRepo } from '../../../repositories/index.ts'
import { leaveQueue } from '../leave-queue.ts'
import { findEntry, type QueueEntry } from '../records/entry.store.ts'
import type { Place, WorkerDeps } from './worker-deps.ts'

/**
 * Removes a pull request that cannot be merged from the queue; its followers are notified. Nothing happens when it has
 * left already.
 */
export async function removeEntry(deps: WorkerDeps, { repo }: Place, entry: QueueEntry, reason: string): Promise<void> {
  const { database, clock, log } = deps
  log.debug({ pull: entry.pullId, reason }, 'a pull request leaves the merge queue')
  await database.transaction(async (tx) => {
    const issue = await lockIssue(tx, entry.issueId)
    if (issue === undefined || (await lockPull(tx, entry.pullId)) === undefined) return
    await lockRepo(tx, repo.id)
    const found = await findEntry(tx, entry.pullId)
    if (found === undefined || found.headOid !== entry.headOid) return
    await leaveQueue(deps, tx, { actor: systemActor, issue, entry: found, reason, isFailure: true, at: clock.now() })
  })
}
