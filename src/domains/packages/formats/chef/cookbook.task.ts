import { type Members, members, parseJson, textOf } from '../../../../core/platform/json-members.ts'

/** The stored members of `metadata.json` of a cookbook. */
export interface Cookbook {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly maintainer: string
  readonly license: string
  readonly source_url: string
  readonly issues_url: string
  /** Conditions of versions by the name of the cookbook. */
  readonly dependencies: Readonly<Record<string, string>>
  /** Conditions of versions by the name of the platform. */
  readonly platforms: Readonly<Record<string, string>>
}

const NAME = /^[A-Za-z\d_][\w.-]{0,199}$/
const VERSION = /^\d{1,9}\.\d{1,9}(?:\.\d{1,9})?$/
const MAX_CONDITIONS = 500
const MAX_TEXT = 4096

/** Reads `metadata.json`; throws for an invalid one. Runs in a child process. */
export const createTask =
  () =>
  (text: string): Cookbook => {
    const root = members(parseJson(text)?.value)
    const own = (member: string): string => textOf(root[member], MAX_TEXT)
    const [name, version] = [own('name'), own('version')]
    if (!NAME.test(name)) throw new Error('the name of the cookbook is invalid')
    if (!VERSION.test(version)) throw new Error('the version of the cookbook is invalid: it has two or three numbers')
    return {
      name,
      version,
      description: own('description'),
      maintainer: own('maintainer'),
      license: own('license'),
      source_url: own('source_url'),
      issues_url: own('issues_url'),
      dependencies: conditionsOf(members(root['dependencies'])),
      platforms: conditionsOf(members(root['platforms'])),
    }
  }

function conditionsOf(found: Members): Record<string, string> {
  const pairs = Object.entries(found)
  if (pairs.length > MAX_CONDITIONS) throw new Error(`the cookbook names more than ${MAX_CONDITIONS} others`)
  if (pairs.some(([name]) => !NAME.test(name))) throw new Error('the name of a dependency or platform is invalid')
  return Object.fromEntries(pairs.map(([name, condition]) => [name, textOf(condition, MAX_TEXT)]))
}
