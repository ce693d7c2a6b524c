import semver from 'semver'
import { type Members, parseJson } from '../../../../core/platform/json-members.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageEntry, VersionEntry } from '../../packages/package-contents.store.ts'
import type { FormatRequest } from '../../registry/format.ts'

export const type = 'swift'
export const ARCHIVE = 'source-archive.zip'
export const MANIFEST = 'Package.swift'

/** The content of `package_version.metadata` of a release. */
export interface StoredRelease {
  /** The metadata as the publisher sent it. */
  readonly metadata: Members
  readonly checksum: string
  /** The version of the Swift tools that each manifest needs, by its name. */
  readonly tools: Readonly<Record<string, string>>
  readonly signing?: { readonly signatureBase64Encoded: string; readonly signatureFormat: string } | undefined
}

export const storedRelease = ({ metadata }: VersionEntry): StoredRelease =>
  parseJson(metadata)?.value as unknown as StoredRelease

/** The package of an address, with its releases, the highest first. Throws NotFound. */
export async function getReleases(
  contents: PackageContents,
  { owner, params: { scope = '', name = '' } }: FormatRequest,
): Promise<{ readonly entry: PackageEntry; readonly releases: readonly VersionEntry[] }> {
  const entry = await contents.findPackage(owner, type, `${scope}.${name}`)
  if (entry === undefined) throw errors.packageNotFound()
  const versions = await contents.listVersions(entry)
  return { entry, releases: versions.toSorted((a, b) => semver.compareBuild(b.version, a.version)) }
}

export const releaseUrl = ({ base }: FormatRequest, { name }: PackageEntry, { version }: VersionEntry): string =>
  `${base}/${name.replace('.', '/')}/${encodeURIComponent(version)}`
