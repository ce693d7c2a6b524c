import { restrictionOf } from '../../../core/access/authorize.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { MergeStyle } from '../../../core/git/index.ts'
import type { PullInView } from '../pulls/pull-in-view.ts'
import { parseRepoSettings } from '../../repositories/index.ts'
import { type Merged, mergePull, type MergeQueuePort } from './merge-pull.ts'
import { followUp } from './merge-steps.ts'
import type { MergeRequest } from './merge-request.ts'
import { type MergePreview, previewMerge, type PreviewDeps } from './preview/preview-merge.ts'
import { cancelMerge, scheduleMerge } from './schedules/scheduled-merge.ts'
import { updateHead, type UpdateStyle } from './update-head.ts'

export interface MergesDeps extends PreviewDeps {
  readonly queue: MergeQueuePort
}

export type Merges = ReturnType<typeof createMerges>

/** Merging pull requests, at once or as soon as the protection of the base allows it. */
export function createMerges(deps: MergesDeps) {
  return {
    /** Also deletes the head branch and closes issues, as requested. See `mergePull` for what it throws. */
    async merge(actor: SignedIn, target: PullInView, request: MergeRequest): Promise<Merged> {
      const merged = await mergePull(deps, { actor, target, request, isAuto: false })
      // NOTE: clients read the branch and the issues right after the response; after a crash a job runs this step.
      const { deleteBranchAfterMerge } = parseRepoSettings(target.repo.settings).pulls
      const deletesBranch = request.deletesBranch ?? deleteBranchAfterMerge
      await followUp(deps, { issueId: target.issue.id, deletesBranch, restriction: restrictionOf(actor) })
      return merged
    },
    /** See `scheduleMerge`. */
    schedule: (actor: SignedIn, target: PullInView, request: MergeRequest): Promise<void> =>
      scheduleMerge(deps, actor, target, request),
    /** See `MergeQueueHandler`. */
    enqueue: (actor: SignedIn, target: PullInView, request: MergeRequest): Promise<void> =>
      deps.queue.get().enqueue(actor, target, request),
    /** See `cancelMerge`. */
    cancel: (actor: SignedIn, target: PullInView): Promise<void> => cancelMerge(deps, actor, target),
    /** See `previewMerge`; undefined for the default style of the repository. */
    preview: (actor: SignedIn, target: PullInView, style: MergeStyle | undefined): Promise<MergePreview> =>
      previewMerge(deps, actor, target, style),
    /** See `updateHead`. */
    update: (actor: SignedIn, target: PullInView, style: UpdateStyle | undefined): Promise<string> =>
      updateHead(deps, actor, target, style),
  }
}
