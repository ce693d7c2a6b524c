import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { createHostGuard, createOutgoingClient } from '../platform/outgoing/index.ts'
import { createTokens, type Tokens } from '../subjects/sign-in/tokens.service.ts'
import { createEmails, type Emails } from '../subjects/users/emails.service.ts'
import { createFollows, type Follows } from '../subjects/users/follows.service.ts'
import { createLeakedPasswords, type LeakedPasswords } from '../subjects/users/leaked-passwords.ts'
import { createUserSettings, type UserSettings } from '../subjects/users/user-settings.service.ts'
import { createUsers, type Users } from '../subjects/users/users.service.ts'

export interface UserServices {
  readonly emails: Emails
  readonly follows: Follows
  readonly tokens: Tokens
  readonly users: Users
  readonly userSettings: UserSettings
}

/** Accounts and what belongs to one alone. */
export function createUserServices({
  config,
  log,
  ...core
}: {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
}): UserServices {
  const { service, security } = config
  return {
    emails: createEmails(core),
    follows: createFollows(core),
    tokens: createTokens(core),
    users: createUsers({
      ...core,
      passwordRules: { minLength: security.min_password_length, complexity: security.password_complexity },
      leakedPasswords: leakedPasswords(config, log),
      defaultVisibility: service.default_user_visibility,
      loginSources: service.login_sources.map(Number),
    }),
    userSettings: createUserSettings(core),
  }
}

/** NOTE: the operator names the service, so that its host is allowed wherever it is, and no other. */
function leakedPasswords({ security }: Config, log: Logger): LeakedPasswords | undefined {
  if (!security.password_check_pwn) return undefined
  const url = security.password_pwn_url
  const guard = createHostGuard(new URL(url).hostname.replaceAll(/[[\]]/g, ''))
  return createLeakedPasswords({ client: createOutgoingClient({ guard, userAgent: 'ingot' }), url, log })
}
