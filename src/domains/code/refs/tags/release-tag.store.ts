import type { Db } from '../../../../core/db/database.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'

/** The tag name of the release with this tag, in the spelling of the release; matched case-insensitively. */
export async function findReleaseTag(db: Db, repoId: RepoId, tag: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('release')
    .select('tag_name')
    .where('repo_id', '=', repoId)
    .where('lower_tag_name', '=', tag.toLowerCase())
    .executeTakeFirst()
  return row?.tag_name
}
