import type { SignedIn, Viewer } from '../../../core/access/viewer.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { Repo } from '../../repositories/index.ts'
import { createFork, type ForkDeps, type ForkTarget } from './create-fork.ts'
import { listForks } from './fork.store.ts'

export type Forks = ReturnType<typeof createForks>

export function createForks(deps: ForkDeps) {
  return {
    /** Those that the viewer may see, oldest first. */
    list: (viewer: Viewer, base: Repo, paging: Paging): Promise<Page<Repo>> =>
      listForks(deps.database.read, base.id, viewer, paging),
    /**
     * Creates a complete fork for an owner for whom the actor may create repositories. Throws conflict (forked already,
     * name in use, limit), invalid (name) and forbidden (blocked by the owner of the base).
     */
    create: (actor: SignedIn, base: Repo, target: ForkTarget): Promise<Repo> => createFork(deps, actor, base, target),
  }
}
