import type { UserSettings } from './user-settings.model.ts'
import type { Preferences } from './user-settings.store.ts'
import type { User } from '../user.store.ts'

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
    hide_activity: preferences.hideActivity ?? false,
    email_notifications: preferences.emailNotifications ?? 'enabled',
    enable_repo_unit_hints: preferences.repoUnitHints ?? true,
  }
}
