import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Database } from '../../../../core/db/database.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import { errors } from '../../../errors.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import {
  changeProfile,
  loadPreferences,
  type Preferences,
  type ProfileChange,
  savePreferences,
} from './user-settings.store.ts'
import { findUserById, type User } from '../user.store.ts'

interface OwnSettings {
  readonly user: User
  readonly preferences: Preferences
}

type OwnProfile = Omit<ProfileChange, 'email' | 'visibility' | 'repoAdminChangeTeamAccess'>

/** Absent members are unchanged. */
interface SettingsChange {
  readonly profile: OwnProfile
  readonly preferences: { readonly [Name in keyof Preferences]: Preferences[Name] | undefined }
}

export type UserSettings = ReturnType<typeof createUserSettings>

/** A user's own settings (behaviour/users-and-admin#current-user). */
export function createUserSettings({ database, clock }: { database: Database; clock: Clock }) {
  return {
    async get(userId: UserId): Promise<OwnSettings> {
      const user = await findUserById(database.read, userId)
      if (user === undefined) throw errors.accountDeleted()
      return { user, preferences: await loadPreferences(database.read, userId) }
    },

    change: (
      { account: { id: userId } }: SignedIn,
      { profile, preferences: changed }: SettingsChange,
    ): Promise<OwnSettings> =>
      database.transaction(async (tx) => {
        // The update locks the row before its preferences are read.
        await changeProfile(tx, userId, profile, clock.now())
        const preferences = { ...(await loadPreferences(tx, userId)), ...present(changed) }
        await savePreferences(tx, userId, preferences)
        return { user: (await findUserById(tx, userId))!, preferences }
      }),
  }
}

const present = (members: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
