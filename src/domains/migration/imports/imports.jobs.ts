import type { Tx } from '../../../core/db/database.ts'
import type { Core, Services } from '../../../core/module.ts'
import { Type } from '@sinclair/typebox'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../core/jobs/index.ts'
import { mapAuthors } from './authors/map-authors.ts'
import type { Imports } from './imports.service.ts'

const payloads = {
  /** Deletes the remains of killed imports that began before this time (epoch milliseconds). */
  'imports.clear': Type.Object({ started_before: Type.Integer() }),
  /** Runs an asynchronous import, from where it was interrupted. */
  'imports.run': Type.Object({ import_id: Type.Integer() }),
  /** Assigns imported objects to the accounts that are linked to their authors. */
  'imports.map_authors': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof payloads> {}
}

interface ImportJobDeps extends Pick<Core, 'database' | 'jobs'> {
  readonly imports: Imports
  readonly signInSources: Services['signInSources']
}

export function createImportJobs({ database, jobs, imports, signInSources }: ImportJobDeps): JobDefinitions {
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
      onDead: ({ import_id }, error) => imports.fail(import_id, error),
    }),
    'imports.map_authors': defineJob(payloads['imports.map_authors'], (_, signal) =>
      mapAuthors({ database, signInSources }, signal),
    ),
  }
}

export const importTasks = (jobs: Jobs, clear: (tx: Tx) => Promise<void>): ScheduledTask[] => [
  { name: 'delete_lost_imports', schedule: '53 3 * * *', start: clear },
  {
    name: 'update_migration_poster_id',
    schedule: '7 0 * * *',
    start: (tx) => jobs.enqueue(tx, 'imports.map_authors', {}, { key: 'all' }),
  },
]
