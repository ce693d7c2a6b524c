import { resolve } from 'node:path'
import { INGOT_VERSION } from '../core/platform/version.ts'
import { backUp } from '../domains/operations/index.ts'
import { type CommandInput, text } from './command.ts'
import { withCore } from './with-core.ts'

const MB = 1_000_000

export async function runBackup({ values, config, print }: CommandInput): Promise<number> {
  const to = resolve(text(values, 'to')!)
  const withBucket = values['bucket'] !== false
  const report = await withCore(config(), ({ database, git, blobs, dataDir, clock }) =>
    backUp(
      { database, git, blobs: withBucket ? blobs : undefined, dataDir, now: clock.now(), version: INGOT_VERSION },
      to,
      showProgress,
    ),
  )
  if (process.stderr.isTTY) process.stderr.write('\n')
  print(
    `Copied ${report.files} files, ${(report.bytes / MB).toFixed(1)} MB. To use the copy: ingot serve --data-dir ${to}`,
  )
  if (!withBucket) print('The files in the bucket were not copied: the copy needs the bucket, or a copy of it.')
  if (!report.database)
    print('The database is on a PostgreSQL server: run pg_dump right after this command, and restore the dump first.')
  return 0
}

function showProgress(storage: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${storage}`)
}
