import type { Tx } from '../../../core/db/database.ts'
import type { Subscriptions } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'

/** Deletes the images of deleted accounts and repositories. */
export function avatarSubscriptions(jobs: Jobs): Subscriptions {
  const sweep = (tx: Tx): Promise<void> => jobs.enqueue(tx, 'avatars.sweep', {}, { key: 'all' })
  return { 'user.deleted': sweep, 'org.deleted': sweep, 'repo.deleted': sweep }
}
