import { errors } from '../../../errors.ts'
import semver from 'semver'
import { badRequest } from '../../../../core/platform/errors.ts'
import { members, type Members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import type { PackageEntry, VersionEntry } from '../../packages/package-contents.store.ts'
import type { PackageFile } from '../../packages/package.store.ts'

/** The content of `package.metadata` of an npm package. */
interface NpmPackage {
  /** Versions by dist-tag. */
  readonly tags: Readonly<Record<string, string>>
  readonly readme: string
}

const NAME = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i
const MAX_NAME = 214
const MAX_README = 64 * 1024
const MAX_VERSION_METADATA = 256 * 1024
const MAX_TAGS = 1000

/** The rules of npm for names (docs.npmjs.com, package.json, name). */
const isPackageName = (name: string): boolean => name.length <= MAX_NAME && NAME.test(name)

export function readPackage(metadata: string): NpmPackage {
  const { tags, readme } = members(parseJson(metadata)?.value)
  const entries = Object.entries(members(tags)).map(([tag, version]) => [tag, textOf(version)] as const)
  return { tags: Object.fromEntries(entries), readme: textOf(readme) }
}

/** The metadata with these tags set; a tag without a version is deleted. Throws BadRequest for an invalid tag. */
export function withTags(
  former: string,
  changes: Readonly<Record<string, string | undefined>>,
  readme?: string,
): string {
  const found = readPackage(former)
  const tags: Record<string, string> = { ...found.tags }
  for (const [tag, version] of Object.entries(changes)) {
    if (!/^[\w.~-]{1,128}$/.test(tag) || semver.validRange(tag) !== null) throw badRequest('The tag name is invalid')
    if (version === undefined) delete tags[tag]
    else tags[tag] = version
  }
  if (Object.keys(tags).length > MAX_TAGS) throw badRequest(`a package has at most ${MAX_TAGS} tags`)
  return JSON.stringify({ tags, readme: readme ?? found.readme })
}

/** One version of a publish document. */
export interface NewNpmVersion {
  readonly name: string
  readonly version: string
  /** `dist.integrity` as the client computed it. */
  readonly integrity: string
  /** JSON of the manifest without members that the server adds. */
  readonly metadata: string
  readonly readme: string
  /** The address of its repository; empty for none. */
  readonly source: string
}

/** Throws BadRequest unless the document has exactly one version with a valid name and version. */
export function readNewVersion(document: Members, name: string): NewNpmVersion {
  const versions = Object.values(members(document['versions']))
  const manifest = members(versions[0])
  if (versions.length !== 1 || textOf(document['name'] ?? document['_id']) !== name || !isPackageName(name))
    throw errors.npmDocumentInvalid()
  const version = semver.clean(textOf(manifest['version'])) ?? ''
  if (version === '' || textOf(manifest['name']) !== name) throw errors.npmDocumentInvalid()
  const { dist, readme, ...rest } = manifest
  const metadata = JSON.stringify({ ...rest, _id: `${name}@${version}`, name, version })
  if (metadata.length > MAX_VERSION_METADATA)
    throw badRequest(`the metadata of a version have at most ${MAX_VERSION_METADATA} characters`)
  return {
    name,
    version,
    integrity: textOf(members(dist)['integrity']),
    metadata,
    readme: textOf(document['readme'] ?? readme, MAX_README),
    source: textOf(members(rest['repository'])['url'] ?? rest['repository']),
  }
}

/** Subresource integrity of a file (W3C SRI), as npm compares it. */
export const integrityOf = ({ sha512 }: Pick<PackageFile, 'sha512'>): string =>
  `sha512-${Buffer.from(sha512, 'hex').toString('base64')}`

/** Throws BadRequest unless the client's digest, which it must send, is that of the file. */
export function requireIntegrity(integrity: string, file: Pick<PackageFile, 'sha512'>): void {
  if (!integrity.split(/\s+/).includes(integrityOf(file))) throw badRequest('failed to validate integrity')
}

/** The versions that tags name, whether they exist or not. */
export const taggedVersions = ({ metadata }: PackageEntry): string[] => [
  ...new Set(Object.values(readPackage(metadata).tags)),
]

/** The tags whose versions exist; `tagged`: of `taggedVersions`. */
export function existingTags(entry: PackageEntry, tagged: readonly VersionEntry[]): Record<string, string> {
  const existing = new Set(tagged.map(({ version }) => version))
  return Object.fromEntries(Object.entries(readPackage(entry.metadata).tags).filter(([, tag]) => existing.has(tag)))
}

export const manifestOf = ({ metadata }: Pick<VersionEntry, 'metadata'>): Members => members(parseJson(metadata)?.value)

/** One result of a search. */
export function presentSearchResult(entry: PackageEntry, version: VersionEntry): object {
  const manifest = manifestOf(version)
  const [scope, name] = entry.name.startsWith('@') ? entry.name.split('/') : [undefined, entry.name]
  return {
    package: {
      scope: scope ?? 'unscoped',
      name,
      version: version.version,
      date: new Date(version.createdAt).toISOString(),
      description: textOf(manifest['description']),
      author: manifest['author'] ?? {},
      publisher: { name: textOf(members(manifest['_npmUser'])['name']) },
      maintainers: [],
      keywords: manifest['keywords'] ?? [],
      links: { homepage: textOf(manifest['homepage']) },
    },
  }
}
