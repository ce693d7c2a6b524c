import type { SignedIn } from '../../../access/viewer.ts'
import type { ChangeRepoDeps } from './change-deps.ts'
import { deleteRepoWithFiles } from '../deletion/delete-repo.ts'
import { editRepo } from './edit-repo.ts'
import type { Repo } from '../repo.store.ts'
import type { EditRepoOption } from '../repository.model.ts'

/** Changes of repositories; that the viewer may make them was decided before. */
export interface RepoChanges {
  /** Throws invalid for what cannot be set. */
  edit(viewer: SignedIn, repo: Repo, edit: EditRepoOption): Promise<void>
  /** Throws NotFound when another request was faster. */
  delete(viewer: SignedIn, repo: Repo): Promise<void>
}

export function createRepoChanges(deps: ChangeRepoDeps): RepoChanges {
  return {
    edit: (viewer, repo, edit) => editRepo(deps, viewer, repo, edit),
    delete: (viewer, repo) => deleteRepoWithFiles(deps, viewer, repo),
  }
}
