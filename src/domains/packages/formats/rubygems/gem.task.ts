import { gunzipSync } from 'node:zlib'
import { parse } from 'yaml'
import { listOf, members, type Members, textOf } from '../../../../core/platform/json-members.ts'

/** A condition of a version, such as `~>` and `1.2`. */
export type GemRequirement = readonly [operator: string, version: string]

export interface GemDependency {
  readonly name: string
  /** `runtime` or `development`. */
  readonly kind: string
  readonly requirements: readonly GemRequirement[]
}

/** The stored members of the specification of a gem. */
export interface GemSpec {
  readonly name: string
  readonly version: string
  readonly platform: string
  readonly summary: string
  readonly description: string
  readonly homepage: string
  readonly authors: readonly string[]
  readonly licenses: readonly string[]
  readonly rubygemsVersion: string
  readonly requiredRuby: readonly GemRequirement[]
  readonly requiredRubygems: readonly GemRequirement[]
  readonly dependencies: readonly GemDependency[]
}

const MAX_YAML = 4 * 1024 * 1024
const MAX_TEXT = 4096
const MAX_LONG_TEXT = 16_384
const MAX_ENTRIES = 500

const NAME = /^(?=.*[a-z])[a-z\d_][\w.-]{0,199}$/i
const VERSION = /^\d+(?:\.[\da-z]+)*(?:-[\da-z-]+(?:\.[\da-z-]+)*)?$/i
const PLATFORM = /^\w[\w.-]{0,99}$/
const OPERATOR = /^(?:=|!=|>|<|>=|<=|~>)$/
const MAX_VERSION = 100

/** Reads `metadata.gz` of a gem; throws for an invalid one. Runs in a child process. */
export const createTask =
  () =>
  (bytes: Uint8Array): GemSpec => {
    const text = gunzipSync(bytes, { maxOutputLength: MAX_YAML }).toString('utf8')
    // Tags name classes of Ruby, and all scalars are texts: a version such as 1.10 is no number.
    const root = members(parse(text, { schema: 'failsafe', logLevel: 'silent', maxAliasCount: 100, uniqueKeys: false }))
    const own = (name: string, maxLength = MAX_TEXT): string => textOf(root[name], maxLength)
    const texts = (name: string): string[] =>
      listOf(root[name])
        .slice(0, MAX_ENTRIES)
        .map((one) => textOf(one, MAX_TEXT))
    const name = own('name')
    if (!NAME.test(name)) throw new Error('the name of the gem is invalid')
    const platform = platformOf(root['platform'])
    if (!PLATFORM.test(platform)) throw new Error('the platform of the gem is invalid')
    return {
      name,
      version: versionOf(root['version']),
      platform,
      summary: own('summary'),
      description: own('description', MAX_LONG_TEXT),
      homepage: own('homepage'),
      authors: texts('authors'),
      licenses: texts('licenses'),
      rubygemsVersion: own('rubygems_version'),
      requiredRuby: requirementsOf(root['required_ruby_version']),
      requiredRubygems: requirementsOf(root['required_rubygems_version']),
      dependencies: bounded(root['dependencies']).map((one) => dependencyOf(members(one))),
    }
  }

function bounded(value: unknown): readonly unknown[] {
  const list = listOf(value)
  if (list.length > MAX_ENTRIES) throw new Error(`the gem has more than ${MAX_ENTRIES} dependencies or requirements`)
  return list
}

function versionOf(value: unknown): string {
  const version = textOf(members(value)['version'])
  if (version.length > MAX_VERSION || !VERSION.test(version)) throw new Error('the version of the gem is invalid')
  // As RubyGems does; in indexes a hyphen comes before the platform.
  return version.replaceAll('-', '.pre.')
}

/** A text, or an object with the parts of it. */
function platformOf(value: unknown): string {
  if (value === undefined || value === '') return 'ruby'
  if (typeof value === 'string') return value
  const { cpu, os, version } = members(value)
  return [cpu, os, version]
    .map((part) => textOf(part))
    .filter((part) => part !== '')
    .join('-')
}

function requirementsOf(value: unknown): GemRequirement[] {
  const found = bounded(members(value)['requirements']).map((one): GemRequirement => {
    const [operator, version] = listOf(one)
    if (!OPERATOR.test(textOf(operator))) throw new Error('a requirement of the gem is invalid')
    return [textOf(operator), versionOf(version)]
  })
  return found.length === 0 ? [['>=', '0']] : found
}

function dependencyOf(value: Members): GemDependency {
  const name = textOf(value['name'])
  if (!NAME.test(name)) throw new Error('the name of a dependency is invalid')
  const kind = textOf(value['type']) === ':development' ? 'development' : 'runtime'
  return { name, kind, requirements: requirementsOf(value['requirement'] ?? value['version_requirements']) }
}
