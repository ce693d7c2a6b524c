import { type BlobStore, checkBlobs } from '../../../core/blobs/index.ts'
import type { Database } from '../../../core/db/database.ts'
import type { DoctorCheck } from '../../../core/module.ts'
import { listPackageBlobUses } from './package-contents.store.ts'

/** Finds files of packages with missing or damaged bytes. */
export function packageFilesCheck({
  database,
  blobs,
}: {
  readonly database: Database
  readonly blobs: BlobStore
}): DoctorCheck {
  return {
    name: 'files',
    async *run({ quick }) {
      const listUsesAfter = (after: number, limit: number) => listPackageBlobUses(database.read, after, limit)
      for await (const what of checkBlobs({ store: blobs, kind: 'package file', quick, listUsesAfter }))
        yield { what, state: 'problem' }
    },
  }
}
