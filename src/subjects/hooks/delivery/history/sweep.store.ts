import type { Database, Tx } from '../../../../db/database.ts'

const BATCH = 1000

/** Deletes up to 1000 deliveries that ended before then; returns how many. */
export async function deleteEndedBefore(tx: Tx, time: number): Promise<number> {
  const ids = tx
    .selectFrom('hook_delivery')
    .select('id')
    .where('finished_at', '>', 0)
    .where('finished_at', '<', time)
    .limit(BATCH)
  return deleted(await tx.deleteFrom('hook_delivery').where('id', 'in', ids).executeTakeFirstOrThrow())
}

/** Webhooks with more deliveries that ended than are kept. */
export async function listHooksWithMore(db: Database['read'], kept: number): Promise<number[]> {
  const rows = await db
    .selectFrom('hook_delivery')
    .select('hook_id')
    .where('state', 'in', ['delivered', 'dead'])
    .groupBy('hook_id')
    .having((eb) => eb(eb.fn.countAll(), '>', kept))
    .execute()
  return rows.map((row) => row.hook_id)
}

/** Deletes up to 1000 of a webhook's deliveries that ended, but the latest `kept`; returns how many. */
export async function deleteEndedBut(tx: Tx, hookId: number, kept: number): Promise<number> {
  const first = await tx
    .selectFrom('hook_delivery')
    .select('id')
    .where('hook_id', '=', hookId)
    .where('state', 'in', ['delivered', 'dead'])
    .orderBy('id', 'desc')
    .offset(kept)
    .limit(1)
    .executeTakeFirst()
  if (first === undefined) return 0
  const ids = tx
    .selectFrom('hook_delivery')
    .select('id')
    .where('hook_id', '=', hookId)
    .where('state', 'in', ['delivered', 'dead'])
    .where('id', '<=', first.id)
    .limit(BATCH)
  return deleted(await tx.deleteFrom('hook_delivery').where('id', 'in', ids).executeTakeFirstOrThrow())
}

/** Deletes up to 1000 messages that no delivery has any more; returns how many. */
export async function deleteUnusedMessages(tx: Tx, before: number): Promise<number> {
  const ids = tx
    .selectFrom('hook_message')
    .select('hook_message.id')
    .where('hook_message.created_at', '<', before)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('hook_delivery')
            .select('hook_delivery.id')
            .whereRef('hook_delivery.message_id', '=', 'hook_message.id'),
        ),
      ),
    )
    .limit(BATCH)
  return deleted(await tx.deleteFrom('hook_message').where('id', 'in', ids).executeTakeFirstOrThrow())
}

/** Forgets servers of which nothing was heard since then. */
export async function deleteForgottenOrigins(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom('hook_origin').where('retry_at', '>', 0).where('retry_at', '<', before).execute()
}

const deleted = ({ numDeletedRows }: { readonly numDeletedRows: bigint }): number => Number(numDeletedRows)
