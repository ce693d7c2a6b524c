import { readFileSync } from 'node:fs'
import { Value } from '@sinclair/typebox/value'
import type { TSchema } from '@sinclair/typebox'
import { parse as parseToml } from 'smol-toml'
import { type Config, configSchema, environmentName, listSettings, type Setting } from './schema.ts'

/** A setting that cannot be used; the message names the key, the value and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export type Environment = Readonly<Record<string, string | undefined>>

export interface ConfigSources {
  /** Path of a TOML file; `INGOT_CONFIG` names it when this does not. */
  readonly file?: string | undefined
  readonly environment?: Environment
  /** Settings by dotted name, strongest of all: command-line flags. */
  readonly flags?: Readonly<Record<string, string | undefined>>
}

type Tree = Record<string, unknown>

/** Defaults, then the file, then the environment, then flags. Throws ConfigError. */
export function loadConfig(sources: ConfigSources = {}): Config {
  const environment = sources.environment ?? {}
  const file = sources.file ?? environment['INGOT_CONFIG']
  const tree = file === undefined ? {} : readToml(file)
  for (const name of unknownKeys(tree)) throw new ConfigError(`${file}: unknown setting ${name}${suggestion(name)}`)
  refuseUnknownVariables(environment)
  for (const setting of listSettings()) {
    const variable = environmentName(setting)
    const flag = sources.flags?.[setting.path]
    if (environment[variable] !== undefined) assign(tree, setting, parseText(setting, environment[variable], variable))
    if (flag !== undefined) assign(tree, setting, parseText(setting, flag, `--${setting.path}`))
  }
  return check(Value.Default(configSchema, withSections(tree)))
}

function readToml(file: string): Tree {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`cannot read the configuration file ${file}: ${(error as Error).message}`)
  }
  try {
    return parseToml(text) as Tree
  } catch (error) {
    throw new ConfigError(`${file}: ${(error as Error).message}`)
  }
}

function unknownKeys(tree: Tree): string[] {
  const known = new Set(listSettings().map((s) => s.path))
  return Object.entries(tree).flatMap(([section, value]) => {
    if (known.has(section)) return []
    if (!(section in configSchema.properties)) return [section]
    if (value === null || typeof value !== 'object') return [section]
    return Object.keys(value)
      .map((key) => `${section}.${key}`)
      .filter((path) => !known.has(path))
  })
}

/** INGOT_CONFIG names the file; anything else that begins with INGOT_ must be a setting. */
function refuseUnknownVariables(environment: Environment): void {
  const known = new Set(['INGOT_CONFIG', ...listSettings().map(environmentName)])
  const wrong = Object.keys(environment).find((name) => name.startsWith('INGOT_') && !known.has(name))
  if (wrong !== undefined) throw new ConfigError(`unknown environment variable ${wrong}`)
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

function assign(tree: Tree, setting: Setting, value: unknown): void {
  const target = setting.section === '' ? tree : ((tree[setting.section] ??= {}) as Tree)
  target[setting.key] = value
}

/** Text of a variable or flag as the setting's type; what does not fit is left for the check to name. */
function parseText(setting: Setting, text: string, from: string): unknown {
  const type = setting.schema['type'] as string | undefined
  if (type === 'boolean') {
    if (/^(true|1|yes|on)$/i.test(text)) return true
    if (/^(false|0|no|off)$/i.test(text)) return false
    throw new ConfigError(`${from} (${setting.path}) is ${JSON.stringify(text)}; allowed: true, false`)
  }
  if (type === 'integer') {
    if (/^-?\d+$/.test(text)) return Number(text)
    throw new ConfigError(
      `${from} (${setting.path}) is ${JSON.stringify(text)}; allowed: ${describeAllowed(setting.schema)}`,
    )
  }
  if (type === 'array')
    return text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
  return text
}

function check(tree: unknown): Config {
  const error = Value.Errors(configSchema, tree).First()
  if (error === undefined) return tree as Config
  const path = error.path.slice(1).replaceAll('/', '.')
  const setting = listSettings().find((s) => s.path === path || path.startsWith(`${s.path}.`))
  const allowed = setting ? describeAllowed(setting.schema) : error.message
  throw new ConfigError(`${path} is ${JSON.stringify(error.value)}; allowed: ${allowed}`)
}

/** What a setting accepts, in words. */
export function describeAllowed(schema: TSchema): string {
  if (Array.isArray(schema['anyOf']))
    return schema['anyOf'].map((option: TSchema) => String(option['const'])).join(', ')
  if (schema['type'] === 'boolean') return 'true, false'
  if (schema['type'] === 'array')
    return Array.isArray((schema['items'] as TSchema)['anyOf'])
      ? `a list of ${describeAllowed(schema['items'] as TSchema)}`
      : 'a list of texts'
  if (schema['type'] === 'integer') {
    const low = schema['minimum'] as number | undefined
    const high = schema['maximum'] as number | undefined
    if (low !== undefined && high !== undefined) return `a whole number from ${low} to ${high}`
    return low === undefined ? 'a whole number' : `a whole number from ${low}`
  }
  return schema['pattern'] === undefined
    ? 'a text that is not empty'
    : `a text that matches ${String(schema['pattern'])}`
}
