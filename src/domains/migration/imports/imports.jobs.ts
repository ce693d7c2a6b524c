import type { Core } from '../../../core/module.ts'
import { Type } from '@sinclair/typebox'
import { defineJob, type JobDefinitions, type JobPayloadsOf } from '../../../core/jobs/index.ts'
import type { Imports } from './imports.service.ts'

const payloads = {
  /** Deletes what killed imports left that began before this time (epoch milliseconds). */
  'imports.clear': Type.Object({ started_before: Type.Integer() }),
  /** Runs an asynchronous import, from where it was interrupted. */
  'imports.run': Type.Object({ import_id: Type.Integer() }),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof payloads> {}
}

interface ImportJobDeps extends Pick<Core, 'database' | 'jobs'> {
  readonly imports: Imports
}

export function createImportJobs({ database, jobs, imports }: ImportJobDeps): JobDefinitions {
  return {
    'imports.clear': defineJob(payloads['imports.clear'], async ({ started_before }) => {
      if (!(await imports.deleteUnfinished(started_before))) return
      await database.transaction(async (tx) => {
        await jobs.enqueue(tx, 'attachments.sweep', {}, { key: 'all' })
        await jobs.enqueue(tx, 'lfs.sweep', {}, { key: 'all' })
      })
    }),
    'imports.run': defineJob(payloads['imports.run'], ({ import_id }, signal) => imports.run(import_id, signal), {
      group: 'imports',
      onDead: ({ import_id }, error) => imports.giveUp(import_id, error),
    }),
  }
}
