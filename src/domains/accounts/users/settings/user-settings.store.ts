import type { Db, Tx } from '../../../../core/db/database.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'

/** Absent members have their default. The server uses `emailNotifications` alone and stores the others. */
export interface Preferences {
  readonly theme?: string
  readonly diffViewStyle?: string
  readonly hideActivity?: boolean
  readonly repoUnitHints?: boolean
  /** Mail about issues: all that notifies the user, mentions and assignments alone, or none. */
  readonly emailNotifications?: 'enabled' | 'onmention' | 'disabled'
}

export async function loadPreferences(db: Db, userId: UserId): Promise<Preferences> {
  const { settings } = await db.selectFrom('user').select('settings').where('id', '=', userId).executeTakeFirstOrThrow()
  return JSON.parse(settings) as Preferences
}

export async function savePreferences(tx: Tx, userId: UserId, preferences: Preferences): Promise<void> {
  await tx
    .updateTable('user')
    .set({ settings: JSON.stringify(preferences) })
    .where('id', '=', userId)
    .execute()
}
