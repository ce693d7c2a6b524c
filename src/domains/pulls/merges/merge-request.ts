import type { RequesterNeed } from '../../../core/access/authorize.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { MergeStyle } from '../../../core/git/index.ts'
import type { PullInView } from '../pulls/pull-in-view.ts'

/** The values of `Do` in the API. */
export const MERGE_ACTIONS = [
  'merge',
  'rebase',
  'rebase-merge',
  'squash',
  'fast-forward-only',
  'manually-merged',
] as const satisfies readonly (MergeStyle | 'manually-merged')[]
export type MergeAction = (typeof MERGE_ACTIONS)[number]

/** The permissions that credentials need to merge, now or later. */
export const MERGE_NEED: RequesterNeed = { scopes: ['repository'], level: 'write' }

/** The options of a merge that a client requests. */
export interface MergeRequest {
  readonly action: MergeAction
  /** The first line of the message; empty for the default. */
  readonly title: string
  /** The body of the message; empty for none. */
  readonly message: string
  /** The expected commit of the head; empty for any. */
  readonly headOid: string
  /** The commit that merged the pull request, for the style `manually-merged`. */
  readonly mergedOid: string
  /** An administrator of the repository overrides the protection of the branch. */
  readonly isForced: boolean
  /** Undefined for the setting of the repository. */
  readonly deletesBranch: boolean | undefined
}

export interface RequestedMerge {
  readonly actor: SignedIn
  readonly target: PullInView
  readonly request: MergeRequest
}
