import type { Core } from '../../../core/module.ts'
import { Type } from '@sinclair/typebox'
import { defineJob, type JobDefinitions, type JobPayloadsOf } from '../../../core/jobs/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { listDueMirrors, listDuePushMirrors } from './due-mirror.store.ts'
import type { PullMirrors } from './pull-mirrors.service.ts'
import type { PushMirrors } from './push/push-mirrors.service.ts'

const payloads = {
  /** Updates a pull mirror from its remote. */
  'mirror.sync': Type.Object({ repo_id: Type.Integer() }),
  /** Pushes a repository to one of its mirrors. */
  'push_mirror.sync': Type.Object({ push_mirror_id: Type.Integer() }),
  /** Enqueues the syncs of all mirrors that are due. */
  'mirrors.start_due': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof payloads> {}
}

interface MirrorJobDeps extends Pick<Core, 'database' | 'clock' | 'jobs'> {
  readonly pullMirrors: PullMirrors
  readonly pushMirrors: PushMirrors
}

/** The maximum number of syncs that one scheduled run enqueues; the next run enqueues the rest. */
const MAX_DUE = 1000

/** Syncs wait for other servers. A separate group prevents slow ones from delaying other jobs. */
const LANE = { group: 'mirrors' }

/** Syncs of mirrors, on request and by schedule. */
export function createMirrorJobs({ database, clock, jobs, pullMirrors, pushMirrors }: MirrorJobDeps): JobDefinitions {
  return {
    'mirror.sync': defineJob(
      payloads['mirror.sync'],
      ({ repo_id }, signal) => pullMirrors.sync(asId(repo_id), signal),
      LANE,
    ),
    'push_mirror.sync': defineJob(
      payloads['push_mirror.sync'],
      async ({ push_mirror_id }, signal) => {
        await pushMirrors.sync(push_mirror_id, signal)
      },
      LANE,
    ),
    'mirrors.start_due': defineJob(payloads['mirrors.start_due'], async () => {
      const now = clock.now()
      const pulls = await listDueMirrors(database.read, now, MAX_DUE)
      const pushes = await listDuePushMirrors(database.read, now, MAX_DUE)
      await database.transaction(async (tx) => {
        for (const id of pulls) await jobs.enqueue(tx, 'mirror.sync', { repo_id: id }, { key: String(id) })
        for (const id of pushes) await jobs.enqueue(tx, 'push_mirror.sync', { push_mirror_id: id }, { key: String(id) })
      })
    }),
  }
}
