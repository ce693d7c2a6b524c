import type { Db } from '../../../core/db/database.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { PackageFile } from './package.store.ts'

/** A file with the names of its package and version. */
export interface ListedFile extends PackageFile {
  readonly package: string
  readonly version: string
}

const files = (db: Db, ownerId: UserId, type: string) =>
  db
    .selectFrom('package_file')
    .innerJoin('package_version', 'package_version.id', 'package_file.version_id')
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .where('package.owner_id', '=', ownerId)
    .where('package.type', '=', type)

const BATCH = 1000

/** All files of a type of an owner by id, read in batches. */
export async function* listFilesOfType(db: Db, ownerId: UserId, type: string): AsyncGenerator<ListedFile> {
  for (let after = 0, isLast = false; !isLast;) {
    const rows = await files(db, ownerId, type)
      .selectAll('package_file')
      .select(['package.name as package', 'package_version.version'])
      .where('package_file.id', '>', after)
      .orderBy('package_file.id')
      .limit(BATCH)
      .execute()
    yield* rows
    after = rows.at(-1)?.id ?? after
    isLast = rows.length < BATCH
  }
}

/**
 * Tells one set of files from every later one: ids are never used again, so that a set with the same number of files
 * has a larger sum.
 */
export async function summarizeFiles(
  db: Db,
  ownerId: UserId,
  type: string,
): Promise<{ readonly count: number; readonly sum: number }> {
  const { count, sum } = await files(db, ownerId, type)
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.sum<number | null>('package_file.id').as('sum')])
    .executeTakeFirstOrThrow()
  return { count: Number(count), sum: Number(sum ?? 0) }
}
