import type { Db } from '../database.ts'
import { withOwners, type Repo } from './repo.store.ts'

/** The next repositories by id: for work that goes through all of them. */
export async function listReposAfter(db: Db, after: number, limit: number): Promise<Repo[]> {
  return withOwners(db, await db.selectFrom('repo').selectAll().where('id', '>', after as never).orderBy('id').limit(limit).execute())
}

export async function countRepos(db: Db): Promise<number> {
  return (await db.selectFrom('repo').select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count
}
