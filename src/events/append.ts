import { afterCommit, type Tx } from '../db/database.ts'
import { tellActivity } from '../subjects/social/activity.projection.ts'
import type { EventKind, EventPayload } from './catalog.ts'

export interface EventOrigin {
  /** 0 when nobody did it. */
  readonly actorId: number
  /** 0 when it belongs to no repository. */
  readonly repoId: number
  readonly at: number
}

type Listener = () => void
const listeners = new Set<Listener>()

/** Calls `listener` whenever events were committed by this process; gives the function that stops it. */
export function onAppended(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Writes an event with the change it tells of; subscribers get it after commit, at least once, in order per repository.
 */
export async function appendEvent<Kind extends EventKind>(
  tx: Tx,
  kind: Kind,
  origin: EventOrigin,
  payload: EventPayload<Kind>,
): Promise<void> {
  const row = {
    kind,
    repo_id: origin.repoId,
    actor_id: origin.actorId,
    payload: JSON.stringify(payload),
    created_at: origin.at,
  }
  const { id } = await tx
    .insertInto('event')
    .values({ ...row, dispatched_at: 0, attempts: 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tellActivity(tx, { id, kind, origin, payload })
  afterCommit(tx, () => {
    for (const listener of listeners) listener()
  })
}
