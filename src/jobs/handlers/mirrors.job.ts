import type { Database } from '../../db/database.ts'
import { listDueMirrors } from '../../db/stores/mirror.store.ts'
import type { PullMirrors } from '../../domain/mirrors/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { asId } from '../../platform/ids.ts'
import { enqueue, type JobHandlers } from '../index.ts'

export interface MirrorJobDeps {
  readonly database: Database
  readonly clock: Clock
  readonly pullMirrors: PullMirrors
}

/** What one run of the clock starts at most; the rest comes with the next. */
const MOST_DUE = 1000

/** Syncs of mirrors, by hand and by the clock. */
export function mirrorJobs({ database, clock, pullMirrors }: MirrorJobDeps): Pick<JobHandlers, 'mirror.sync' | 'mirrors.start_due'> {
  return {
    'mirror.sync': ({ repo_id }, signal) => pullMirrors.sync(asId(repo_id), signal),
    async 'mirrors.start_due'() {
      const now = clock.now()
      const pulls = await listDueMirrors(database.read, now, MOST_DUE)
      await database.transaction(async (tx) => {
        for (const id of pulls) await enqueue(tx, 'mirror.sync', { repo_id: id }, { now, key: String(id) })
      })
    },
  }
}
