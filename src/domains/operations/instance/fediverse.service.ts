import { ANONYMOUS } from '../../../core/access/viewer.ts'
import type { Database } from '../../../core/db/database.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { badRequest, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { type User, userQueries, ownerQueries } from '../../accounts/index.ts'
import { countActiveUsers, countActivitiesOfKind, findUserByPublicEmail } from './usage.store.ts'

/** Usage statistics of the server. */
interface Usage {
  readonly users: number
  readonly activeMonth: number
  readonly activeHalfyear: number
  readonly posts: number
  readonly comments: number
}

export interface FediverseSettings {
  readonly enabled: boolean
  readonly sharesStatistics: boolean
  /** Public host and port of the server. */
  host(): string
}

const NONE: Usage = { users: 0, activeMonth: 0, activeHalfyear: 0, posts: 0, comments: 0 }
const FRESH_MS = 3 * 60_000
const DAY_MS = 24 * 60 * 60_000

export type Fediverse = ReturnType<typeof createFediverse>

/**
 * Answers to other servers: usage statistics, and accounts by handle
 * (behaviour/users-and-admin#miscellaneous-endpoints). All functions throw NotFound when federation is disabled.
 */
export function createFediverse({
  database,
  clock,
  settings,
}: {
  database: Database
  clock: Clock
  settings: FediverseSettings
}) {
  const { read } = database
  let cached: { readonly usage: Usage; readonly at: number } | undefined
  const requireOn = (): void => {
    if (!settings.enabled) throw notFound('federation is off')
  }
  return {
    requireOn,

    /** Zeros unless the site shares statistics; cached for up to three minutes. */
    async usage(): Promise<Usage> {
      requireOn()
      if (!settings.sharesStatistics) return NONE
      const now = clock.now()
      if (cached === undefined || now - cached.at >= FRESH_MS) {
        const usage = {
          users: await userQueries.count(read),
          activeMonth: await countActiveUsers(read, now - 30 * DAY_MS),
          activeHalfyear: await countActiveUsers(read, now - 180 * DAY_MS),
          posts: await countActivitiesOfKind(read, ['create_issue', 'create_pull_request']),
          comments: await countActivitiesOfKind(read, ['comment_issue', 'comment_pull']),
        }
        cached = { usage, at: now }
      }
      return cached.usage
    },

    /**
     * Finds an account by `acct:name@host` or `mailto:address`. Throws bad-request for another scheme or host, NotFound
     * for accounts that anonymous clients may not see.
     */
    async find(resource: string): Promise<User> {
      requireOn()
      const [, scheme, rest] = /^(acct|mailto):(.+@.+)$/i.exec(resource) ?? []
      if (scheme === undefined || rest === undefined)
        throw badRequest('resource must be acct:name@host or mailto:address')
      const user = scheme.toLowerCase() === 'mailto' ? await findUserByPublicEmail(read, rest) : undefined
      if (scheme.toLowerCase() === 'mailto') {
        if (user === undefined) throw errors.userNotFound()
        return ownerQueries.getInView(read, ANONYMOUS, user.name)
      }
      const at = rest.lastIndexOf('@')
      if (rest.slice(at + 1).toLowerCase() !== settings.host().toLowerCase())
        throw badRequest('the resource belongs to another host')
      return ownerQueries.getInView(read, ANONYMOUS, rest.slice(0, at))
    },
  }
}
