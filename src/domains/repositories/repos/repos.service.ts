import { authorizeRepo, type RepoDecision, type RepoNeed } from '../../../core/access/authorize.ts'
import { ownerAccess } from '../../../core/access/repo-access.ts'
import { type SignedIn, type Viewer, isPublicOnly } from '../../../core/access/viewer.ts'
import { forbidden, isDomainError, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type User, ownerQueries, userQueries } from '../../accounts/index.ts'
import { createRepo, type CreateRepoDeps } from './creation/create-repo.ts'
import type { NewRepo } from './creation/insert-new-repo.ts'
import { listRepos, type RepoFilter } from './lists/repo-list.store.ts'
import type { RepoOrder } from './lists/repo-order.ts'
import {
  findRepoTarget,
  getRepoInView,
  getRepoInViewById,
  type RepoInView,
  type RepoName,
  loadRepoViews,
  type RepoView,
} from './lookup.ts'
import { findRepoById, type Repo } from './repo.store.ts'

interface RepoQuery {
  readonly filter: RepoFilter
  readonly order: RepoOrder
}

export type Repos = ReturnType<typeof createRepos>

export function createRepos(deps: CreateRepoDeps) {
  const { read } = deps.database
  const view = async (viewer: Viewer, { repo, access }: RepoInView): Promise<RepoView> =>
    (await loadRepoViews(read, viewer, [repo], new Map([[repo.id, access]])))[0]!
  return {
    /**
     * Whether the viewer has the access in `need` to the repository with this name. With `follow` a former name finds
     * the repository itself; without it the result is `moved` if the viewer may see the repository with the new name.
     */
    authorize: async (
      viewer: Viewer,
      name: RepoName,
      need: RepoNeed & { readonly follow?: boolean },
    ): Promise<RepoDecision<Repo>> => authorizeRepo(viewer, await findRepoTarget(read, viewer, name, need), need),
    /** The repository in the view of the viewer. Throws NotFound if it is missing or hidden, Moved after a rename. */
    getInView: (viewer: Viewer, owner: string, name: string): Promise<RepoInView> =>
      getRepoInView(read, viewer, owner, name),
    /** Throws NotFound if it is missing or hidden. */
    getInViewById: (viewer: Viewer, id: RepoId): Promise<RepoInView> => getRepoInViewById(read, viewer, id),
    /** Also finds repositories that are hidden from the viewer. Throws NotFound. */
    async getById(id: RepoId): Promise<Repo> {
      const repo = await findRepoById(read, id)
      if (repo === undefined) throw errors.repoNotFound()
      return repo
    },
    /** Whether the viewer may create repositories for this user or organization. */
    mayCreateFor: (viewer: SignedIn, owner: User): Promise<boolean> => ownerQueries.mayCreateFor(read, viewer, owner),
    /** Creates a repository; the caller has checked that the viewer may create it for the owner. */
    create: (viewer: SignedIn, owner: User, input: NewRepo): Promise<Repo> => createRepo(deps, viewer, owner, input),
    /** Throws the errors of `createByPush` if the viewer may not create a repository by pushing. */
    requireCreatableByPush: async (viewer: SignedIn, owner: string): Promise<void> =>
      void (await requireCreatableByPush(deps, viewer, owner)),
    /**
     * Creates the missing repository that is the target of a push. Throws Forbidden if that is disabled, NotFound,
     * Invalid (name).
     */
    createByPush: (viewer: SignedIn, owner: string, name: string): Promise<Repo> =>
      createByPush(deps, viewer, owner, name),
    /** The view of a repository whose access is already known. */
    view,
    /** The same for its creator, with full permissions. */
    viewOfCreator: (viewer: Viewer, repo: Repo): Promise<RepoView> => view(viewer, { repo, access: ownerAccess(repo) }),
    /** The repositories that match a filter and are visible to the viewer, with a fixed number of queries. */
    async list(viewer: Viewer, query: RepoQuery, paging: Paging): Promise<Page<RepoView>> {
      const page = await listRepos(read, viewer, query, paging)
      return { items: await loadRepoViews(read, viewer, page.items), total: page.total }
    },
    /** Views of a page, in its order, with a fixed number of queries. */
    views: (viewer: Viewer, repos: readonly Repo[]): Promise<RepoView[]> => loadRepoViews(read, viewer, repos),
  }
}

/**
 * The owner for whom a push may create a repository. Throws Forbidden if that is disabled, NotFound if the actor may
 * not create one for this owner.
 */
async function requireCreatableByPush(
  { database, rules }: CreateRepoDeps,
  actor: SignedIn,
  ownerName: string,
): Promise<User> {
  const owner = await userQueries.findByName(database.read, ownerName)
  const isNarrow = actor.onlyRepos !== undefined || isPublicOnly(actor)
  if (owner === undefined || isNarrow || !(await ownerQueries.mayCreateFor(database.read, actor, owner)))
    throw notFound('no repository may be made there')
  const isOrg = owner.kind === 'organization'
  if (!(isOrg ? rules.pushCreate.forOrgs : rules.pushCreate.forUsers))
    throw forbidden(`Push to create is not enabled for ${isOrg ? 'organizations' : 'users'}.`)
  return owner
}

/**
 * Creates the repository that is the target of a push (behaviour/git-data-and-transport#git-over-http). Throws the
 * errors of `requireCreatableByPush`, and NotFound if a repository that the actor may not see has the name.
 */
async function createByPush(deps: CreateRepoDeps, actor: SignedIn, ownerName: string, name: string): Promise<Repo> {
  const owner = await requireCreatableByPush(deps, actor, ownerName)
  try {
    return await createRepo(deps, actor, owner, { name, isPrivate: deps.rules.pushCreate.isPrivate })
  } catch (error) {
    throw isDomainError(error, 'conflict') ? notFound('the name is taken') : error
  }
}
