import type { Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { asId, type RepoId } from '../../../../core/platform/crypto/ids.ts'

/** Makes a repository and all its forks, and theirs, private or public. Returns which they are. */
export async function setForkVisibility(tx: Tx, id: RepoId, isPrivate: boolean): Promise<RepoId[]> {
  const family = new Set<number>()
  for (let level: number[] = [id]; level.length > 0;) {
    for (const member of level) family.add(member)
    const forks = await tx.selectFrom('repo').select('id').where('fork_id', 'in', level).execute()
    level = forks.map((fork) => fork.id).filter((fork) => !family.has(fork))
  }
  for (const member of family) {
    await tx
      .updateTable('repo')
      .set({ is_private: flag(isPrivate) })
      .where('id', '=', member)
      .execute()
  }
  return [...family].map((member) => asId(member))
}
