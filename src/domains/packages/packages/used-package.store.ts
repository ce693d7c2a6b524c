import { sql } from 'kysely'
import type { Db } from '../../../core/db/database.ts'
import { selectPage } from '../../../core/db/page.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { UsedPackage } from '../../accounts/index.ts'

const sizeOfVersion = sql<number>`cast((select coalesce(sum(size), 0) from package_file
  where version_id = package_version.id) as bigint)`

/** The largest version first. */
export const listUsedPackages = (db: Db, ownerId: UserId, paging: Paging): Promise<Page<UsedPackage>> =>
  selectPage(
    db
      .selectFrom('package_version')
      .innerJoin('package', 'package.id', 'package_version.package_id')
      .select(['package.name', 'package.type', 'package_version.version', sizeOfVersion.as('size')])
      .where('package.owner_id', '=', ownerId)
      .orderBy(sizeOfVersion, 'desc')
      .orderBy('package_version.id'),
    paging,
    (row): UsedPackage => row,
  )

/** Bytes of all packages of an owner; those that several files share, such as layers of images, count once. */
export async function sumPackages(db: Db, ownerId: UserId): Promise<number> {
  const contents = db
    .selectFrom('package_file')
    .innerJoin('package_version', 'package_version.id', 'package_file.version_id')
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .select(['package_file.sha256', 'package_file.size'])
    .distinct()
    .where('package.owner_id', '=', ownerId)
  const { size } = await db
    .selectFrom(contents.as('content'))
    .select(sql<number>`cast(coalesce(sum(content.size), 0) as bigint)`.as('size'))
    .executeTakeFirstOrThrow()
  return size
}

/** Whether the owner has a version of a package; an image may have an upload alone. */
export const ownsPackage = async (db: Db, ownerId: UserId): Promise<boolean> =>
  (await db
    .selectFrom('package')
    .innerJoin('package_version', 'package_version.package_id', 'package.id')
    .select('package.id')
    .where('package.owner_id', '=', ownerId)
    .limit(1)
    .executeTakeFirst()) !== undefined
