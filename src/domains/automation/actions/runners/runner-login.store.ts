import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import type { ActionRunnerTable } from '../actions.table.ts'

/** The row of a runner that sends a request, and the counter of its queue. */
export type RunnerRow = Selectable<ActionRunnerTable> & { readonly version_of_queue: number | null }

/** The runners with these uuids, of which there is at least one. */
export const listRunnersByUuids = defineQuery((db: Db, { uuids }: { readonly uuids: readonly string[] }) =>
  db
    .selectFrom('action_runner')
    .leftJoin('action_queue', (join) =>
      join.on(
        sql<boolean>`coalesce(action_queue.owner_id, 0) = coalesce(action_runner.owner_id, 0)
          and coalesce(action_queue.repo_id, 0) = coalesce(action_runner.repo_id, 0)`,
      ),
    )
    .selectAll('action_runner')
    .select('action_queue.version as version_of_queue')
    .where('action_runner.uuid', 'in', uuids),
)

export const findRunnerByUuid = async (db: Db, uuid: string): Promise<RunnerRow | undefined> =>
  (await listRunnersByUuids(db, { uuids: [uuid] }))[0]

/** Sets the times of the last request of some runners, and of the last one about a task of the `active` ones. */
export async function updateTimes(
  tx: Tx,
  { all, active, at }: { readonly all: readonly number[]; readonly active: readonly number[]; readonly at: number },
): Promise<void> {
  await tx
    .updateTable('action_runner')
    .set({ online_at: at })
    .$if(active.length > 0, (query) =>
      query.set((eb) => ({
        active_at: eb.case().when('id', 'in', active).then(eb.val(at)).else(eb.ref('active_at')).end(),
      })),
    )
    .where('id', 'in', all)
    .execute()
}
