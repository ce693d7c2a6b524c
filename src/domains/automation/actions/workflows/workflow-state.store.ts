import type { Db, Tx } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'

/** File names of the disabled workflows of a repository. */
export async function listDisabledWorkflows(db: Db, repoId: RepoId): Promise<readonly string[]> {
  const row = await db
    .selectFrom('action_repo')
    .select('disabled_workflows')
    .where('repo_id', '=', repoId)
    .executeTakeFirst()
  return row === undefined ? [] : (JSON.parse(row.disabled_workflows) as string[])
}

/** Whether the repository has ever had workflows, a run or a disabled workflow. */
export async function hasWorkflows(db: Db, repoId: number): Promise<boolean> {
  return (await rowsOf(db, { repoId })).length > 0
}

const rowsOf = defineQuery((db, { repoId }: { repoId: number }) =>
  db.selectFrom('action_repo').select('repo_id').where('repo_id', '=', repoId),
)

/**
 * The file names of the disabled workflows. Inserts the row of the repository if it is missing, and locks it until the
 * transaction ends.
 */
export async function lockWorkflows(tx: Tx, repoId: RepoId): Promise<readonly string[]> {
  const row = await tx
    .insertInto('action_repo')
    .values({ repo_id: repoId })
    .onConflict((conflict) => conflict.column('repo_id').doUpdateSet({ repo_id: repoId }))
    .returning('disabled_workflows')
    .executeTakeFirstOrThrow()
  return JSON.parse(row.disabled_workflows) as string[]
}

/** The maximum number of names per repository: the oldest are dropped. */
const MAX_DISABLED = 1000

/** Disables or enables a workflow. Returns whether this changed its state. */
export async function updateWorkflowState(
  tx: Tx,
  repoId: RepoId,
  { workflow, isDisabled }: { readonly workflow: string; readonly isDisabled: boolean },
): Promise<boolean> {
  const before = await lockWorkflows(tx, repoId)
  if (before.includes(workflow) === isDisabled) return false
  const after = isDisabled ? [...before, workflow].slice(-MAX_DISABLED) : before.filter((name) => name !== workflow)
  await tx
    .updateTable('action_repo')
    .set({ disabled_workflows: JSON.stringify(after) })
    .where('repo_id', '=', repoId)
    .execute()
  return true
}
