import { members, parseJson } from '../../../../core/platform/json-members.ts'
import { errors } from '../../../errors.ts'
import type { User } from '../../../accounts/index.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageEntry, VersionEntry } from '../../packages/package-contents.store.ts'
import { compareVersions } from './nuget-version.ts'
import type { Nuspec } from './nuspec.task.ts'

export const type = 'nuget'

/** A version with the specification that is stored of it. */
export interface NugetVersion {
  readonly id: string
  readonly version: string
  readonly spec: Omit<Nuspec, 'version'>
  readonly size: number
  readonly sha512: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly downloads: number
}

export interface NugetPackage {
  readonly id: string
  /** Ascending; not empty. */
  readonly versions: readonly NugetVersion[]
}

/** The content of `package_version.metadata` of a NuGet package. */
export interface StoredVersion {
  readonly spec: Nuspec
  readonly size: number
  readonly sha512: string
}

function toVersion(entry: PackageEntry, row: VersionEntry): NugetVersion {
  const { spec, size, sha512 } = members(parseJson(row.metadata)?.value) as unknown as StoredVersion
  const { version, createdAt, downloads } = row
  return { id: entry.name, version, spec, size, sha512, createdAt, downloads }
}

const ascending = (versions: readonly NugetVersion[]): NugetVersion[] =>
  versions.toSorted((a, b) => compareVersions(a.version, b.version))

/** Throws NotFound. */
export async function getNugetEntry(contents: PackageContents, owner: User, id: string): Promise<PackageEntry> {
  const entry = await contents.findPackage(owner, type, id)
  if (entry === undefined) throw errors.packageNotFound()
  return entry
}

export async function readNugetPackage(contents: PackageContents, entry: PackageEntry): Promise<NugetPackage> {
  const versions = (await contents.listVersions(entry)).map((row) => toVersion(entry, row))
  return { id: entry.name, versions: ascending(versions) }
}

/** All packages by name. */
export async function listNugetPackages(contents: PackageContents, owner: User): Promise<NugetPackage[]> {
  const entries = await contents.listPackages(owner, type)
  const byPackage = Map.groupBy(await contents.listAllVersions(owner, type), ({ packageId }) => packageId)
  return entries.flatMap((entry) => {
    const rows = byPackage.get(entry.id)
    return rows === undefined ? [] : [{ id: entry.name, versions: ascending(rows.map((row) => toVersion(entry, row))) }]
  })
}

/** Whether a word of the search is a part of the id, the title, the description or the tags of the newest version. */
export function matchesSearch({ id, versions }: NugetPackage, text: string): boolean {
  const { title, description, tags } = versions.at(-1)!.spec
  const searched = `${id}\n${title}\n${description}\n${tags}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word))
}
