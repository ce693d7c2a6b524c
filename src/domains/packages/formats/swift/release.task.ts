import { listOf, members, type Members, parseJson, textOf } from '../../../../core/platform/json-members.ts'

/** The parts of a release that its publisher sent. */
export interface SentRelease {
  /** JSON; empty for none. */
  readonly metadata: string
  /** The texts of `Package.swift` and of those for versions of Swift, by their names. */
  readonly manifests: Readonly<Record<string, string>>
}

export interface Release {
  readonly metadata: Members
  readonly repositories: readonly string[]
  /** The version of the Swift tools that each manifest needs, by its name. */
  readonly tools: Readonly<Record<string, string>>
}

const MAX_REPOSITORIES = 20
const MAX_URL = 1024

/** Reads the metadata of a release; throws for invalid ones. Runs in a child process. */
export const createTask =
  () =>
  (sent: SentRelease): Release => {
    const metadata = sent.metadata === '' ? {} : parseJson(sent.metadata)?.value
    if (metadata === null || typeof metadata !== 'object' || Array.isArray(metadata))
      throw new Error('the metadata are not a JSON object')
    const repositories = listOf(members(metadata)['repositoryURLs']).map((url) => textOf(url))
    if (repositories.length > MAX_REPOSITORIES || repositories.some((url) => url.length > MAX_URL))
      throw new Error('the metadata name too many repositories')
    const tools = Object.entries(sent.manifests).map(([name, text]) => [name, toolsVersionOf(text)])
    return { metadata: members(metadata), repositories, tools: Object.fromEntries(tools) as Record<string, string> }
  }

/** The tools version in the comment that a manifest begins with. */
function toolsVersionOf(manifest: string): string {
  const [, version] = /^\s*\/\/ *swift-tools-version: *(\d+(?:\.\d+){0,2})/i.exec(manifest) ?? []
  if (version === undefined) throw new Error('a manifest does not begin with the comment swift-tools-version')
  return version.includes('.') ? version : `${version}.0`
}
