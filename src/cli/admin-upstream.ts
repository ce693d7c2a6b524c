import type { CoreApp } from '../app/modules.ts'
import { notFound } from '../core/platform/errors.ts'
import { commandLine, type User } from '../domains/accounts/index.ts'
import { type CommandInput, text, UsageError } from './command.ts'
import { readText } from './read-text.ts'
import { withCore } from './with-core.ts'

const MAX_AGE_DAYS = 3650
const MAX_UPSTREAMS = 100

export async function listUpstreams({ values, config, print }: CommandInput): Promise<number> {
  await withCore(config(), async (core) => {
    const owner = await getOwner(core, text(values, 'owner')!)
    const { items } = await core.packageUpstreams.list(owner, { page: 1, limit: MAX_UPSTREAMS, offset: 0 })
    for (const { type, url, allowed, minAgeDays, isOffline } of items)
      print([type, url, allowed.join(','), minAgeDays, isOffline ? 'offline' : 'online'].join('\t'))
  })
  return 0
}

export async function setUpstream({ values, config, print }: CommandInput): Promise<number> {
  const passwordFile = text(values, 'password-file')
  const sent = {
    type: text(values, 'type')!,
    url: text(values, 'url')!,
    allowed: ((values['allow'] ?? []) as readonly string[]).map((pattern) => pattern.trim()),
    minAgeDays: readDays(text(values, 'min-age-days') ?? '0'),
    isOffline: values['offline'] === true,
    username: text(values, 'username') ?? '',
    password: passwordFile === undefined ? undefined : readText(passwordFile),
  }
  const { url } = await withCore(config(), async (core) =>
    core.packageUpstreams.save(commandLine, await getOwner(core, text(values, 'owner')!), sent),
  )
  print(`Packages of the type ${sent.type} are read from ${url} too.`)
  return 0
}

export async function deleteUpstream({ values, config, print }: CommandInput): Promise<number> {
  const type = text(values, 'type')!
  await withCore(config(), async (core) =>
    core.packageUpstreams.delete(commandLine, await getOwner(core, text(values, 'owner')!), type),
  )
  print(`Deleted the upstream of the type ${type}, and its copies.`)
  return 0
}

/** Throws NotFound. */
async function getOwner({ users }: Pick<CoreApp, 'users'>, name: string): Promise<User> {
  const owner = await users.findByName(name)
  if (owner === undefined) throw notFound(`there is no user or organization ${name}`)
  return owner
}

function readDays(given: string): number {
  if (!/^\d{1,4}$/.test(given) || Number(given) > MAX_AGE_DAYS)
    throw new UsageError(`--min-age-days needs a number up to ${MAX_AGE_DAYS}, got ${given}`)
  return Number(given)
}
