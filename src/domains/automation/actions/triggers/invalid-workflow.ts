import type { Core } from '../../../../core/module.ts'
import { escapePath } from '../../../../core/access/repo-urls.ts'
import { statusQueries } from '../../../code/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import { nameText } from '../workflows/reading/problem.ts'
import type { WorkflowFile } from '../workflows/workflow-files.ts'
import { listDisabledWorkflows } from '../workflows/workflow-state.store.ts'
import { describeInvalid, type Invalid } from '../workflows/workflow.policy.ts'

/**
 * Logs why a file starts no run, and says it in a status of the commit if somebody has pushed or proposed it
 * (behaviour/actions#commit-statuses-and-events).
 */
export async function reportInvalid(
  { database, clock, events, log }: Pick<Core, 'database' | 'clock' | 'events' | 'log'>,
  { on, repo, oid }: { readonly on: string; readonly repo: Repo; readonly oid: string },
  { file, invalid }: { readonly file: WorkflowFile; readonly invalid: Invalid },
): Promise<void> {
  const reason = describeInvalid(invalid)
  log.info({ repo: repo.fullName, file: file.path, oid }, `invalid workflow: ${reason}`)
  if (on !== 'push' && on !== 'pull_request') return
  if ((await listDisabledWorkflows(database.read, repo.id)).includes(file.name)) return
  const status = {
    state: 'error' as const,
    context: nameText(file.path),
    description: nameText(`Invalid workflow: ${reason}`),
    targetUrl: `/${repo.fullName}/src/commit/${oid}/${escapePath(file.path)}`,
  }
  await database.transaction((tx) =>
    statusQueries.reportChanges(tx, { clock, events }, { repoId: repo.id, oid }, () => Promise.resolve([status])),
  )
}
