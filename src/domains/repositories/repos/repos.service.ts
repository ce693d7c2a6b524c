import { admit, type RepoAdmission, type RepoNeed } from '../../../core/access/admit.ts'
import { ownerAccess } from '../../../core/access/repo-access.ts'
import type { SignedIn, Viewer } from '../../../core/access/viewer.ts'
import { notFound } from '../../../core/platform/errors.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type User, mayCreateFor } from '../../accounts/index.ts'
import { createByPush, requireCreatableByPush } from './creation/create-by-push.ts'
import { createRepo, type CreateRepoDeps } from './creation/create-repo.ts'
import type { NewRepo } from './creation/insert-new-repo.ts'
import { listRepos, type RepoFilter } from './lists/repo-list.store.ts'
import { type RepoOrder } from './lists/repo-order.ts'
import { findRepoTarget, getRepoInView, getRepoInViewById, type RepoInView, type RepoName } from './lookup.ts'
import { findRepoById, type Repo } from './repo.store.ts'
import { loadRepoViews, type RepoView } from './views.ts'

interface RepoQuery {
  readonly filter: RepoFilter
  readonly order: RepoOrder
}

export interface Repos {
  /**
   * Whether the viewer may do what `need` says with the repository of this name. With `follow` a former name stands for
   * the repository itself; without it the answer is `moved` to viewers who may see what has the new name.
   */
  admit(viewer: Viewer, name: RepoName, need: RepoNeed & { readonly follow?: boolean }): Promise<RepoAdmission<Repo>>
  /** The repository as the viewer may see it. Throws NotFound when missing or hidden, Moved after a rename. */
  getInView(viewer: Viewer, owner: string, name: string): Promise<RepoInView>
  /** Throws NotFound when missing or hidden. */
  getInViewById(viewer: Viewer, id: RepoId): Promise<RepoInView>
  /** Also when it is hidden from the viewer. Throws NotFound. */
  getById(id: RepoId): Promise<Repo>
  /** Whether the viewer may create repositories for this user or organization. */
  mayCreateFor(viewer: SignedIn, owner: User): Promise<boolean>
  /** Creates a repository; that the viewer may do so for the owner was decided before. */
  create(viewer: SignedIn, owner: User, input: NewRepo): Promise<Repo>
  /** Throws what `createByPush` throws to a viewer who may not. */
  requireCreatableByPush(viewer: SignedIn, owner: string): Promise<void>
  /** Creates the missing repository that is pushed to. Throws forbidden where that is off, NotFound, invalid (name). */
  createByPush(viewer: SignedIn, owner: string, name: string): Promise<Repo>
  /** What an answer shows of a repository whose access was decided before. */
  view(viewer: Viewer, found: RepoInView): Promise<RepoView>
  /** The same for its creator, with all rights. */
  viewOfCreator(viewer: Viewer, repo: Repo): Promise<RepoView>
  /** The repositories of a filter that the viewer may see, with a fixed number of queries. */
  list(viewer: Viewer, query: RepoQuery, paging: Paging): Promise<Page<RepoView>>
  /** Views of a page, in its order, with a fixed number of queries. */
  views(viewer: Viewer, repos: readonly Repo[]): Promise<RepoView[]>
}

export function createRepos(deps: CreateRepoDeps): Repos {
  const { read } = deps.database
  const view = async (viewer: Viewer, { repo, access }: RepoInView): Promise<RepoView> =>
    (await loadRepoViews(read, viewer, [repo], new Map([[repo.id, access]])))[0]!
  return {
    admit: async (viewer, name, need) => admit(viewer, await findRepoTarget(read, viewer, name, need), need),
    getInView: (viewer, owner, name) => getRepoInView(read, viewer, owner, name),
    getInViewById: (viewer, id) => getRepoInViewById(read, viewer, id),
    async getById(id) {
      const repo = await findRepoById(read, id)
      if (repo === undefined) throw notFound('repository does not exist')
      return repo
    },
    mayCreateFor: (viewer, owner) => mayCreateFor(read, viewer, owner),
    create: (viewer, owner, input) => createRepo(deps, viewer, owner, input),
    requireCreatableByPush: async (viewer, owner) => void (await requireCreatableByPush(deps, viewer, owner)),
    createByPush: (viewer, owner, name) => createByPush(deps, viewer, owner, name),
    view,
    viewOfCreator: (viewer, repo) => view(viewer, { repo, access: ownerAccess(repo) }),
    async list(viewer, query, paging) {
      const page = await listRepos(read, viewer, query, paging)
      return { items: await loadRepoViews(read, viewer, page.items), total: page.total }
    },
    views: (viewer, repos) => loadRepoViews(read, viewer, repos),
  }
}
