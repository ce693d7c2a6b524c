import type { Services } from '../../../core/module.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import { errors } from '../../errors.ts'
import type { CommitView } from '../../code/index.ts'
import { timelineQueries, issueQueries } from '../../issues/index.ts'
import { findPullByIssue } from '../pulls/records/pull.store.ts'
import type { PullInView } from '../pulls/pull-in-view.ts'
import type { Repo, RepoInView } from '../../repositories/index.ts'
import { type ApplyDeps, applySuggestions, type SuggestionRequest } from './apply-suggestions.ts'

export interface Applied {
  /** The repository of the head branch. */
  readonly head: Repo
  /** The commit, with statistics, files and verification. */
  readonly view: CommitView
}

export interface SuggestionDeps extends ApplyDeps {
  readonly views: Services['commitViews']
}

export type Suggestions = ReturnType<typeof createSuggestions>

/** Suggestions of comments of reviews (behaviour/pull-requests#suggestions). */
export function createSuggestions(deps: SuggestionDeps) {
  const { read } = deps.database
  /** See `applySuggestions`. */
  async function apply(actor: SignedIn, target: PullInView, order: SuggestionRequest): Promise<Applied> {
    const { head, oid } = await applySuggestions(deps, actor, target, order)
    const git = deps.git.open(head)
    const parts = { stat: true, files: true, verification: true }
    const [view] = await deps.views.load(git, [await git.objects.commit(oid)], parts)
    return { head, view: view! }
  }
  return {
    apply,
    /**
     * Applies the suggestion of one comment of any pull request. Throws as `apply`, BadRequest for a comment of an
     * issue.
     */
    async applyOne(actor: SignedIn, target: RepoInView, order: SuggestionRequest): Promise<Applied> {
      const entry = await timelineQueries.find(read, order.comments[0]!.id)
      const issue = entry?.repoId === target.repo.id ? await issueQueries.findById(read, entry.issueId) : undefined
      if (issue === undefined) throw errors.commentNotFound()
      const pull = issue.isPull ? await findPullByIssue(read, issue.id) : undefined
      if (pull === undefined) throw errors.notAPullComment()
      return apply(actor, { ...target, issue, pull }, order)
    },
  }
}
