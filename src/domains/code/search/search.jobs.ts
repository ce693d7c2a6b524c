import { Type } from '@sinclair/typebox'
import type { Core } from '../../../core/module.ts'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../core/jobs/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { repoQueries } from '../../repositories/index.ts'
import type { Indexer } from './index/indexer.ts'

const codeIndexJobs = {
  /** Brings the index of code to the tip of a repository's default branch. */
  'repo.index_code': Type.Object({ repo_id: Type.Integer() }),
  /** Compares the index of code with all repositories; `rebuild` empties it before. */
  'repos.index_code': Type.Object({ rebuild: Type.Boolean() }),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof codeIndexJobs> {}
}

/** Its own group, so that the first index of a large repository does not delay other jobs. */
const OPTIONS = { group: 'code search' }

interface CodeIndexJobDeps extends Pick<Core, 'database' | 'log'> {
  /** Undefined where code search is off: jobs of another node, or of before, do nothing. */
  readonly indexer: Indexer | undefined
}

export function createCodeIndexJobs({ database, log, indexer }: CodeIndexJobDeps): JobDefinitions {
  return {
    'repo.index_code': defineJob(
      codeIndexJobs['repo.index_code'],
      async ({ repo_id }, signal) => indexer?.refresh(asId(repo_id), signal),
      OPTIONS,
    ),
    'repos.index_code': defineJob(
      codeIndexJobs['repos.index_code'],
      async ({ rebuild }, signal) => {
        if (indexer === undefined) return
        const each = { database, log, signal, failure: 'code not indexed' }
        if (rebuild) {
          await indexer.noteComplete(false)
          await repoQueries.forEach(each, (id) => indexer.forget(id))
        }
        await indexer.forgetDeleted(signal)
        await repoQueries.forEach(each, (id) => indexer.refresh(id, signal))
        await indexer.noteComplete(true)
      },
      OPTIONS,
    ),
  }
}

export const codeIndexTasks = (jobs: Jobs): ScheduledTask[] => [
  {
    name: 'check_code_index',
    schedule: '40 2 * * *',
    start: (tx) => jobs.enqueue(tx, 'repos.index_code', { rebuild: false }, { key: 'check' }),
  },
  {
    name: 'rebuild_code_index',
    schedule: '40 2 * * *',
    isOff: true,
    start: (tx) => jobs.enqueue(tx, 'repos.index_code', { rebuild: true }, { key: 'rebuild' }),
  },
]
