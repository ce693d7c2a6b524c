import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { selectPage } from '../../../core/db/page.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { NodeTable } from './node.table.ts'

export type NodeRow = Selectable<NodeTable>

/** Inserts the row, or updates that of the same instance. */
export async function upsertNode(tx: Tx, row: NodeRow): Promise<void> {
  const { instance: _, ...facts } = row
  await tx
    .insertInto('node')
    .values(row)
    .onConflict((on) => on.column('instance').doUpdateSet(facts))
    .execute()
}

/** Does nothing when another process of the server now sends the heartbeats. */
export async function deleteOwnNode(
  tx: Tx,
  { instance, sender_pid }: Pick<NodeRow, 'instance' | 'sender_pid'>,
): Promise<void> {
  await tx.deleteFrom('node').where('instance', '=', instance).where('sender_pid', '=', sender_pid).execute()
}

/** Deletes rows of earlier runs of the node. */
export async function deleteEarlierRuns(
  tx: Tx,
  { instance, name, host }: Pick<NodeRow, 'host' | 'instance' | 'name'>,
): Promise<void> {
  await tx
    .deleteFrom('node')
    .where('name', '=', name)
    .where('host', '=', host)
    .where('instance', '<>', instance)
    .execute()
}

/** Deletes rows whose last heartbeat was before `time`. */
export async function deleteNodesBefore(tx: Tx, time: number): Promise<void> {
  await tx.deleteFrom('node').where('heartbeat_at', '<', time).execute()
}

/** Ordered by name. */
export const listNodes = (db: Db, paging: Paging): Promise<Page<NodeRow>> =>
  selectPage(db.selectFrom('node').selectAll().orderBy('name').orderBy('instance'), paging, (row) => row)
