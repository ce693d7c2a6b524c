import type { CallerNeed } from '../../../core/access/admit.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { MergeStyle } from '../../../core/git/index.ts'
import type { PullInView } from '../pulls/pull-in-view.ts'

/** The contract's `Do`. */
export const MERGE_ACTIONS = [
  'merge',
  'rebase',
  'rebase-merge',
  'squash',
  'fast-forward-only',
  'manually-merged',
] as const satisfies readonly (MergeStyle | 'manually-merged')[]
export type MergeAction = (typeof MERGE_ACTIONS)[number]

/** What credentials need to merge, also when the merge happens later. */
export const MERGE_NEED: CallerNeed = { scopes: ['repository'], level: 'write' }

/** The options of a merge that a client requests. */
export interface MergeRequest {
  readonly action: MergeAction
  /** The first line of the message; empty for the default. */
  readonly title: string
  /** What follows it; empty for none. */
  readonly message: string
  /** The commit that the head must be at; empty for any. */
  readonly headOid: string
  /** Of `manually-merged`: the commit that merged it. */
  readonly mergedOid: string
  /** An administrator of the repository overrides the protection of the branch. */
  readonly isForced: boolean
  /** Undefined: the setting of the repository. */
  readonly deletesBranch: boolean | undefined
}

export interface RequestedMerge {
  readonly actor: SignedIn
  readonly target: PullInView
  readonly request: MergeRequest
}
