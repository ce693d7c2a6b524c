import { ANONYMOUS } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import { type CombinedState, listLatestStatuses, loadBranchRules, requiredChecksState } from '../../../code/index.ts'
import type { Place, WorkerDeps } from './worker-deps.ts'

interface RequiredStatuses {
  /** The protection of the branch asks for statuses. */
  readonly isRequired: boolean
  readonly state: CombinedState
  /** The contexts that have failed, with their states. */
  readonly failed: string
}

const MAX_NAMED = 5

/** What the protection of the branch asks of a commit; success when it asks for nothing. */
export async function requiredStatuses(
  { database: { read } }: Pick<WorkerDeps, 'database'>,
  { repo, branch }: Pick<Place, 'branch' | 'repo'>,
  oid = '',
): Promise<RequiredStatuses> {
  const rule = await (await loadBranchRules(read, repo, ANONYMOUS)).ruleOf(branch)
  if (!rule?.enableStatusCheck) return { isRequired: false, state: 'success', failed: '' }
  const latest = await latestOf(read, { repo, oid })
  const state = await requiredChecksState(rule.statusCheckContexts, latest)
  const failed: string[] = []
  if (state === 'failure')
    for (const status of latest)
      if (failed.length < MAX_NAMED && (await requiredChecksState(rule.statusCheckContexts, [status])) === 'failure')
        failed.push(`${status.context} (${status.state})`)
  return { isRequired: true, state, failed: failed.join(', ') }
}

const latestOf = async (read: Db, { repo, oid }: { readonly repo: Place['repo']; readonly oid: string }) =>
  oid === '' ? [] : (await listLatestStatuses(read, { repoId: repo.id, oid })).items
