import { lineOf, countOf } from '../../imports/sources/read.ts'
import { grantAccess, removeAccess } from '../access.ts'
import {
  isStillEmpty,
  knownList,
  once,
  part,
  pick,
  type ServerContext,
  type ServerStep,
  sourceAccounts,
  sourceList,
} from '../server-context.ts'
import { importHooks, readHook, reportInactive } from './import-hooks.ts'
import { pathOf, type Place } from './place.ts'
import { repoPath } from './repo-imports.ts'
import type { ImportedRepo } from './repositories.step.ts'

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
  const hooks = await knownList(context, pathOf(place, '/hooks'))
  const unit = { kind: 'hooks', id: place.id, target: place.target }
  if (hooks === undefined || (await isStillEmpty(context, unit, hooks))) return
  const read = hooks.map((hook) => ({ id: String(countOf(hook['id'])), body: readHook(hook) }))
  await once(context, { ...unit, value: read }, () => importHooks(context, place, read))
  await reportInactive(context, place)
}

const VARIABLES = '/actions/variables'

export const variablesStep: ServerStep = {
  name: 'variables',
  async run(context) {
    for await (const place of places(context)) await writeVariables(context, place)
  },
}

export async function writeVariables(context: ServerContext, place: Place): Promise<void> {
  const variables = await knownList(context, pathOf(place, VARIABLES))
  const unit = { kind: 'variables', id: place.id, target: place.target }
  if (variables === undefined || (await isStillEmpty(context, unit, variables))) return
  const read = variables.map((variable) => pick(variable, ['name', 'data', 'description']))
  await once(context, { ...unit, value: read }, async () => {
    const { target, as } = place
    const path = `${target}${VARIABLES}`
    const at = (name: string) => ({ path: `${path}/${part(name)}`, what: `variable ${name} of ${place.name}`, as })
    const ours = async () =>
      new Map((await context.target.list(path, as)).map(({ name }) => [lineOf(name), at(lineOf(name))]))
    const own = await ours()
    const theirs = new Map(
      read.map(({ name, data, description }) => {
        const body = { value: data ?? '', description }
        return [lineOf(name), { ...at(lineOf(name)), method: own.has(lineOf(name)) ? 'PUT' : 'POST', body } as const]
      }),
    )
    const access = { kind: `variables ${place.id}`, theirs, ours }
    await grantAccess(context, access)
    await removeAccess(context, access)
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
  for (const secret of await sourceList(context, pathOf(place, '/actions/secrets')))
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
