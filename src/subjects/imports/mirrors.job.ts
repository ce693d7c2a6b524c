import type { Database } from '../../db/database.ts'
import { enqueue, type JobHandlers } from '../../jobs/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { asId } from '../../platform/ids.ts'
import { listDueMirrors, listDuePushMirrors } from '../mirrors/due-mirror.store.ts'
import type { PullMirrors } from '../mirrors/pull-mirrors.service.ts'
import type { PushMirrors } from '../mirrors/push-mirrors.service.ts'
import type { Migrations } from './imports.service.ts'

export interface MirrorJobDeps {
  readonly database: Database
  readonly clock: Clock
  readonly migrations: Migrations
  readonly pullMirrors: PullMirrors
  readonly pushMirrors: PushMirrors
}

/** What one run of the clock starts at most; the rest comes with the next. */
const MOST_DUE = 1000

/** Syncs of mirrors, by hand and by the clock, and what killed imports leave. */
export function mirrorJobs({
  database,
  clock,
  migrations,
  pullMirrors,
  pushMirrors,
}: MirrorJobDeps): Pick<JobHandlers, 'imports.clear' | 'mirror.sync' | 'mirrors.start_due' | 'push_mirror.sync'> {
  return {
    async 'imports.clear'({ started_before }) {
      if (!(await migrations.clearUnfinished(started_before))) return
      const now = clock.now()
      await database.transaction(async (tx) => {
        await enqueue(tx, 'attachments.sweep', {}, { now, key: 'all' })
        await enqueue(tx, 'lfs.sweep', {}, { now, key: 'all' })
      })
    },
    'mirror.sync': ({ repo_id }, signal) => pullMirrors.sync(asId(repo_id), signal),
    async 'push_mirror.sync'({ push_mirror_id }, signal) {
      await pushMirrors.sync(push_mirror_id, signal)
    },
    async 'mirrors.start_due'() {
      const now = clock.now()
      const pulls = await listDueMirrors(database.read, now, MOST_DUE)
      const pushes = await listDuePushMirrors(database.read, now, MOST_DUE)
      await database.transaction(async (tx) => {
        for (const id of pulls) await enqueue(tx, 'mirror.sync', { repo_id: id }, { now, key: String(id) })
        for (const id of pushes) await enqueue(tx, 'push_mirror.sync', { push_mirror_id: id }, { now, key: String(id) })
      })
    },
  }
}
