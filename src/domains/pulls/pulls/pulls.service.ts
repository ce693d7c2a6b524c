import type { SignedIn, Viewer } from '../../../core/access/viewer.ts'
import { notFound } from '../../../core/platform/errors.ts'
import type { Issue } from '../../issues/index.ts'
import type { RepoInView, Repos } from '../../repositories/index.ts'
import { createPull, type NewPull, type PullDeps } from './creation/create-pull.ts'
import { editPull, type EditPullDeps, type PullEdit } from './edits/edit-pull.ts'
import type { PullInView } from './pull-in-view.ts'
import {
  type DeletedPull,
  loadDeletedPullView,
  loadPullViews,
  loadPullViewsWithTotals,
  type PullTarget,
  type PullView,
} from './pull-views.ts'

/** Pull requests (behaviour/pull-requests#listing-creating-editing). Callers check permissions. */
export interface Pulls {
  /** With the totals of the diff; `pull` is not read again. Throws NotFound when it was deleted meanwhile. */
  view(viewer: Viewer, target: PullTarget, issue: Issue): Promise<PullView>
  /** Of what the event of the deletion says; undefined where that is not enough. */
  viewDeleted(viewer: Viewer, target: Pick<RepoInView, 'repo'>, deleted: DeletedPull): Promise<PullView | undefined>
  /** Views in the order given, without the totals. */
  views(viewer: Viewer, target: Pick<RepoInView, 'repo'>, issues: readonly Issue[]): Promise<PullView[]>
  /** The same with the totals, for a few. */
  viewsWithTotals(viewer: Viewer, target: Pick<RepoInView, 'repo'>, issues: readonly Issue[]): Promise<PullView[]>
  /** See `createPull`. */
  create(actor: SignedIn, target: RepoInView, input: NewPull): Promise<Issue>
  /** See `editPull`. */
  edit(actor: SignedIn, target: PullInView, edit: PullEdit): Promise<Issue>
}

export interface PullsDeps extends PullDeps, EditPullDeps {
  readonly repos: Pick<Repos, 'views'>
}

export function createPulls(deps: PullsDeps): Pulls {
  const views = { read: deps.database.read, git: deps.git, repos: deps.repos, reviews: deps.reviews }
  return {
    async view(viewer, target, issue) {
      const [view] = await loadPullViewsWithTotals(views, viewer, target, [issue])
      if (view === undefined) throw notFound('the pull request was deleted meanwhile')
      return view
    },
    viewDeleted: (viewer, { repo }, deleted) => loadDeletedPullView(views, viewer, repo, deleted),
    views: (viewer, target, issues) => loadPullViews(views, viewer, target, issues),
    viewsWithTotals: (viewer, target, issues) => loadPullViewsWithTotals(views, viewer, target, issues),
    create: (actor, target, input) => createPull(deps, actor, target, input),
    edit: (actor, target, edit) => editPull(deps, actor, target, edit),
  }
}
