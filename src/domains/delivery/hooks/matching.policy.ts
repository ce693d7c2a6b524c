import { branchRef } from '../../../core/git/index.ts'
import { compileGlob } from '../../../core/platform/patterns/glob.ts'
import { branchFilterProblem } from './hooks.policy.ts'

const BRANCH = branchRef('')

/** Event types that are selected by a flag of another name. */
const FLAG_OF: Readonly<Record<string, string>> = {
  pull_request_review_approved: 'pull_request_review',
  pull_request_review_rejected: 'pull_request_review',
  pull_request_review_comment: 'pull_request_review',
}

/** Event types whose header `X-*-Event` differs from `X-*-Event-Type`. */
const HEADER_OF: Readonly<Record<string, string>> = {
  issue_assign: 'issues',
  issue_label: 'issues',
  issue_milestone: 'issues',
  pull_request_comment: 'issue_comment',
  pull_request_assign: 'pull_request',
  pull_request_label: 'pull_request',
  pull_request_milestone: 'pull_request',
  pull_request_sync: 'pull_request',
  pull_request_review_request: 'pull_request',
  pull_request_review_approved: 'pull_request_approved',
  pull_request_review_rejected: 'pull_request_rejected',
  pull_request_review_comment: 'pull_request_comment',
}

const lookUp = (names: Readonly<Record<string, string>>, eventType: string): string =>
  Object.hasOwn(names, eventType) ? names[eventType]! : eventType

/** The flag of webhooks that selects an event type (behaviour/orgs-webhooks-actions#event-names). */
const flagOf = (eventType: string): string => lookUp(FLAG_OF, eventType)

/** The general name of an event type: the value of `X-*-Event`. */
export const eventOf = (eventType: string): string => lookUp(HEADER_OF, eventType)

/**
 * Whether a filter matches a full ref name. A branch may match by its short name; a tag matches only by its full name.
 * An invalid glob matches nothing (behaviour/orgs-webhooks-actions#event-names).
 */
export function passesBranchFilter(filter: string, ref: string): boolean {
  if (filter === '' || filter === '*' || filter === '**') return true
  if (branchFilterProblem(filter) !== undefined) return false
  const matches = compileGlob(filter)
  return matches(ref) || (ref.startsWith(BRANCH) && matches(ref.slice(BRANCH.length)))
}

interface Wanted {
  /** Flags as returned by `readHookEvents`. */
  readonly events: readonly string[]
  readonly branchFilter: string
}

/** Whether a webhook receives a message; `branch` is a full ref, or undefined if the filter does not apply. */
export const wantsMessage = (
  { events, branchFilter }: Wanted,
  { eventType, branch }: { readonly eventType: string; readonly branch?: string },
): boolean => events.includes(flagOf(eventType)) && (branch === undefined || passesBranchFilter(branchFilter, branch))
