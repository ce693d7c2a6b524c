import { members, parseJson } from '../../../../core/platform/json-members.ts'
import type { User } from '../../../accounts/index.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageEntry, VersionEntry } from '../../packages/package-contents.store.ts'
import type { Cookbook } from './cookbook.task.ts'

export const type = 'chef'

/** The content of `package_version.metadata` and `package_file.metadata`. */
export const cookbookOf = ({ metadata }: { readonly metadata: string }): Cookbook =>
  members(parseJson(metadata)?.value) as unknown as Cookbook

/** Compares the numbers; a missing third number is 0. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number)) as [number[], number[]]
  for (const at of [0, 1, 2]) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

export const newestOf = <Version extends Pick<VersionEntry, 'version'>>(versions: readonly Version[]): Version =>
  versions.reduce((newest, one) => (compareVersions(one.version, newest.version) >= 0 ? one : newest))

export const cookbookAddress = (base: string, name: string): string =>
  `${base}/api/v1/cookbooks/${encodeURIComponent(name)}`

export const versionAddress = (base: string, name: string, version: string): string =>
  `${cookbookAddress(base, name)}/versions/${version}`

export function presentCookbook(base: string, entry: PackageEntry, versions: readonly VersionEntry[]): object {
  const newest = newestOf(versions)
  const { maintainer, description, source_url, issues_url } = cookbookOf(newest)
  const addresses = versions
    .toSorted((a, b) => compareVersions(b.version, a.version))
    .map(({ version }) => versionAddress(base, entry.name, version))
  return {
    name: entry.name,
    maintainer,
    description,
    category: 'Other',
    source_url,
    issues_url,
    latest_version: addresses[0],
    versions: addresses,
    created_at: new Date(versions[0]!.createdAt).toISOString(),
    updated_at: new Date(newest.createdAt).toISOString(),
    deprecated: false,
  }
}

export function presentVersion(
  base: string,
  entry: PackageEntry,
  version: VersionEntry,
  file: { readonly size: number },
): object {
  const { license, dependencies, platforms } = cookbookOf(version)
  return {
    version: version.version,
    license,
    tarball_file_size: file.size,
    average_rating: null,
    cookbook: cookbookAddress(base, entry.name),
    file: `${versionAddress(base, entry.name, version.version)}/download`,
    published_at: new Date(version.createdAt).toISOString(),
    dependencies,
    supports: platforms,
  }
}

interface CookbookPage {
  readonly text: string
  readonly start: number
  readonly limit: number
}

/** The cookbooks whose name or description has the text, by name. */
export async function listCookbooks(
  contents: PackageContents,
  owner: User,
  base: string,
  { text, start, limit }: CookbookPage,
): Promise<object> {
  const versions = Map.groupBy(await contents.listAllVersions(owner, type), ({ packageId }) => packageId)
  const wanted = text.toLowerCase()
  const found = (await contents.listPackages(owner, type)).flatMap(({ id, name }) => {
    const own = versions.get(id)
    if (own === undefined) return []
    const { maintainer, description } = cookbookOf(newestOf(own))
    if (!`${name}\n${description}`.toLowerCase().includes(wanted)) return []
    const cookbook = cookbookAddress(base, name)
    return { cookbook_name: name, cookbook_maintainer: maintainer, cookbook_description: description, cookbook }
  })
  return { start, total: found.length, items: found.slice(start, start + limit) }
}
