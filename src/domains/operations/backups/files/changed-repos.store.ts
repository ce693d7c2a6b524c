import type { Db } from '../../../../core/db/database.ts'

/** The id of the last event; 0 if there is none. */
export async function lastEventId(db: Db): Promise<number> {
  const row = await db.selectFrom('event').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row?.id ?? 0
}

/** Storage keys of the repositories that have events with ids above `after`. */
export async function listChangedStorages(db: Db, after: number): Promise<string[]> {
  const rows = await db
    .selectFrom('event')
    .innerJoin('repo', 'repo.id', 'event.repo_id')
    .select('repo.storage')
    .distinct()
    .where('event.id', '>', after)
    .execute()
  return rows.map(({ storage }) => storage)
}
