import type { MergeOutcome } from '../../../core/git/index.ts'
import { conflict, DomainError, type ErrorKind } from '../../../core/platform/errors.ts'
import type { PushRefusedError } from '../../code/index.ts'
import type { MergeAction } from './merge-request.ts'
import { CHANGED_FILES } from './merges.policy.ts'

/**
 * COMPAT: 422, where other servers answer 405 (behaviour/decisions#merges-that-are-not-allowed;
 * test/pulls/merges/refusals.test.ts).
 */
const REFUSED: ErrorKind = 'invalid'

export const mergeRefused = (reason: string): DomainError => new DomainError(REFUSED, reason)

/** The error for a merge that could not be built. */
export function toMergeError(outcome: Exclude<MergeOutcome, { kind: 'built' }>, action: MergeAction): DomainError {
  switch (outcome.kind) {
    case 'conflict':
      return new DomainError('conflict', `${kindOf(action)} failed because of conflict`, {
        Style: action,
        StdOut: outcome.messages,
        StdErr: '',
        Err: `conflict in ${outcome.files.slice(0, MAX_NAMED).join(', ')}`,
        ...(outcome.commit !== undefined && { CommitSHA: outcome.commit }),
      })
    case 'unrelated':
      return new DomainError('conflict', 'refusing to merge unrelated histories', {
        Style: action,
        StdOut: '',
        StdErr: 'refusing to merge unrelated histories',
        Err: 'unrelated histories',
      })
    case 'diverged':
      return new DomainError('conflict', 'the base is not contained in the head: not possible to fast-forward', {
        StdOut: '',
        StdErr: 'Not possible to fast-forward, aborting.',
        Err: 'diverging branches',
      })
    case 'nothing':
      return mergeRefused('Please try again later')
    case 'too-many':
      return mergeRefused(`the head has more than ${outcome.limit} commits to rebase`)
  }
}

/** The error for a merge whose push a rule refuses. */
export const fromRefusal = ({ refusal, message }: PushRefusedError): DomainError =>
  refusal.reason === 'file' ? mergeRefused(CHANGED_FILES) : conflict(`PushRejected with remote message: ${message}`)

const MAX_NAMED = 20

const kindOf = (action: MergeAction): 'merge' | 'rebase' => (action.startsWith('rebase') ? 'rebase' : 'merge')

export const outOfDate = (): DomainError => conflict('merge push out of date')
