import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import { createEmails, createFollows, createTokens, createUsers, createUserSettings, type Emails, type Follows, type Tokens, type Users, type UserSettings } from '../domain/users/index.ts'
import type { Clock } from '../platform/clock.ts'

export interface UserServices {
  readonly emails: Emails
  readonly follows: Follows
  readonly tokens: Tokens
  readonly users: Users
  readonly userSettings: UserSettings
}

/** Accounts and what belongs to one alone. */
export function createUserServices({ config, ...core }: { readonly config: Config; readonly database: Database; readonly clock: Clock }): UserServices {
  const { service, security } = config
  return {
    emails: createEmails(core),
    follows: createFollows(core),
    tokens: createTokens(core),
    users: createUsers({
      ...core,
      passwordRules: { minLength: security.min_password_length, complexity: security.password_complexity },
      defaultVisibility: service.default_user_visibility,
      loginSources: service.login_sources.map(Number),
    }),
    userSettings: createUserSettings(core),
  }
}
