import type { Db, Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Visibility } from '../../../../core/access/viewer.ts'
import { updateUser, type UserChanges } from '../user.store.ts'

/** Absent members have their default. The server uses only `emailNotifications`, and stores the others for clients. */
export interface Preferences {
  readonly theme?: string
  readonly diffViewStyle?: string
  readonly hideActivity?: boolean
  readonly repoUnitHints?: boolean
  /** Mail about issues: all notifications, only mentions and assignments, or none. */
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

/** Absent members are unchanged; an empty text clears a member. */
export interface ProfileChange {
  readonly fullName?: string | undefined
  readonly email?: string | undefined
  readonly website?: string | undefined
  readonly description?: string | undefined
  readonly location?: string | undefined
  readonly pronouns?: string | undefined
  readonly language?: string | undefined
  readonly visibility?: Visibility | undefined
  readonly hideEmail?: boolean | undefined
  readonly hidePronouns?: boolean | undefined
  readonly repoAdminChangeTeamAccess?: boolean | undefined
}

/** Changes the profile of a user or organization. Throws NotFound when a concurrent request deleted it. */
export async function changeProfile(tx: Tx, id: UserId, change: ProfileChange, at: number): Promise<void> {
  const { hideEmail, hidePronouns, repoAdminChangeTeamAccess: teamAccess } = change
  const columns = {
    full_name: change.fullName,
    email: change.email,
    website: change.website,
    description: change.description,
    location: change.location,
    pronouns: change.pronouns,
    language: change.language,
    visibility: change.visibility,
    is_email_hidden: hideEmail === undefined ? undefined : flag(hideEmail),
    are_pronouns_hidden: hidePronouns === undefined ? undefined : flag(hidePronouns),
    repo_admin_change_team_access: teamAccess === undefined ? undefined : flag(teamAccess),
    updated_at: at,
  }
  const changed = Object.entries(columns).filter(([, value]) => value !== undefined)
  await updateUser(tx, id, Object.fromEntries(changed) as UserChanges)
}
