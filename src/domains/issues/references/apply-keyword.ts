import { DomainError } from '../../../core/platform/errors.ts'
import type { AccountChange } from '../issues/changes/issue-change.ts'
import { changeState } from '../issues/changes/change-state.ts'
import type { StateRules, TimeBookings } from '../issues/changes/issue-hooks.ts'
import type { KeywordAction } from './parsing/parse-references.ts'

export interface KeywordDeps {
  readonly stateRules: StateRules
  readonly timeBookings: TimeBookings
}

interface AppliedKeyword {
  readonly action: KeywordAction
  /** The commit that closes or reopens the issue. */
  readonly oid: string
  /** Worked time to book when the issue is closed. */
  readonly seconds: number
}

/** Closes or reopens an issue. One that may not be closed, because it depends on open ones, stays open. */
export async function applyKeyword(
  { stateRules, timeBookings }: KeywordDeps,
  change: AccountChange,
  { action, oid, seconds }: AppliedKeyword,
): Promise<void> {
  const isClosed = action === 'closes'
  if (action === 'none' || change.issue.isClosed === isClosed) return
  try {
    await stateRules.run(change, isClosed ? 'closed' : 'open')
  } catch (error) {
    if (error instanceof DomainError) return
    throw error
  }
  const issue = await changeState(change, { isClosed, commitOid: oid })
  if (isClosed && seconds > 0) await timeBookings.run({ ...change, issue }, seconds)
}
