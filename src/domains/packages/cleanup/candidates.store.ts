import { sql } from 'kysely'
import type { Db } from '../../../core/db/database.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'

/** A version that a rule may delete. */
export interface Candidate {
  readonly id: number
  readonly packageId: number
  readonly name: string
  readonly version: string
  /** When its newest file was published, which moves with the tag of an image; epoch milliseconds. */
  readonly changedAt: number
}

const candidates = (db: Db) =>
  db
    .selectFrom('package_version')
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .select(({ ref }) => [
      'package_version.id',
      'package_version.package_id as packageId',
      'package.name',
      'package_version.version',
      // Rows of files of earlier releases have no time.
      sql<number>`coalesce((select max(created_at) from package_file
        where version_id = package_version.id and created_at > 0), ${ref('package_version.created_at')})`.as(
        'changedAt',
      ),
    ])

export const findCandidate = (db: Db, id: number): Promise<Candidate | undefined> =>
  candidates(db).where('package_version.id', '=', id).executeTakeFirst()

/** Versions that are read at once, unless one package has more. */
const BATCH = 5000

/** The versions of a type of an owner, in groups of whole packages. */
export async function* listCandidates(db: Db, ownerId: UserId, type: string): AsyncGenerator<Candidate[]> {
  const packages = await db
    .selectFrom('package')
    .innerJoin('package_version', 'package_version.package_id', 'package.id')
    .select(({ fn }) => ['package.id', fn.countAll<number>().as('versions')])
    .where('package.owner_id', '=', ownerId)
    .where('package.type', '=', type)
    .groupBy('package.id')
    .orderBy('package.id')
    .execute()
  let ids: number[] = []
  let versions = 0
  for (const [at, one] of packages.entries()) {
    ids.push(one.id)
    versions += Number(one.versions)
    if (versions < BATCH && ids.length < BATCH && at < packages.length - 1) continue
    yield await candidates(db).where('package.id', 'in', ids).orderBy('package.id').execute()
    ids = []
    versions = 0
  }
}
