import semver from 'semver'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { ZipReader } from '../../registry/archives/zip.ts'

/** A module of a version, as its zip file contains it (go.dev/ref/mod#zip-files). */
export interface GoModule {
  readonly path: string
  readonly version: string
  /** The text of go.mod. */
  readonly mod: Buffer
}

const MAX_GO_MOD = 1024 * 1024
/** Maximum size of all files, uncompressed. */
const MAX_SIZE = 500 * 1024 * 1024

/** Throws BadRequest for what the go command would refuse. */
export async function readGoModule({ entries, read }: ZipReader): Promise<GoModule> {
  const prefix = /^(?<path>[^@]+)@(?<version>[^/]+)\//.exec(entries[0]?.name ?? '')
  const { path = '', version = '' } = prefix?.groups ?? {}
  if (prefix === null) throw badRequest('the entries of the zip file must begin with module@version/')
  if (!isModulePath(path)) throw badRequest('the module path is invalid')
  if (!isModuleVersion(path, version)) throw badRequest('the version of the module is invalid')
  requireFiles(entries, prefix[0])
  const sent = await read(`${prefix[0]}go.mod`, MAX_GO_MOD)
  if (sent === undefined) return { path, version, mod: Buffer.from(`module ${path}\n`) }
  if (declaredModule(sent.toString('utf8')) !== path) throw badRequest('go.mod does not declare this module path')
  return { path, version, mod: sent }
}

function requireFiles(entries: ZipReader['entries'], prefix: string): void {
  const names = new Set<string>()
  let size = 0
  for (const entry of entries) {
    if (!entry.name.startsWith(prefix)) throw badRequest(`all entries of the zip file must begin with ${prefix}`)
    const folded = entry.name.toLowerCase()
    if (names.has(folded)) throw badRequest('names in the zip file differ only by case')
    names.add(folded)
    size += entry.size
    if (size > MAX_SIZE) throw badRequest(`the files of a module have at most ${MAX_SIZE} bytes`)
  }
}

const MAX_PATH = 255
const ELEMENT = /^[\w~-](?:[\w.~-]*[\w~-])?$/
const HOST = /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/
/** Names of devices of Windows, where modules must unpack too. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

function isModulePath(path: string): boolean {
  const elements = path.split('/')
  const [host = ''] = elements
  return (
    path.length <= MAX_PATH &&
    HOST.test(host) &&
    host.includes('.') &&
    elements.every((element) => ELEMENT.test(element) && !RESERVED.test(element))
  )
}

/** Canonical, and of the major version that the path names. */
function isModuleVersion(path: string, version: string): boolean {
  const [core = '', suffix] = version.split('+', 2)
  if (version.length > MAX_PATH || core[0] !== 'v' || semver.valid(core) !== core.slice(1)) return false
  if (version !== core && (suffix !== 'incompatible' || version !== `${core}+incompatible`)) return false
  const major = semver.major(core)
  const named = (path.startsWith('gopkg.in/') ? /\.v(\d+)$/ : /\/v(\d+)$/).exec(path)?.[1]
  if (suffix !== undefined) return named === undefined && major >= 2
  return named === undefined ? major < 2 : Number(named) === major
}

/** The path of the directive `module` of go.mod. */
function declaredModule(text: string): string | undefined {
  for (const line of text.split('\n', 10_000)) {
    const [, quoted, plain] = /^[ \t]*module[ \t]+(?:["`]([^"`\s]+)["`]|([^\s"`(]+))/.exec(line) ?? []
    if (quoted !== undefined || plain !== undefined) return quoted ?? plain
  }
  return undefined
}

/** Decodes a path of the module proxy: `!a` stands for the capital A. Undefined for another text. */
export function unescapeModulePath(text: string): string | undefined {
  if (!/^(?:[^A-Z!]|![a-z])+$/.test(text)) return undefined
  return text.replaceAll(/!([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The highest release; without one, the highest prerelease. */
export function latestOf(versions: readonly string[]): string | undefined {
  const sorted = versions.toSorted(semver.rcompare)
  return sorted.find((version) => semver.prerelease(version) === null) ?? sorted[0]
}
