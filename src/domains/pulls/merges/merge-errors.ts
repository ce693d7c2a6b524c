import type { MergeOutcome } from '../../../core/git/index.ts'
import type { DomainError } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { PushRefusedError } from '../../code/index.ts'
import type { MergeAction } from './merge-request.ts'
import { CHANGED_FILES } from './merges.policy.ts'

/**
 * The error for a merge that could not be built. COMPAT: what is not allowed is 422, where other servers answer 405
 * (behaviour/decisions#merges-that-are-not-allowed; test/pulls/merges/refusals.test.ts).
 */
export function toMergeError(outcome: Exclude<MergeOutcome, { kind: 'built' }>, action: MergeAction): DomainError {
  switch (outcome.kind) {
    case 'conflict':
      return errors.mergeConflict(kindOf(action)).with({
        Style: action,
        StdOut: outcome.messages,
        StdErr: '',
        Err: `conflict in ${outcome.files.slice(0, MAX_NAMED).join(', ')}`,
        ...(outcome.commit !== undefined && { CommitSHA: outcome.commit }),
      })
    case 'unrelated':
      return errors.unrelatedHistories().with({
        Style: action,
        StdOut: '',
        StdErr: 'refusing to merge unrelated histories',
        Err: 'unrelated histories',
      })
    case 'diverged':
      return errors.fastForwardImpossible().with({
        StdOut: '',
        StdErr: 'Not possible to fast-forward, aborting.',
        Err: 'diverging branches',
      })
    case 'nothing':
      return errors.mergeNotChecked()
    case 'too-many':
      return errors.rebaseTooLong(outcome.limit)
  }
}

/** The error for a merge whose push a rule refuses. */
export const fromRefusal = ({ refusal, message }: PushRefusedError): DomainError =>
  refusal.reason === 'file' ? errors.mergeRefused(CHANGED_FILES) : errors.mergePushRejected(message)

const MAX_NAMED = 20

const kindOf = (action: MergeAction): 'merge' | 'rebase' => (action.startsWith('rebase') ? 'rebase' : 'merge')

export const outOfDate = (): DomainError => errors.mergePushOutOfDate()
