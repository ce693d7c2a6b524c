import type { Database } from '../../db/database.ts'
import type { Viewer } from '../../policy/viewer.ts'
import { getRepoInView, type RepoInView } from '../access/index.ts'

export interface Repos {
  /** The repository as the viewer may see it. Throws NotFound when missing or hidden, Moved after a rename. */
  getInView(viewer: Viewer, owner: string, name: string): Promise<RepoInView>
}

export function createRepos({ database }: { database: Database }): Repos {
  return { getInView: (viewer, owner, name) => getRepoInView(database.read, viewer, owner, name) }
}
