import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Database } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import { loadPreferences, type Preferences, savePreferences } from './user-settings.store.ts'
import { findUserById, updateUser, type User, type UserChanges } from '../user.store.ts'

interface OwnSettings {
  readonly user: User
  readonly preferences: Preferences
}

/** Absent members do not change; an empty text clears. */
interface SettingsChange {
  readonly fullName?: string | undefined
  readonly website?: string | undefined
  readonly description?: string | undefined
  readonly location?: string | undefined
  readonly pronouns?: string | undefined
  readonly language?: string | undefined
  readonly hideEmail?: boolean | undefined
  readonly theme?: string | undefined
  readonly diffViewStyle?: string | undefined
  readonly hideActivity?: boolean | undefined
  readonly repoUnitHints?: boolean | undefined
  readonly emailNotifications?: Preferences['emailNotifications'] | undefined
}

export type UserSettings = ReturnType<typeof createUserSettings>

/** A user's own settings (behaviour/users-and-admin#current-user). */
export function createUserSettings({ database, clock }: { database: Database; clock: Clock }) {
  return {
    async get(userId: UserId): Promise<OwnSettings> {
      const user = await findUserById(database.read, userId)
      if (user === undefined) throw notFound('the account was deleted')
      return { user, preferences: await loadPreferences(database.read, userId) }
    },

    change: (
      { account: { id: userId } }: SignedIn,
      { theme, diffViewStyle, hideActivity, repoUnitHints, emailNotifications, ...profile }: SettingsChange,
    ): Promise<OwnSettings> =>
      database.transaction(async (tx) => {
        // The update locks the row before the preferences in it are read.
        await updateUser(tx, userId, { ...columns(profile), updated_at: clock.now() })
        const preferences = {
          ...(await loadPreferences(tx, userId)),
          ...present({ theme, diffViewStyle, hideActivity, repoUnitHints, emailNotifications }),
        }
        await savePreferences(tx, userId, preferences)
        return { user: (await findUserById(tx, userId))!, preferences }
      }),
  }
}

function columns({
  fullName,
  website,
  description,
  location,
  pronouns,
  language,
  hideEmail,
}: SettingsChange): UserChanges {
  return present({
    full_name: fullName,
    website,
    description,
    location,
    pronouns,
    language,
    is_email_hidden: hideEmail === undefined ? undefined : flag(hideEmail),
  }) as UserChanges
}

const present = (members: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
