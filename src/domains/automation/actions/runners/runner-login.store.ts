import { type Selectable, sql } from 'kysely'
import type { Db } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { cachedUntilCommit } from '../../../../core/db/read-cache.ts'
import type { ActionRunnerTable } from '../actions.table.ts'

/** The row of a runner that sends a request, and the counter of its queue. */
export type RunnerRow = Selectable<ActionRunnerTable> & { readonly version_of_queue: number | null }

const findRows = defineQuery((db: Db, { uuid }: { readonly uuid: string }) =>
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
    .where('action_runner.uuid', '=', uuid),
)

/** One statement, which every poll of every runner executes, cached until the next commit. */
export const findRunnerByUuid = (db: Db, uuid: string): Promise<RunnerRow | undefined> =>
  cachedUntilCommit(db, `runner ${uuid}`, async () => (await findRows(db, { uuid }))[0])
