import type { Config } from '../../../core/config/index.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import { createHostGuard, createOutgoingClient } from '../../../core/platform/outgoing/index.ts'
import { defineModule } from '../../../core/module.ts'
import { adminUserOperations } from './admin-users.operations.ts'
import { userBlockOperations } from './blocks/blocks.operations.ts'
import { type Blocks, createBlocks } from './blocks/blocks.service.ts'
import { emailOperations } from './emails/emails.operations.ts'
import { createEmails, type Emails } from './emails/emails.service.ts'
import { followOperations } from './follows/follow.operations.ts'
import { createFollows, type Follows } from './follows/follows.service.ts'
import { createLeakedPasswords, type LeakedPasswords } from './passwords/leaked-passwords.service.ts'
import { userSettingsOperations } from './settings/settings.operations.ts'
import { createUserSettings } from './settings/user-settings.service.ts'
import { createUserGuards, type UserGuards } from './user.guards.ts'
import { userEvents } from './users.events.ts'
import { userOperations } from './users.operations.ts'
import { createUsers, type Users } from './users.service.ts'
import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { subtractFollowsOf } from './accounts/user-deletion.store.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly blocks: Blocks
    readonly emails: Emails
    readonly follows: Follows
    readonly users: Users
  }
  interface Guards extends UserGuards {}
}

/** Accounts: profiles, e-mail addresses, passwords, settings, follows and blocks. */
export const module = defineModule({
  name: 'users',
  needs: [],
  create({ config, database, clock, log, events, passwords, site }) {
    const { api, service, ui } = config
    const blocks = createBlocks({ database, clock, events })
    const emails = createEmails({ database, clock, events })
    const follows = createFollows({ database, clock, events })
    const users = createUsers({ database, clock, events, passwords, ...accountRules(config, log) })
    const userSettings = createUserSettings({ database, clock })
    const guards = createUserGuards(users)
    const searchRules = {
      wrapsResults: api.users_search_results,
      requiresSignIn: service.explore_require_signin_view,
      isOff: service.explore_disable_users_page,
    }
    return {
      services: { blocks, emails, follows, users },
      guards,
      operations: [
        ...adminUserOperations({ guards, site, users }),
        ...emailOperations({ guards, emails }),
        ...followOperations({ follows, guards, site, users }),
        ...userBlockOperations({ blocks, site }),
        ...userOperations({ guards, rules: searchRules, site, users }),
        ...userSettingsOperations({ defaultTheme: ui.default_theme, userSettings }),
      ],
      events: userEvents,
      projections: userDeletingProjections,
    }
  },
})

function accountRules(config: Config, log: Logger) {
  const { security, service } = config
  return {
    passwordRules: { minLength: security.min_password_length, complexity: security.password_complexity },
    leakedPasswords: leakedPasswords(config, log),
    defaultVisibility: service.default_user_visibility,
    loginSources: service.login_sources,
  }
}

/** NOTE: the host guard allows only the configured host, even in a private network. */
function leakedPasswords({ security }: Config, log: Logger): LeakedPasswords | undefined {
  if (!security.password_check_pwn) return undefined
  const url = security.password_pwn_url
  const guard = createHostGuard(new URL(url).hostname.replaceAll(/[[\]]/g, ''), 'security.password_pwn_url')
  return createLeakedPasswords({ client: createOutgoingClient({ guard, userAgent: 'ingot' }), url, log })
}

/** Subtracts an account from the counters of other users before its deletion. */
const userDeletingProjections: Projections = {
  'user.deleting': (tx, { payload }) => subtractFollowsOf(tx, asId(payload.user_id)),
}
