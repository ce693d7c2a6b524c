import { type Members, members } from '../../../../core/platform/json-members.ts'
import { lineOf, linesOf } from '../../imports/sources/read.ts'
import {
  once,
  part,
  pick,
  send,
  type ServerContext,
  type ServerStep,
  sourceAccounts,
  sourceList,
} from '../server-context.ts'
import { repoPath } from './repo-imports.ts'
import type { ImportedRepo } from './repositories.step.ts'

/** A repository, an organization, an account or the site, where hooks, variables and secrets are. */
export interface Place {
  readonly id: string
  readonly name: string
  /** Prefixes of paths at the two servers. */
  readonly source: string
  readonly target: string
  /** The accounts to act as. */
  readonly sudo?: string
  readonly as?: string
}

/** Accounts and organizations. */
async function* places(context: ServerContext): AsyncGenerator<Place> {
  for await (const { id, login, name } of sourceAccounts(context, 'account'))
    yield { id: `user ${id}`, name: login, source: '/user', target: '/user', sudo: login, as: name }
  for await (const { id, login, name } of sourceAccounts(context, 'organization'))
    yield { id: `organization ${id}`, name: login, source: `/orgs/${part(login)}`, target: `/orgs/${part(name)}` }
}

export const placeOf = ({ id, fullName, path, importId }: ImportedRepo): Place => ({
  id: `repository ${id} ${importId}`,
  name: fullName,
  source: `/repos/${repoPath(fullName)}`,
  target: `/repos/${path}`,
})

const list = (context: ServerContext, { source, sudo }: Place, path: string): Promise<Members[]> =>
  sourceList(context, `${source}${path}${sudo === undefined ? '' : `?sudo=${part(sudo)}`}`)

/** Inactive until their secret is entered. */
export const hooksStep: ServerStep = {
  name: 'hooks',
  async run(context) {
    const site: Place = { id: 'site', name: 'the site', source: '/admin', target: '/admin' }
    await writeHooks(context, site)
    for await (const place of places(context)) await writeHooks(context, place)
  },
}

export async function writeHooks(context: ServerContext, place: Place): Promise<void> {
  const hooks = await list(context, place, '/hooks')
  if (hooks.length === 0) return
  const read = hooks.map(readHook)
  await once(context, { kind: 'hooks', id: place.id, target: place.target, value: read }, async () => {
    const path = `${place.target}/hooks`
    const own = new Set(
      (await context.target.list(path, place.as)).map((hook) => JSON.stringify(keyOf(readHook(hook)))),
    )
    for (const body of read) {
      const what = `hook ${body.config.url} of ${place.name}`
      context.report.secret(`${what}: it is inactive until its secret is entered`)
      if (!own.has(JSON.stringify(keyOf(body)))) await send(context, { method: 'POST', path, body, as: place.as, what })
    }
  })
}

function readHook(hook: Members) {
  const config = members(hook['config'])
  return {
    type: lineOf(hook['type']),
    config: { url: lineOf(config['url']), content_type: lineOf(config['content_type']) || 'json' },
    events: linesOf(hook['events']).toSorted(),
    branch_filter: lineOf(hook['branch_filter']),
    authorization_header: lineOf(hook['authorization_header']),
    active: false,
  }
}

const keyOf = ({ type, config, events }: ReturnType<typeof readHook>) => [type, config.url, events]

export const variablesStep: ServerStep = {
  name: 'variables',
  async run(context) {
    for await (const place of places(context)) await writeVariables(context, place)
  },
}

export async function writeVariables(context: ServerContext, place: Place): Promise<void> {
  const variables = await list(context, place, '/actions/variables')
  const read = variables.map((variable) => pick(variable, ['name', 'data', 'description']))
  if (read.length === 0) return
  await once(context, { kind: 'variables', id: place.id, target: place.target, value: read }, async () => {
    const own = new Set(
      (await context.target.list(`${place.target}/actions/variables`, place.as)).map(({ name }) => name),
    )
    for (const { name, data, description } of read) {
      const path = `${place.target}/actions/variables/${part(String(name))}`
      const method = own.has(name) ? 'PUT' : 'POST'
      const what = `variable ${String(name)} of ${place.name}`
      await send(context, { method, path, body: { value: data ?? '', description }, as: place.as, what })
    }
  })
}

export const secretsStep: ServerStep = {
  name: 'secrets',
  async run(context) {
    for await (const place of places(context)) await reportSecrets(context, place)
  },
}

/** Names of secrets of Actions, of which the values cannot be read; those of accounts have no list. */
export async function reportSecrets(context: ServerContext, place: Place): Promise<void> {
  if (place.source === '/user') return
  for (const secret of await list(context, place, '/actions/secrets'))
    context.report.secret(`secret ${lineOf(secret['name'])} of ${place.name}`)
}

export const packagesStep: ServerStep = {
  name: 'packages',
  async run(context) {
    for (const kind of ['account', 'organization'] as const)
      for await (const { login } of sourceAccounts(context, kind)) {
        const count = await context.source.count(`/packages/${part(login)}`, context.signal).catch(() => undefined)
        if (count !== undefined && count > 0)
          context.report.omit(`${count} packages of ${login}: packages are not imported`)
      }
  },
}
