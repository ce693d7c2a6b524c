import { AccessMode } from '../../access/access-mode.ts'
import type { Tx } from '../../db/database.ts'
import type { RepoId, UserId } from '../../platform/ids.ts'

interface NewTie {
  readonly repoId: RepoId
  readonly userId: UserId
  readonly at: number
}

/** The creator's watch; counted in the row of the new repository by the caller. */
export async function insertFirstWatch(tx: Tx, { repoId, userId, at }: NewTie): Promise<void> {
  await tx.insertInto('watch').values({ repo_id: repoId, user_id: userId, mode: 'normal', created_at: at }).execute()
}

export async function insertFirstCollaborator(tx: Tx, { repoId, userId, at }: NewTie): Promise<void> {
  await tx
    .insertInto('collaboration')
    .values({ repo_id: repoId, user_id: userId, mode: AccessMode.admin, created_at: at })
    .execute()
}
