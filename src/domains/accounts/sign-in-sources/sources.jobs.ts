import { Type } from '@sinclair/typebox'
import type { Tx } from '../../../core/db/database.ts'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../core/jobs/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import type { DirectorySync } from './directory-sync.service.ts'
import type { SignInSources } from './sources.service.ts'

const sourceJobPayloads = {
  /** Compares all accounts of a sign-in source with its directory. */
  'sign_in_source.synchronize': Type.Object({ source_id: Type.Integer() }),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof sourceJobPayloads> {}
}

interface Deps {
  readonly sync: DirectorySync
  readonly sources: Pick<SignInSources, 'exists'>
}

export const createSourceJobs = ({ sync, sources }: Deps): JobDefinitions => ({
  'sign_in_source.synchronize': defineJob(
    sourceJobPayloads['sign_in_source.synchronize'],
    async ({ source_id: id }, signal) => {
      if (await sources.exists(asId(id))) await sync.run(asId(id), signal)
    },
    { group: 'directories' },
  ),
})

/** Does nothing while one for the source waits. */
export const requestSynchronization = (jobs: Jobs, tx: Tx, id: number): Promise<void> =>
  jobs.enqueue(tx, 'sign_in_source.synchronize', { source_id: id }, { key: String(id) })

export const sourceTasks = (jobs: Jobs, sources: Pick<SignInSources, 'listSynchronized'>): ScheduledTask[] => [
  {
    name: 'sync_external_users',
    schedule: '0 0 * * *',
    async start(tx) {
      for (const { id } of await sources.listSynchronized(tx)) await requestSynchronization(jobs, tx, id)
    },
  },
]
