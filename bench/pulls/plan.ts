/** The pull requests of a run: open ones from branches of their own, and closed ones, ten times as many. */
export interface PullPlan {
  readonly open: number
  readonly closed: number
}

const FULL_OPEN = 2000
const MIN_OPEN = 20
const CLOSED_PER_OPEN = 10

/** Numbers follow the scale unless they are given. */
export function planPulls({ scale, pulls }: { readonly scale: number; readonly pulls: number | undefined }): PullPlan {
  const open = pulls ?? Math.max(MIN_OPEN, Math.round(FULL_OPEN * scale))
  return { open, closed: open * CLOSED_PER_OPEN }
}

/** What `fill-pulls.ts` reads. Object ids are full. */
export interface PullFill {
  readonly owner: string
  readonly repo: string
  /** The tip of `main`. */
  readonly base: string
  readonly open: readonly { readonly branch: string; readonly oid: string; readonly mergeBase: string }[]
  readonly closed: number
  /** Merges on the first-parent line of `main`, which closed pull requests share. */
  readonly merges: readonly { readonly oid: string; readonly head: string; readonly mergeBase: string }[]
}

/** Branches of the large repository for each trial: `name-0`, `name-1`. */
export const HEADS = {
  /** Heads of the filled pull requests. */
  topic: 'topic',
  /** Each changes 100 files. */
  wide: 'wide',
  create: 'create',
  merge: 'merge',
  rebase: 'rebase',
  'rebase-merge': 'rebase-merge',
  squash: 'squash',
  /** Each follows the base of the same number. */
  'fast-forward-only': 'forward',
} as const
export const WIDE_FILES = 100
/** Bases that only pull requests of one trial have. */
export const BASES = { forward: 'forward-base', busy: 'busy-base', merged: 'merged-base' } as const
/** One branch is the head of many pull requests, the other of none. */
export const PUSHED = { busy: 'busy', idle: 'idle' } as const
