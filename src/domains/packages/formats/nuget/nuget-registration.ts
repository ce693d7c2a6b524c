import { isPrerelease } from './nuget-version.ts'
import type { NugetPackage, NugetVersion } from './nuget-packages.ts'

/** A registration with more versions has pages that are fetched one by one. */
const MAX_INLINE = 128
const PAGE_SIZE = 64

const lower = (text: string): string => encodeURIComponent(text.toLowerCase())
const registrationOf = (base: string, id: string): string => `${base}/registration/${lower(id)}/index.json`
const leafOf = (base: string, id: string, version: string): string =>
  `${base}/registration/${lower(id)}/${lower(version)}.json`

export const contentOf = (base: string, { id, version }: Pick<NugetVersion, 'id' | 'version'>): string =>
  `${base}/package/${lower(id)}/${lower(version)}/${lower(id)}.${lower(version)}.nupkg`

/** The resources of the protocol (learn.microsoft.com, NuGet server API). */
export function presentServiceIndex(base: string): object {
  const resources = [
    ...['', '/3.0.0-beta', '/3.0.0-rc'].map((suffix) => ['query', `SearchQueryService${suffix}`]),
    ...['', '/3.0.0-beta', '/3.0.0-rc'].map((suffix) => ['autocomplete', `SearchAutocompleteService${suffix}`]),
    ...['', '/3.0.0-beta', '/3.0.0-rc'].map((suffix) => ['registration', `RegistrationsBaseUrl${suffix}`]),
    ['package', 'PackageBaseAddress/3.0.0'],
    ['', 'PackagePublish/2.0.0'],
    // `nuget list` lists by version 2 of the protocol alone.
    ['', 'LegacyGallery/2.0.0'],
    ['symbolpackage', 'SymbolPackagePublish/4.9.0'],
  ]
  return {
    version: '3.0.0',
    resources: resources.map(([path, type]) => ({ '@id': path === '' ? base : `${base}/${path}`, '@type': type })),
  }
}

function presentEntry(base: string, version: NugetVersion): object {
  const { dependencyGroups, id: _, ...spec } = version.spec
  return {
    '@id': leafOf(base, version.id, version.version),
    ...spec,
    id: version.id,
    version: version.version,
    dependencyGroups: dependencyGroups.map(({ targetFramework, dependencies }) => ({
      ...(targetFramework !== '' && { targetFramework }),
      dependencies,
    })),
    isPrerelease: isPrerelease(version.version),
    listed: true,
    packageContent: contentOf(base, version),
    published: new Date(version.createdAt).toISOString(),
  }
}

const presentLeafItem = (base: string, version: NugetVersion): object => ({
  '@id': leafOf(base, version.id, version.version),
  packageContent: contentOf(base, version),
  registration: registrationOf(base, version.id),
  catalogEntry: presentEntry(base, version),
})

export const presentLeaf = (base: string, version: NugetVersion): object => ({
  '@type': ['Package', 'http://schema.nuget.org/catalog#Permalink'],
  listed: true,
  published: new Date(version.createdAt).toISOString(),
  ...presentLeafItem(base, version),
})

function pageOf(base: string, versions: readonly NugetVersion[], isInline: boolean): object {
  const [{ id, version: first }, { version: last }] = [versions[0]!, versions.at(-1)!]
  const index = registrationOf(base, id)
  return {
    '@id': isInline
      ? `${index}#page/${lower(first)}/${lower(last)}`
      : `${base}/registration/${lower(id)}/page/${lower(first)}/${lower(last)}.json`,
    '@type': 'catalog:CatalogPage',
    lower: first,
    upper: last,
    count: versions.length,
    parent: index,
    ...(isInline && { items: versions.map((version) => presentLeafItem(base, version)) }),
  }
}

export function presentRegistration(base: string, { id, versions }: NugetPackage): object {
  const isInline = versions.length <= MAX_INLINE
  const size = isInline ? MAX_INLINE : PAGE_SIZE
  const pages = Array.from({ length: Math.ceil(versions.length / size) }, (_, at) =>
    pageOf(base, versions.slice(at * size, (at + 1) * size), isInline),
  )
  return {
    '@id': registrationOf(base, id),
    '@type': ['catalog:CatalogRoot', 'PackageRegistration', 'catalog:Permalink'],
    count: pages.length,
    items: pages,
  }
}

/** The versions from `first` to `last`; undefined if one of these has been deleted. */
export function presentPage(base: string, { versions }: NugetPackage, first: string, last: string): object | undefined {
  const indexOf = (wanted: string) =>
    versions.findIndex(({ version }) => version.toLowerCase() === wanted.toLowerCase())
  const [start, end] = [indexOf(first), indexOf(last)]
  if (start < 0 || end < start) return undefined
  const shown = versions.slice(start, end + 1)
  return {
    ...pageOf(base, shown, false),
    items: shown.map((version) => presentLeafItem(base, version)),
  }
}

/** One result of a search; `versions` are those that the search may show. */
export function presentSearchResult(base: string, { id, versions }: NugetPackage): object {
  const newest = versions.at(-1)!
  const { dependencyGroups: _, id: __, authors, tags, ...spec } = newest.spec
  return {
    '@id': registrationOf(base, id),
    '@type': 'Package',
    registration: registrationOf(base, id),
    ...spec,
    id,
    version: newest.version,
    authors: authors === '' ? [] : authors.split(',').map((author) => author.trim()),
    tags: tags.split(/[\s,]+/).filter((tag) => tag !== ''),
    totalDownloads: versions.reduce((sum, { downloads }) => sum + downloads, 0),
    versions: versions.map(({ version, downloads }) => ({ '@id': leafOf(base, id, version), version, downloads })),
  }
}
