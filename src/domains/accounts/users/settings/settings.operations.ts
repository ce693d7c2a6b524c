import { ok } from '../../../../core/http/answer/answer.ts'
import { signedIn } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { UserSettings, UserSettingsOptions } from '../user.model.ts'
import { presentUserSettings } from '../users.present.ts'
import type { UserSettings as UserSettingsService } from './user-settings.service.ts'

interface Deps {
  /** The theme of users who have not chosen one. */
  readonly defaultTheme: string
  readonly userSettings: UserSettingsService
}

/** The settings of the signed-in user (behaviour/users-and-admin#current-user). */
export function userSettingsOperations({ defaultTheme, userSettings }: Deps): Operation[] {
  const common = {
    path: '/user/settings',
    area: 'user',
    scopes: ['user'],
    guard: signedIn,
    responses: { 200: UserSettings },
  } as const
  const defaults = { theme: defaultTheme }
  return [
    defineOperation({
      ...common,
      id: 'getUserSettings',
      method: 'GET',
      summary: 'Your settings',
      handler: async ({ access: { account } }) => ok(presentUserSettings(await userSettings.get(account.id), defaults)),
    }),
    defineOperation({
      ...common,
      id: 'updateUserSettings',
      method: 'PATCH',
      summary: 'Change your settings',
      body: UserSettingsOptions,
      errors: [422],
      async handler({ access, body }) {
        const { website, description, location, pronouns, language, theme } = body
        const settings = await userSettings.change(access, {
          profile: {
            fullName: body.full_name,
            website,
            description,
            location,
            pronouns,
            language,
            hideEmail: body.hide_email,
            hidePronouns: body.hide_pronouns,
          },
          preferences: {
            theme,
            diffViewStyle: body.diff_view_style,
            hideActivity: body.hide_activity,
            repoUnitHints: body.enable_repo_unit_hints,
            // An empty text selects the default, like for the other settings.
            emailNotifications:
              body.email_notifications === undefined ? undefined : body.email_notifications || 'enabled',
          },
        })
        return ok(presentUserSettings(settings, defaults))
      },
    }),
  ]
}
