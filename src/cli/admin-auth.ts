import { commandLine, sourceCommands } from '../domains/accounts/index.ts'
import { asId, type SignInSourceId } from '../core/platform/crypto/ids.ts'
import { wireTime } from '../core/platform/clock.ts'
import { type CommandInput, text, UsageError, type Values } from './command.ts'
import { readText } from './read-text.ts'
import { withCore } from './with-core.ts'

const PAGE = 100
/** Options whose values are settings as they are. */
const TEXTS: Readonly<Record<string, string>> = {
  host: 'host',
  'security-protocol': 'security',
  'bind-dn': 'bind_dn',
  'bind-password': 'bind_password',
  'user-dn': 'user_dn',
  'user-search-base': 'user_search_base',
  'user-filter': 'user_filter',
  'admin-filter': 'admin_filter',
  'restricted-filter': 'restricted_filter',
  'username-attribute': 'username_attribute',
  'email-attribute': 'email_attribute',
  'full-name-attribute': 'full_name_attribute',
  'public-ssh-key-attribute': 'ssh_key_attribute',
  'subject-attribute': 'subject_attribute',
  'group-search-base': 'group_search_base',
  'group-filter': 'group_filter',
  'group-member-attribute': 'group_member_attribute',
  'group-member-value': 'group_member_value',
}
const FLAGS: Readonly<Record<string, string>> = {
  'nested-groups': 'nested_groups',
  'remove-from-teams': 'remove_from_teams',
  'create-accounts': 'create_accounts',
  synchronize: 'synchronize',
}
const NUMBERS: Readonly<Record<string, { readonly setting: string; readonly most: number }>> = {
  port: { setting: 'port', most: 65_535 },
  'page-size': { setting: 'page_size', most: 1000 },
}
const FILES: Readonly<Record<string, string>> = {
  'ca-file': 'ca_certificates',
  'bind-password-file': 'bind_password',
}
const SECURITY = ['unencrypted', 'starttls', 'ldaps']

export async function listSources({ config, print }: CommandInput): Promise<number> {
  await withCore(config(), async ({ signInSources }) => {
    for (let page = 1, left = 1; left > 0; page++) {
      const paging = { page, limit: PAGE, offset: (page - 1) * PAGE }
      const { items, total } = await signInSources.list(paging)
      for (const { id, kind, name, isActive, synchronized } of items) {
        const last = synchronized === undefined ? '' : wireTime(synchronized.at)
        print([id, kind, name, isActive ? 'active' : 'inactive', last].join('\t'))
      }
      left = total - page * PAGE
    }
  })
  return 0
}

export async function addLdap({ values, config, print }: CommandInput): Promise<number> {
  const name = text(values, 'name')!
  const settings = readSettings(values)
  const isActive = booleanOf(values, 'active')
  const { id } = await withCore(config(), ({ signInSources }) =>
    signInSources.create(commandLine, { kind: 'ldap', name, isActive, settings }),
  )
  print(String(id))
  return 0
}

export async function updateLdap({ values, config, print }: CommandInput): Promise<number> {
  const id = readId(values)
  const settings = readSettings(values)
  await withCore(config(), async ({ signInSources }) => {
    const source = await signInSources.getDirectory(id)
    await signInSources.edit(commandLine, source.id, {
      name: text(values, 'name'),
      isActive: booleanOf(values, 'active'),
      settings,
    })
  })
  print('The sign-in source is changed.')
  return 0
}

export async function deleteSource({ values, config, print }: CommandInput): Promise<number> {
  const id = readId(values)
  await withCore(config(), ({ signInSources }) => signInSources.delete(commandLine, id))
  print('The sign-in source is deleted.')
  return 0
}

export async function testSource({ values, config, print }: CommandInput): Promise<number> {
  const id = readId(values)
  const file = text(values, 'password-file')
  const tested = { login: text(values, 'login'), password: file && readText(file) }
  const result = await withCore(config(), async ({ signInSources, sourceTest }) =>
    sourceTest(await signInSources.get(id), tested),
  )
  const { ok, message, person } = sourceCommands.presentTest(result)
  print(message)
  if (person !== null) print(JSON.stringify(person, undefined, 2))
  return ok ? 0 : 1
}

export async function synchronizeSource({ values, config, print }: CommandInput): Promise<number> {
  const id = readId(values)
  const report = await withCore(config(), ({ directorySync }) => directorySync.run(id))
  const { entries, created, updated, deactivated, skipped, problems, isComplete } = report
  print(`entries ${entries}, created ${created}, updated ${updated}, deactivated ${deactivated}, skipped ${skipped}`)
  for (const problem of problems) print(problem)
  if (!isComplete) print('The directory did not give all entries: no account was deactivated.')
  return isComplete ? 0 : 1
}

function readId(values: Values): SignInSourceId {
  const id = text(values, 'id') ?? ''
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new UsageError(`--id needs a number, got ${id}`)
  return asId(Number(id))
}

const booleanOf = (values: Values, name: string): boolean | undefined => {
  const value = values[name]
  return typeof value === 'boolean' ? value : undefined
}

function readSettings(values: Values): Record<string, unknown> {
  const settings: Record<string, unknown> = {}
  for (const [option, setting] of Object.entries(TEXTS)) settings[setting] = text(values, option)
  for (const [option, setting] of Object.entries(FLAGS)) settings[setting] = booleanOf(values, option)
  for (const [option, { setting, most }] of Object.entries(NUMBERS))
    settings[setting] = readNumber(values, option, most)
  for (const [option, setting] of Object.entries(FILES)) {
    const file = text(values, option)
    if (file !== undefined) settings[setting] = readText(file)
  }
  const security = settings['security'] as string | undefined
  if (security !== undefined && !SECURITY.includes(security))
    throw new UsageError(`--security-protocol needs ${SECURITY.join(', ')}, got ${security}`)
  settings['group_teams'] = readTeams(values)
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

function readNumber(values: Values, option: string, most: number): number | undefined {
  const given = text(values, option)
  if (given === undefined) return undefined
  const number = /^\d{1,6}$/.test(given) ? Number(given) : 0
  if (number < 1 || number > most) throw new UsageError(`--${option} needs a number from 1 to ${most}, got ${given}`)
  return number
}

function readTeams(values: Values): object[] | undefined {
  const given = values['group-team'] as readonly string[] | undefined
  return given?.map((pair) => {
    const [, organization, team, group] = /^([^/=]+)\/([^/=]+)=(.+)$/.exec(pair) ?? []
    if (group === undefined) throw new UsageError(`--group-team needs ORG/TEAM=DN, got ${pair}`)
    return { group, organization, team }
  })
}
