import { sql } from 'kysely'
import type { Db } from '../../../../core/db/database.ts'
import { asId, type RepoId } from '../../../../core/platform/crypto/ids.ts'

export async function countRepos(db: Db): Promise<number> {
  return (
    await db
      .selectFrom('repo')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count
}

/** Of all repositories; sizes are bytes. */
interface RepoNumbers {
  readonly total: number
  readonly isPrivate: number
  readonly forks: number
  readonly mirrors: number
  readonly archived: number
  readonly gitSize: number
  readonly lfsSize: number
}

export async function loadRepoNumbers(db: Db): Promise<RepoNumbers> {
  const sum = (column: string) => sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`
  return db
    .selectFrom('repo')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .select([sum('is_private').as('isPrivate'), sum('is_fork').as('forks'), sum('is_mirror').as('mirrors')])
    .select([sum('is_archived').as('archived'), sum('git_size').as('gitSize'), sum('lfs_size').as('lfsSize')])
    .executeTakeFirstOrThrow()
}

const CHUNK = 500

/** Yields the id of every repository, oldest first, including those created meanwhile; reads in chunks. */
export async function* walkRepoIds(db: Db): AsyncGenerator<RepoId> {
  for (let last = 0; ;) {
    const rows = await db.selectFrom('repo').select('id').where('id', '>', last).orderBy('id').limit(CHUNK).execute()
    for (const { id } of rows) yield asId(id)
    if (rows.length < CHUNK) return
    last = rows.at(-1)!.id
  }
}

/** Repositories of which a push deleted a branch or tag between two times, epoch milliseconds. */
export async function listReposWithDeletedRefs(db: Db, from: number, to: number): Promise<RepoId[]> {
  const rows = await db
    .selectFrom('push')
    .select('repo_id')
    .distinct()
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('new_oid', 'in', ['0'.repeat(40), '0'.repeat(64)])
    .orderBy('repo_id')
    .execute()
  return rows.map((row) => asId(row.repo_id))
}
