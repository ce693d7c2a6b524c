import { type BlobStore, checkBlobs } from '../../../../core/blobs/index.ts'
import type { Database } from '../../../../core/db/database.ts'
import type { DoctorCheck } from '../../../../core/module.ts'
import { listLfsUsesAfter } from './lfs-use.store.ts'

/** Finds large files with missing or damaged bytes. */
export function largeFilesCheck({
  database,
  blobs,
}: {
  readonly database: Database
  readonly blobs: BlobStore
}): DoctorCheck {
  return {
    name: 'files',
    async *run({ quick }) {
      const listUsesAfter = (after: number, limit: number) => listLfsUsesAfter(database.read, after, limit)
      for await (const what of checkBlobs({ store: blobs, kind: 'large file', quick, listUsesAfter }))
        yield { what, state: 'problem' }
    },
  }
}
