import type { SignedIn } from '../../../../core/access/viewer.ts'
import { type ChangeRepoDeps, editRepo } from './edit-repo.ts'
import { deleteRepoWithFiles } from '../deletion/delete-repo.ts'
import type { Repo } from '../repo.store.ts'
import type { EditRepoOption } from '../repos.model.ts'

export type RepoChanges = ReturnType<typeof createRepoChanges>

/** Changes of repositories; the caller has checked that the actor may make them. */
export function createRepoChanges(deps: ChangeRepoDeps) {
  return {
    /** Throws invalid for what cannot be set. */
    edit: (actor: SignedIn, repo: Repo, edit: EditRepoOption): Promise<void> => editRepo(deps, actor, repo, edit),
    /** Throws NotFound when the repository was deleted meanwhile. */
    delete: (actor: SignedIn, repo: Repo): Promise<void> => deleteRepoWithFiles(deps, actor, repo),
  }
}
