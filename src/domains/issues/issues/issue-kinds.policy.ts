import { AccessMode } from '../../../core/access/access-mode.ts'
import { type RepoAccess, unitMode } from '../../../core/access/repo-access.ts'
import { notFound } from '../../../core/platform/errors.ts'
import type { Repo, RepoInView } from '../../repositories/index.ts'

/** Which of the two a list has; at least one. */
export interface IssueKinds {
  readonly issues: boolean
  readonly pulls: boolean
}

export const isUnitReadable = (access: RepoAccess, unit: 'repo.issues' | 'repo.pulls'): boolean =>
  unitMode(access, unit) >= AccessMode.read

/**
 * COMPAT: an empty repository and a mirror have no pull requests here (test/issues/units.test.ts;
 * behaviour/issues#blocked-users-archived-repositories-disabled-units).
 */
const hasPulls = (repo: Repo, access: RepoAccess): boolean =>
  !repo.isEmpty && !repo.isMirror && isUnitReadable(access, 'repo.pulls')

export const areBothUnitsOff = (repo: Repo, access: RepoAccess): boolean =>
  !isUnitReadable(access, 'repo.issues') && !hasPulls(repo, access)

/**
 * The kinds that a list has: `issues`, `pulls`, or for any other type those that the caller may read. Throws NotFound
 * when nothing that is asked for can be read.
 */
export function readKinds({ repo, access }: RepoInView, type?: string): IssueKinds {
  if (type === 'pulls') {
    if (!isUnitReadable(access, 'repo.pulls')) throw notFound('pull requests are not readable')
    return { issues: false, pulls: true }
  }
  const kinds = { issues: isUnitReadable(access, 'repo.issues'), pulls: hasPulls(repo, access) && type !== 'issues' }
  if (!kinds.issues && !kinds.pulls) throw notFound('issues are not readable')
  return kinds
}
