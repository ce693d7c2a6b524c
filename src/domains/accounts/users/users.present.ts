import type { Email, UserSettings } from './user.model.ts'
import type { EmailAddress, OwnedEmailAddress } from './emails/email.store.ts'
import type { Preferences } from './settings/user-settings.store.ts'
import type { User } from './user.store.ts'

/** COMPAT: the user's own list omits the user (test/accounts/users/emails.test.ts). */
export const presentOwnEmail = (address: EmailAddress): Email => present(address, 0, '')

export const presentEmail = (address: OwnedEmailAddress): Email => present(address, address.userId, address.userName)

const present = ({ email, isActivated, isPrimary }: EmailAddress, userId: number, userName: string): Email => ({
  email,
  verified: isActivated,
  primary: isPrimary,
  user_id: userId,
  username: userName,
})

export function presentUserSettings(
  { user, preferences }: { user: User; preferences: Preferences },
  defaults: { theme: string },
): UserSettings {
  return {
    full_name: user.fullName,
    website: user.website,
    description: user.description,
    location: user.location,
    pronouns: user.pronouns,
    language: user.language,
    theme: preferences.theme ?? defaults.theme,
    diff_view_style: preferences.diffViewStyle ?? '',
    hide_email: user.isEmailHidden,
    hide_pronouns: user.arePronounsHidden,
    hide_activity: preferences.hideActivity ?? false,
    email_notifications: preferences.emailNotifications ?? 'enabled',
    enable_repo_unit_hints: preferences.repoUnitHints ?? true,
  }
}
