import { systemClock } from '../core/platform/clock.ts'
import { commandLine } from '../domains/accounts/index.ts'
import { parseDuration } from '../core/platform/duration.ts'
import { type CommandInput, text, UsageError } from './command.ts'
import { requireUser, withCore } from './with-core.ts'

const DAY_MS = 86_400_000

/** Prints only the token, for scripts. */
export async function createToken({ values, config, print }: CommandInput): Promise<number> {
  const username = text(values, 'username')!
  const input = {
    name: text(values, 'name')!,
    scopes: [text(values, 'scopes')!],
    expiresAt: parseExpiry(text(values, 'expires')),
    repositories: text(values, 'repositories')
      ?.split(',')
      .map((name) => name.trim()),
  }
  const value = await withCore(config(), async (core) => {
    const user = await requireUser(core, username)
    return (await core.tokens.create(commandLine, user.id, input)).value
  })
  print(value)
  return 0
}

/** Returns the epoch milliseconds of a date, a time or a duration from now. */
function parseExpiry(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const days = /^(\d{1,6})d$/.exec(given)?.[1]
  const span = days === undefined ? parseDuration(given) : Number(days) * DAY_MS
  if (span !== undefined) return systemClock.now() + span
  const time = /^\d{4}-\d\d-\d\d/.test(given) ? Date.parse(given) : Number.NaN
  if (Number.isNaN(time))
    throw new UsageError(`--expires is ${given}; allowed: a duration such as 30d or 12h, a date or a time in RFC 3339`)
  return time
}
