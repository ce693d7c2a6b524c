import type { Services } from '../../../core/module.ts'
import type { SignedIn, Viewer } from '../../../core/access/viewer.ts'
import { errors } from '../../errors.ts'
import type { Issue } from '../../issues/index.ts'
import type { RepoInView } from '../../repositories/index.ts'
import { createPull, type NewPull, type PullDeps } from './creation/create-pull.ts'
import { editPull, type EditPullDeps, type PullEdit } from './edits/edit-pull.ts'
import { getReadablePull } from './readable-pull.ts'
import type { PullInView } from './pull-in-view.ts'
import {
  type DeletedPull,
  loadDeletedPullView,
  loadPullViews,
  loadPullViewsWithTotals,
  type PullTarget,
  type PullView,
} from './pull-views.ts'

export interface PullsDeps extends PullDeps, EditPullDeps {
  readonly repos: Pick<Services['repos'], 'views'>
}

export type Pulls = ReturnType<typeof createPulls>

/** Pull requests (behaviour/pull-requests#listing-creating-editing). Callers check permissions. */
export function createPulls(deps: PullsDeps) {
  const views = { read: deps.database.read, git: deps.git, repos: deps.repos, reviews: deps.reviews }
  return {
    /** The view with the totals of the diff; `pull` is not read again. Throws NotFound when it was deleted. */
    async view(viewer: Viewer, target: PullTarget, issue: Issue): Promise<PullView> {
      const [view] = await loadPullViewsWithTotals(views, viewer, target, [issue])
      if (view === undefined) throw errors.pullDeleted()
      return view
    },
    /** The target has passed the check of its unit. See `getReadablePull`. */
    getInView: (target: RepoInView, number: number): Promise<PullInView> =>
      getReadablePull(deps.database.read, target, number),
    /** The view from the data of the deletion's event; undefined when that is incomplete. */
    viewDeleted: (
      viewer: Viewer,
      { repo }: Pick<RepoInView, 'repo'>,
      deleted: DeletedPull,
    ): Promise<PullView | undefined> => loadDeletedPullView(views, viewer, repo, deleted),
    /** Views in the given order, without the totals. */
    views: (viewer: Viewer, target: Pick<RepoInView, 'repo'>, issues: readonly Issue[]): Promise<PullView[]> =>
      loadPullViews(views, viewer, target, issues),
    /** Views with the totals, for a few pull requests. */
    viewsWithTotals: (
      viewer: Viewer,
      target: Pick<RepoInView, 'repo'>,
      issues: readonly Issue[],
    ): Promise<PullView[]> => loadPullViewsWithTotals(views, viewer, target, issues),
    /** See `createPull`. */
    create: (actor: SignedIn, target: RepoInView, input: NewPull): Promise<Issue> =>
      createPull(deps, actor, target, input),
    /** See `editPull`. */
    edit: (actor: SignedIn, target: PullInView, edit: PullEdit): Promise<Issue> => editPull(deps, actor, target, edit),
  }
}
