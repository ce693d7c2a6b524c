import type { Core } from '../../../core/module.ts'
import { actorOf } from '../../../core/access/viewer.ts'
import { dialectOf, type Tx } from '../../../core/db/database.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import {
  type CommitKey,
  type CommitStatus,
  insertCommitStatus,
  listLatestStatuses,
  lockStatuses,
  type StatusValues,
} from './commit-status.store.ts'

/** The account as which jobs act. */
const JOBS = actorOf(asId(-2))

type Report = Omit<StatusValues, 'creatorId' | 'at'>

/**
 * Adds those of the server's own statuses whose state is another one than that of the latest status with the same
 * context. `load` reads them, given the latest statuses, while nobody else may add statuses in the repository.
 */
export async function reportChangedStatuses(
  tx: Tx,
  { clock, events }: Pick<Core, 'clock' | 'events'>,
  commit: CommitKey,
  load: (latest: readonly CommitStatus[]) => Promise<readonly Report[]>,
): Promise<void> {
  await lockStatuses(tx, commit)
  const { items: latest } = await listLatestStatuses(tx, commit)
  const reports = await load(latest)
  const stateOf = new Map(latest.map(({ context, state }) => [context, state]))
  for (const report of reports) {
    if (stateOf.get(report.context) === report.state) continue
    const at = clock.now()
    const { id, context, state } = await insertCommitStatus(tx, dialectOf(tx), commit, {
      ...report,
      creatorId: JOBS.account.id,
      at,
    })
    const { repoId, oid } = commit
    await events.append(
      tx,
      'commit.status',
      { actor: JOBS, repoId, at },
      { repo_id: repoId, status_id: id, oid, context, state },
    )
  }
}
