import type { SignedIn } from '../../../../core/access/viewer.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { deleteMirror } from '../records/records.store.ts'
import { findRepoById, lockRepo, type Repo, updateRepo } from '../repo.store.ts'
import type { ChangeRepoDeps } from './edit-repo.ts'

/**
 * Makes a pull mirror an ordinary repository, which its users can push to. A sync that runs at the same time updates no
 * ref afterwards. Throws Invalid if the repository is no mirror.
 */
export async function convertMirror(
  { database, clock, events }: ChangeRepoDeps,
  actor: SignedIn,
  { id }: Repo,
): Promise<void> {
  await database.transaction(async (tx) => {
    await lockRepo(tx, id)
    const repo = await findRepoById(tx, id)
    if (repo === undefined) throw errors.repoNotFound()
    if (!repo.isMirror) throw invalid('Repository is not a mirror')
    await deleteMirror(tx, id)
    await updateRepo(tx, id, { is_mirror: 0 })
    const origin = { actor, repoId: id, at: clock.now() }
    await events.append(tx, 'repo.edited', origin, { repo_id: id, changed: ['is_mirror'] })
  })
}
