import type { Tx } from '../../../../core/db/database.ts'
import type { Subscriptions } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { repoQueries } from '../../../repositories/index.ts'
import { raiseQueues } from './runner.store.ts'

/** Changed columns of a repository that decide whether runners get its waiting jobs. */
const DECISIVE = ['is_archived', 'units']

/** Notifies runners of jobs that no runner, or only others, could take before. */
export const queueSubscriptions: Subscriptions = {
  async 'repo.edited'(tx, { repoId, payload }) {
    if (payload.changed.some((column) => DECISIVE.includes(column))) await raise(tx, repoId)
  },
  'repo.transferred': (tx, { repoId }) => raise(tx, repoId),
}

async function raise(tx: Tx, repoId: number): Promise<void> {
  const repo = await repoQueries.findById(tx, asId(repoId))
  if (repo !== undefined) await raiseQueues(tx, repo)
}
