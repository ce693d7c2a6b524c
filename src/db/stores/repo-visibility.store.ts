import type { RepoId } from '../../platform/ids.ts'
import type { Tx } from '../database.ts'
import { flag } from '../tables/flag.ts'

/** Makes a repository and all forks of it, and theirs, private or public; what becomes private loses its stars. */
export async function setForkVisibility(tx: Tx, id: RepoId, isPrivate: boolean): Promise<void> {
  const family = new Set<number>()
  for (let level: number[] = [id]; level.length > 0; ) {
    for (const member of level) family.add(member)
    const forks = await tx.selectFrom('repo').select('id').where('fork_id', 'in', level).execute()
    level = forks.map((fork) => fork.id).filter((fork) => !family.has(fork))
  }
  for (const member of family) {
    await tx.updateTable('repo').set({ is_private: flag(isPrivate), ...(isPrivate && { stars_count: 0 }) }).where('id', '=', member).execute()
    if (isPrivate) await deleteStarsOf(tx, member)
  }
}

async function deleteStarsOf(tx: Tx, repoId: number): Promise<void> {
  await tx.updateTable('user').set((eb) => ({ stars_count: eb('stars_count', '-', 1) }))
    .where('id', 'in', (eb) => eb.selectFrom('star').select('user_id').where('repo_id', '=', repoId)).execute()
  await tx.deleteFrom('star').where('repo_id', '=', repoId).execute()
}
