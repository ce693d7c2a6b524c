import { readFileSync } from 'node:fs'
import { notFound } from '../core/platform/errors.ts'
import { commandLine, sourceCommands } from '../domains/accounts/index.ts'
import { type CommandInput, text, UsageError, type Values } from './command.ts'
import { readText } from './read-text.ts'
import { withCore } from './with-core.ts'

export async function addOidc({ values, config, print }: CommandInput): Promise<number> {
  const name = text(values, 'name')!
  const input = { kind: 'oidc', name, isActive: values['active'] !== false, settings: settingsOf(values) } as const
  const { id } = await withCore(config(), ({ signInSources }) => signInSources.create(commandLine, input))
  print(`Created the sign-in source ${name} with the id ${id}.`)
  return 0
}

export async function updateOidc({ values, config, print }: CommandInput): Promise<number> {
  const name = text(values, 'name')!
  const edit = {
    name: text(values, 'new-name'),
    isActive: values['active'] as boolean | undefined,
    settings: settingsOf(values),
  }
  await withCore(config(), async ({ signInSources }) => {
    const source = await signInSources.findByName(name)
    if (source?.kind !== 'oidc') throw notFound(`there is no sign-in source ${name} of the kind oidc`)
    await signInSources.edit(commandLine, source.id, edit)
  })
  print(`Changed the sign-in source ${name}.`)
  return 0
}

const MEMBERS = {
  issuer: 'issuer',
  'client-id': 'client_id',
  'client-secret': 'client_secret',
  registration: 'registration',
} as const

/** Options win over the file. */
function settingsOf(values: Values): object {
  const given = Object.entries(MEMBERS).flatMap(([option, member]): [string, string][] => {
    const value = text(values, option)
    return value === undefined ? [] : [[member, value]]
  })
  const secretFile = text(values, 'client-secret-file')
  if (secretFile !== undefined) given.push(['client_secret', readText(secretFile)])
  const file = text(values, 'settings')
  const fromFile = file === undefined ? {} : sourceCommands.readOidcOptions(readJson(file))
  return { ...fromFile, ...sourceCommands.readOidcOptions(Object.fromEntries(given)) }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${(error as Error).message}`)
  }
}
