import type { Db } from '../../../../core/db/database.ts'
import { type DomainEvent, type EventPayload, listEventsBetween } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import type { Repo } from '../../../repositories/index.ts'
import { findUserById } from '../../../accounts/index.ts'

type Deletion = 'action_run.deleted' | 'comment.deleted' | 'issue.deleted' | 'pull.deleted' | 'repo.deleted'

/** Deletions in a repository that are looked through: a message is built soon after its event. */
const LATER = 100

/**
 * The deletion of what the event is about, which has it as it was last; undefined when `isOf` finds none of it among the
 * next deletions of the repository.
 */
export async function findDeletion<Kind extends Deletion>(
  db: Db,
  { id, repoId }: Pick<DomainEvent, 'id' | 'repoId'>,
  kind: Kind,
  isOf: (payload: EventPayload<Kind>) => boolean,
): Promise<EventPayload<Kind> | undefined> {
  const rows = await listEventsBetween(db, { after: id, upTo: Number.MAX_SAFE_INTEGER, repoId, kinds: [kind] }, LATER)
  return rows.map((row) => JSON.parse(row.payload) as EventPayload<Kind>).find(isOf)
}

/** The repository as it was; undefined when its owner was deleted too. */
export async function deletedRepo(
  db: Db,
  { record, owner_id: ownerId }: EventPayload<'repo.deleted'>,
): Promise<Repo | undefined> {
  const owner = await findUserById(db, asId(ownerId))
  return record && owner && { ...record, owner }
}
