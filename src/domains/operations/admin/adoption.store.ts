import type { Db } from '../../../core/db/database.ts'

const CHUNK = 200

/** Those of the `owner/name`, in lower case, that a repository has. */
export async function listKnownNames(
  db: Db,
  names: readonly { readonly owner: string; readonly name: string }[],
): Promise<Set<string>> {
  const existing = new Set<string>()
  for (let at = 0; at < names.length; at += CHUNK) {
    const chunk = names.slice(at, at + CHUNK)
    const rows = await db
      .selectFrom('repo')
      .innerJoin('user', 'user.id', 'repo.owner_id')
      .select(['user.lower_name as owner', 'repo.lower_name as name'])
      .where(
        'user.lower_name',
        'in',
        chunk.map(({ owner }) => owner.toLowerCase()),
      )
      .where(
        'repo.lower_name',
        'in',
        chunk.map(({ name }) => name.toLowerCase()),
      )
      .execute()
    for (const { owner, name } of rows) existing.add(`${owner}/${name}`)
  }
  return existing
}
