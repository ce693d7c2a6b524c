import { DomainError } from '../../../../core/platform/errors.ts'
import type { IssueChange } from '../../../issues/index.ts'
import { findPullByIssue } from '../records/pull.store.ts'

/** A pull request that was merged stays closed. Throws Precondition. */
export async function mergedPullRule({ tx, issue }: IssueChange): Promise<void> {
  const pull = issue.isPull ? await findPullByIssue(tx, issue.id) : undefined
  if (pull?.merge !== undefined)
    throw new DomainError('precondition', 'cannot change state of this pull request, it was already merged')
}
