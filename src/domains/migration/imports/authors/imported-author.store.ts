import { sql } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { ClaimedAuthor } from '../../../../core/db/original-author.ts'
import { asId, type RepoId, type SignInSourceId } from '../../../../core/platform/crypto/ids.ts'

/** Records the authors of all imported objects of a repository that have an id at the service. */
export async function insertImportedAuthors(tx: Tx, repoId: RepoId, origin: string): Promise<void> {
  await sql`insert into imported_author (repo_id, origin, author_id)
    select cast(${repoId} as bigint), cast(${origin} as text), author.id from (
      select original_author_id as id from issue where repo_id = ${repoId}
      union select original_author_id from timeline_entry where repo_id = ${repoId}
      union select original_author_id from tracked_time where repo_id = ${repoId}
      union select original_author_id from release where repo_id = ${repoId}
      union select review.original_author_id from review join issue on issue.id = review.issue_id
        where issue.repo_id = ${repoId}
      union select reaction.original_author_id from reaction join issue on issue.id = reaction.issue_id
        where issue.repo_id = ${repoId}
    ) as author where author.id > 0 on conflict do nothing`.execute(tx)
}

/** Authors to whom accounts are linked by a sign-in source. */
export async function listLinkedAuthors(
  db: Db,
  { sourceId, origin, limit }: { readonly sourceId: SignInSourceId; readonly origin: string; readonly limit: number },
): Promise<ClaimedAuthor[]> {
  const rows = await db
    .selectFrom('imported_author')
    .innerJoin('external_identity', (join) =>
      join.on('external_identity.subject', '=', sql<string>`cast(imported_author.author_id as text)`),
    )
    .select(['imported_author.repo_id', 'imported_author.author_id', 'external_identity.user_id'])
    .where('imported_author.origin', '=', origin)
    .where('external_identity.source_id', '=', sourceId)
    .orderBy('imported_author.repo_id')
    .orderBy('imported_author.author_id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ repoId: asId(row.repo_id), authorId: row.author_id, userId: asId(row.user_id) }))
}

export async function deleteImportedAuthor(
  tx: Tx,
  { repoId, authorId }: Pick<ClaimedAuthor, 'authorId' | 'repoId'>,
): Promise<void> {
  await tx.deleteFrom('imported_author').where('repo_id', '=', repoId).where('author_id', '=', authorId).execute()
}
