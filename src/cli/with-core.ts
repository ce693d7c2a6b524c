import { type CoreApp, createCore } from '../app/modules.ts'
import type { Config } from '../core/config/index.ts'
import { notFound } from '../core/platform/errors.ts'
import type { User } from '../domains/accounts/index.ts'

/** Runs work on the application without a server, and always closes it. */
export async function withCore<T>(
  config: Config,
  work: (core: CoreApp) => Promise<T>,
  options: { exclusive?: boolean } = {},
): Promise<T> {
  const quiet = { ...config, log: { ...config.log, level: 'warn' as const } }
  const core = await createCore(quiet, options)
  try {
    return await work(core)
  } finally {
    await core.close()
  }
}

/** Throws NotFound; organizations are not users. */
export async function requireUser({ users }: Pick<CoreApp, 'users'>, name: string): Promise<User> {
  const user = await users.findByName(name)
  if (user?.kind !== 'individual') throw notFound(`there is no user ${name}`)
  return user
}
