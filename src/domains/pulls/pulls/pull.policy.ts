import type { Mergeability, Pull } from './records/pull.store.ts'

/** Compares ASCII letters case-insensitively and does not trim (behaviour/pull-requests#the-pullrequest-object). */
export const isDraftTitle = (title: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => title.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase())

interface Tips {
  /** The tip of the base branch; undefined when it was deleted. */
  readonly baseOid: string | undefined
  readonly headOid: string
}

/** The known mergeability of these tips: `checking` when the last check compared others. */
export const mergeabilityOf = ({ check, merge }: Pull, { baseOid, headOid }: Tips): Mergeability => {
  if (merge !== undefined) return check.state
  return check.baseOid === baseOid && check.headOid === headOid ? check.state : 'checking'
}

const REFUSED: ReadonlySet<Mergeability> = new Set(['checking', 'conflict', 'error'])

/** The `mergeable` member (behaviour/pull-requests#mergeability). */
export const isMergeable = (pull: Pull, tips: Tips): boolean =>
  !pull.isDraft && (pull.merge !== undefined || !REFUSED.has(mergeabilityOf(pull, tips)))

/** The ref of the base repository that points to the head of the pull request. */
export const pullHeadRef = (number: number): string => `refs/pull/${number}/head`

/** The ref of the base repository that points to the merge of head and base, created when a client requests it. */
export const pullMergeRef = (number: number): string => `refs/pull/${number}/merge`

export const isMergeRef = (ref: string): boolean => ref.startsWith('refs/pull/') && ref.endsWith('/merge')
