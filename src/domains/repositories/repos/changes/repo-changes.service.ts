import type { SignedIn } from '../../../../core/access/viewer.ts'
import { convertMirror } from './convert-mirror.ts'
import { type ChangeRepoDeps, editRepo } from './edit-repo.ts'
import { deleteRepoWithFiles } from '../deletion/delete-repo.ts'
import type { Repo } from '../repo.store.ts'
import type { EditRepoOption } from '../repos.model.ts'

export type RepoChanges = ReturnType<typeof createRepoChanges>

/** Changes of repositories; callers check permissions. */
export function createRepoChanges(deps: ChangeRepoDeps) {
  return {
    /** Throws Invalid for invalid values. */
    edit: (actor: SignedIn, repo: Repo, edit: EditRepoOption): Promise<void> => editRepo(deps, actor, repo, edit),
    /** Converts a pull mirror into an ordinary repository. Throws Invalid if it is not a mirror. */
    convertMirror: (actor: SignedIn, repo: Repo): Promise<void> => convertMirror(deps, actor, repo),
    /** Throws NotFound if the repository was already deleted. */
    delete: (actor: SignedIn, repo: Repo): Promise<void> => deleteRepoWithFiles(deps, actor, repo),
  }
}
