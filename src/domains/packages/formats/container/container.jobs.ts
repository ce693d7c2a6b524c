import { Type } from '@sinclair/typebox'
import type { Core } from '../../../../core/module.ts'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../../core/jobs/index.ts'
import { lockPackage } from '../../packages/package-contents.store.ts'
import { deleteEmptyPackage } from '../../packages/package.store.ts'
import { deleteUnnamedBlobs, isEmptyImage, listEmptyImages, listImagesWithUnnamed } from './unnamed-blobs.store.ts'
import { deleteOldUploads } from './uploads.store.ts'

const containerJobPayloads = {
  /**
   * Deletes uploads of blobs that nobody continued for a day, blobs of that age that no manifest names, and images
   * without anything.
   */
  'container.clear_uploads': Type.Object({}),
}

declare module '../../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof containerJobPayloads> {}
}

const ABANDONED_MS = 24 * 60 * 60 * 1000

export function createContainerJobs({ database, clock }: Pick<Core, 'database' | 'clock'>): JobDefinitions {
  return {
    'container.clear_uploads': defineJob(containerJobPayloads['container.clear_uploads'], async (_, signal) => {
      const before = clock.now() - ABANDONED_MS
      await database.transaction((tx) => deleteOldUploads(tx, before))
      for (const image of await listImagesWithUnnamed(database.read, before)) {
        signal.throwIfAborted()
        await database.transaction(async (tx) => {
          // NOTE: a push that checks the blobs of its manifest has the same lock.
          await lockPackage(tx, image)
          await deleteUnnamedBlobs(tx, image.id, before)
        })
      }
      for (const image of await listEmptyImages(database.read)) {
        signal.throwIfAborted()
        await database.transaction(async (tx) => {
          // NOTE: a push that begins has the same lock.
          await lockPackage(tx, image)
          if (await isEmptyImage(tx, image.id)) await deleteEmptyPackage(tx, image.id)
        })
      }
    }),
  }
}

/** Scheduled before the sweep of the bytes of packages. */
export function containerTasks(jobs: Jobs): ScheduledTask[] {
  return [
    {
      name: 'clear_container_uploads',
      schedule: '3 2 * * *',
      start: (tx) => jobs.enqueue(tx, 'container.clear_uploads', {}, { key: 'all' }),
    },
  ]
}
