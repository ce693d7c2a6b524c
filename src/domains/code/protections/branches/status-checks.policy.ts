import { createPauses } from '../../../../core/platform/concurrency/pauses.ts'
import { compileGlob } from '../../../../core/platform/patterns/glob.ts'

export const STATUS_STATES = ['pending', 'success', 'error', 'failure', 'warning', 'skipped'] as const
export type StatusState = (typeof STATUS_STATES)[number]
export type CombinedState = 'pending' | 'success' | 'failure'

interface StatusOfContext {
  readonly context: string
  readonly state: StatusState
}

/**
 * One state for the newest statuses of all contexts (behaviour/pull-requests#commit-statuses); pending when there are
 * none.
 */
export function combineStates(states: readonly StatusState[]): CombinedState {
  if (states.some((state) => state === 'error' || state === 'failure' || state === 'warning')) return 'failure'
  return states.length > 0 && states.every((state) => state === 'success' || state === 'skipped')
    ? 'success'
    : 'pending'
}

/**
 * Whether the required checks of a rule have passed (behaviour/pull-requests#branch-protection): each pattern must
 * match a context, and all matching contexts must succeed; `*` matches slashes too. Without patterns every context is
 * required. Pauses: globs may take long.
 */
export async function requiredChecksState(
  patterns: readonly string[],
  latest: readonly StatusOfContext[],
): Promise<CombinedState> {
  if (patterns.length === 0) return combineStates(latest.map((status) => status.state))
  const pause = createPauses()
  const required: StatusState[][] = []
  for (const pattern of patterns) {
    const matches = compileGlob(pattern)
    const states: StatusState[] = []
    for (const { context, state } of latest) {
      await pause()
      if (matches(context)) states.push(state)
    }
    required.push(states)
  }
  const combined = combineStates(required.flat())
  return combined === 'success' && required.some((states) => states.length === 0) ? 'pending' : combined
}
