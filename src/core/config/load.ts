import { readFileSync } from 'node:fs'
import { Value } from '@sinclair/typebox/value'
import type { TSchema } from '@sinclair/typebox'
import { parse as parseToml, TomlError } from 'smol-toml'
import { type Config, configSchema, environmentName, listSettings, type Setting } from './schema.ts'

const HEADER = /^\s*\[\s*([\w.-]+)\s*\]/
const MEMBER = /^\s*([\w.-]+)\s*=/
const QUOTES = /"""|'''/g

/**
 * The lines of each section (`server`) and setting (`server.port`) in a TOML file, counted from 1. The first occurrence
 * counts. Quoted keys and members of inline tables are absent.
 */
export function tomlLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  let section = ''
  let isInText = false
  text.split('\n').forEach((line, index) => {
    const header = isInText ? undefined : HEADER.exec(line)?.[1]
    const member = isInText ? undefined : MEMBER.exec(line)?.[1]
    if (header !== undefined) section = header
    const path = header ?? (member !== undefined && section !== '' ? `${section}.${member}` : member)
    if (path !== undefined && !lines.has(path)) lines.set(path, index + 1)
    if ((line.match(QUOTES)?.length ?? 0) % 2 === 1) isInText = !isInText
  })
  return lines
}

/** Invalid settings; each problem contains the key, its source, the value and the allowed values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(
      problems.length === 1
        ? problems[0]
        : `${problems.length} problems in the configuration:${problems.map((problem) => `\n  ${problem}`).join('')}`,
    )
    this.problems = problems
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

export interface ConfigSources {
  /** Path of a TOML file; defaults to `INGOT_CONFIG`. */
  readonly file?: string | undefined
  readonly environment?: Environment
  /** Settings by dotted name from command-line flags, which override all other sources. */
  readonly flags?: Readonly<Record<string, string | undefined>>
}

type Tree = Record<string, unknown>

/** A configuration during loading: values, their sources if they are not defaults, and problems. */
interface Reading {
  readonly tree: Tree
  readonly problems: string[]
  /** `FILE:LINE` of a section or setting of the file. */
  locationOf(path: string): string | undefined
}

/** Applies defaults, then the file, then the environment, then flags. Throws one ConfigError with all problems. */
export function loadConfig(sources: ConfigSources = {}): Config {
  const environment = sources.environment ?? {}
  const flags = sources.flags ?? {}
  const file = sources.file ?? environment['INGOT_CONFIG']
  const reading = file === undefined ? emptyReading() : readToml(file)
  const { tree, problems } = reading
  for (const name of unknownKeys(tree)) problems.push(`${reading.locationOf(name) ?? file}: ${describeUnknown(name)}`)
  for (const name of unknownVariables(environment)) problems.push(describeUnknownVariable(name))
  for (const name of unknownFlags(flags)) problems.push(`--set: ${describeUnknown(name)}`)
  const sourceOf = new Map<string, string>()
  for (const setting of listSettings()) {
    const variable = environmentName(setting)
    for (const [text, from] of [
      [environment[variable], variable],
      [flags[setting.path], `--${setting.path}`],
    ] as const) {
      if (text === undefined) continue
      sourceOf.set(setting.path, from)
      const value = parseText(setting, text)
      if (value === undefined) problems.push(`${from}: ${setting.path} is ${shown(setting, text)}`)
      else assign(tree, setting, value)
    }
  }
  listenForHttps(tree)
  const full = Value.Default(configSchema, withSections(tree))
  problems.push(...wrongValues(full, (path) => sourceOf.get(path) ?? reading.locationOf(path)))
  if (problems.length > 0) throw new ConfigError(problems)
  return full as Config
}

const emptyReading = (...problems: string[]): Reading => ({ tree: {}, problems, locationOf: () => undefined })

function readToml(file: string): Reading {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return emptyReading(`cannot read the configuration file ${file}: ${(error as Error).message}`)
  }
  try {
    const tree = parseToml(text) as Tree
    const lines = tomlLines(text)
    return { tree, problems: [], locationOf: (path) => (lines.has(path) ? `${file}:${lines.get(path)}` : file) }
  } catch (error) {
    const location = error instanceof TomlError ? `${file}:${error.line}` : file
    return emptyReading(`${location}: ${(error as Error).message.split('\n', 1)[0]}`)
  }
}

function unknownKeys(tree: Tree): string[] {
  const allowed = new Set(listSettings().map((s) => s.path))
  return Object.entries(tree).flatMap(([section, value]) => {
    if (allowed.has(section)) return []
    if (!(section in configSchema.properties)) return [section]
    if (!isTable(value)) return []
    return Object.keys(value)
      .map((key) => `${section}.${key}`)
      .filter((path) => !allowed.has(path))
  })
}

/** INGOT_CONFIG is the path of the file; every other variable that begins with INGOT_ must be a setting. */
function unknownVariables(environment: Environment): string[] {
  const allowed = new Set(['INGOT_CONFIG', ...listSettings().map(environmentName)])
  return Object.keys(environment).filter((name) => name.startsWith('INGOT_') && !allowed.has(name))
}

function unknownFlags(flags: NonNullable<ConfigSources['flags']>): string[] {
  const allowed = new Set(listSettings().map(({ path }) => path))
  return Object.keys(flags).filter((path) => !allowed.has(path))
}

/** Removed settings and the behaviour that replaces them. An entry for a section covers all its settings. */
const REMOVED: ReadonlyMap<string, string> = new Map([
  ['backup.exact_hours', 'it is always 48'],
  ['database.statement_timeout', 'it is always 300 seconds'],
  ['git.archive_cache_size', 'it is always half of git.pack_cache_size'],
  ['git.bundle_uri', 'bundles are cached unless git.pack_cache_size is 0'],
  ['git.max_processes', 'it is always 16'],
  ['git.timeout', 'it is always 600 seconds'],
  ['mailer.allowed_hosts', 'every address but link-local and reserved ones is allowed'],
  ['rate_limit.anonymous_burst', 'it always equals rate_limit.anonymous_per_minute'],
  ['rate_limit.passwords_burst', 'it always equals rate_limit.passwords_per_minute'],
  ['security.login_attempts', 'it is always 10'],
  ['server.body_limit', 'it is always 32 MiB'],
  ['server.receive_timeout', 'it is always 120 seconds'],
  ['service.default_org_visibility', 'organizations are public unless their creator says otherwise'],
  ['storage.attempts', 'it is always 4'],
  ['storage.timeout', 'it is always 30 seconds'],
  ['stream', 'a process always allows 2000 streams'],
  ['stream.max_total', 'it is always 2000'],
])

function describeUnknown(name: string): string {
  const now = REMOVED.get(name)
  return now === undefined
    ? `unknown setting ${name}${suggestion(name)}`
    : `${name} is no longer a setting: ${now}; remove it`
}

function describeUnknownVariable(variable: string): string {
  const former = [...REMOVED.keys()].find((path) => environmentName({ path }) === variable)
  return former === undefined ? `unknown environment variable ${variable}` : `${variable}: ${describeUnknown(former)}`
}

function suggestion(name: string): string {
  const key = name.split('.').at(-1)!
  const near = listSettings().find(
    (s) => s.key === key || s.key.replaceAll('_', '') === key.replaceAll(/[_-]/g, '').toLowerCase(),
  )
  return near ? `; did you mean ${near.path}?` : ''
}

function withSections(tree: Tree): Tree {
  const full = { ...tree }
  for (const [name, schema] of Object.entries(configSchema.properties)) if (schema.type === 'object') full[name] ??= {}
  return full
}

/** With TLS the server listens on the HTTPS port of all addresses by default. */
function listenForHttps(tree: Tree): void {
  const { tls, server = {} } = tree
  if (!isTable(tls) || !isTable(server) || !isTlsOn(tls)) return
  tree['server'] = { host: '0.0.0.0', port: 443, ...server }
}

/** Whether the server itself speaks HTTPS. */
export const isTlsOn = ({ acme, cert_file }: { readonly acme?: unknown; readonly cert_file?: unknown }): boolean =>
  acme === true || (cert_file ?? '') !== ''

/** A file with `server = 3` has no table for the value; the check of the file reports that. */
function assign(tree: Tree, setting: Setting, value: unknown): void {
  const target = setting.section === '' ? tree : (tree[setting.section] ??= {})
  if (isTable(target)) target[setting.key] = value
}

const isTable = (value: unknown): value is Tree => typeof value === 'object' && value !== null

/** Parses a variable or flag as the type of the setting; returns undefined for an invalid value. */
function parseText({ schema }: Setting, text: string): unknown {
  const type = schema['type'] as string | undefined
  if (type === 'boolean') {
    if (/^(true|1|yes|on)$/i.test(text)) return true
    return /^(false|0|no|off)$/i.test(text) ? false : undefined
  }
  if (type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : undefined
  if (type === 'array') {
    const parts = text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
    return (schema['items'] as TSchema)['type'] === 'integer' ? parts.map(Number) : parts
  }
  return text
}

/**
 * Returns one problem for each setting or section whose value does not match the schema. Unknown names are found
 * elsewhere.
 */
function wrongValues(tree: unknown, sourceOf: (path: string) => string | undefined): string[] {
  const wrong = new Map<string, string>()
  for (const error of Value.Errors(configSchema, tree)) {
    const path = error.path.slice(1).replaceAll('/', '.')
    const setting = listSettings().find((s) => s.path === path || path.startsWith(`${s.path}.`))
    const name = setting?.path ?? path
    if (wrong.has(name) || (setting === undefined && !(path in configSchema.properties))) continue
    const said = setting ? shown(setting, error.value) : `${JSON.stringify(error.value)}; allowed: a section`
    const source = sourceOf(name)
    wrong.set(name, `${source === undefined ? '' : `${source}: `}${path} is ${said}`)
  }
  return [...wrong.values()]
}

const SECRETS: ReadonlySet<string> = new Set([
  'database.url',
  'mailer.password',
  'security.secret_key',
  'security.former_secret_keys',
  'signing.passphrase',
  'storage.secret_key',
  'webhook.proxy_url',
])

/** A rejected value, without secrets, and the allowed values. */
function shown({ path, schema }: Setting, value: unknown): string {
  return `${SECRETS.has(path) ? 'not valid' : JSON.stringify(value)}; allowed: ${describeAllowed(schema)}`
}

/** Describes what a setting accepts. */
export function describeAllowed(schema: TSchema): string {
  if (Array.isArray(schema['anyOf']))
    return schema['anyOf'].map((option: TSchema) => String(option['const'])).join(', ')
  if (schema['type'] === 'boolean') return 'true, false'
  if (schema['type'] === 'array') return describeList(schema['items'] as TSchema)
  if (schema['type'] === 'integer') {
    const low = schema['minimum'] as number | undefined
    const high = schema['maximum'] as number | undefined
    if (low !== undefined && high !== undefined) return `an integer from ${low} to ${high}`
    return low === undefined ? 'an integer' : `an integer from ${low}`
  }
  if (schema['pattern'] !== undefined) return `a string that matches ${String(schema['pattern'])}`
  return schema['minLength'] === undefined ? 'a string' : 'a non-empty string'
}

function describeList(items: TSchema): string {
  if (items['type'] === 'integer') return `a list of integers from ${items['minimum']}, such as [1, 2]`
  if (Array.isArray(items['anyOf'])) return `a list of ${describeAllowed(items)}`
  return items['pattern'] === undefined ? 'a list of strings' : `a list of strings that match ${items['pattern']}`
}
