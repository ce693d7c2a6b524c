import type { Repo } from '../../db/stores/repo.store.ts'
import type { SignedIn } from '../../policy/viewer.ts'
import { removeRepo } from './delete-repo.ts'
import type { ChangeRepoDeps } from './deps.ts'

/** What is done to repositories that are there; whether the viewer may has been asked before. */
export interface RepoChanges {
  /** Throws NotFound when somebody else was faster. */
  delete(viewer: SignedIn, repo: Repo): Promise<void>
}

export function createRepoChanges(deps: ChangeRepoDeps): RepoChanges {
  return {
    delete: (viewer, repo) => removeRepo(deps, viewer, repo),
  }
}
