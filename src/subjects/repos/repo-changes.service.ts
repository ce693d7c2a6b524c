import type { SignedIn } from '../../access/viewer.ts'
import type { ChangeRepoDeps } from './creation/deps.ts'
import { removeRepo } from './delete-repo.ts'
import { editRepo } from './edit-repo.ts'
import type { Repo } from './repo.store.ts'
import type { EditRepoOption } from './repository.model.ts'

/** What is done to repositories that are there; whether the viewer may has been asked before. */
export interface RepoChanges {
  /** Throws invalid for what cannot be set. */
  edit(viewer: SignedIn, repo: Repo, edit: EditRepoOption): Promise<void>
  /** Throws NotFound when somebody else was faster. */
  delete(viewer: SignedIn, repo: Repo): Promise<void>
}

export function createRepoChanges(deps: ChangeRepoDeps): RepoChanges {
  return {
    edit: (viewer, repo, edit) => editRepo(deps, viewer, repo, edit),
    delete: (viewer, repo) => removeRepo(deps, viewer, repo),
  }
}
