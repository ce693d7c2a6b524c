import { badRequest } from '../../../../core/platform/errors.ts'
import { escapeHtml } from '../../../../core/platform/html.ts'
import type { FormatAnswer } from '../../registry/format.ts'
import type { NugetPackage, NugetVersion } from './nuget-packages.ts'
import { contentOf } from './nuget-registration.ts'
import { isPrerelease } from './nuget-version.ts'

const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'
const ATOM = 'application/atom+xml;charset=utf-8'
const XML = 'application/xml;charset=utf-8'
const NAMESPACES =
  'xmlns="http://www.w3.org/2005/Atom" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" ' +
  'xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"'

export const serviceDocument = (base: string): FormatAnswer => ({
  status: 200,
  type: XML,
  body: `${DECLARATION}<service xmlns="http://www.w3.org/2007/app" xmlns:atom="http://www.w3.org/2005/Atom" xml:base="${escapeHtml(base)}">
  <workspace><atom:title>Default</atom:title>
    <collection href="Packages"><atom:title>Packages</atom:title></collection>
  </workspace>
</service>
`,
})

/** Names and types of the properties of a package, and their values. */
const PROPERTIES: readonly (readonly [name: string, type: string, value: (one: ShownVersion) => unknown])[] = [
  ['Id', 'Edm.String', ({ id }) => id],
  ['Version', 'Edm.String', ({ version }) => version],
  ['NormalizedVersion', 'Edm.String', ({ version }) => version],
  ['Title', 'Edm.String', ({ spec, id }) => spec.title || id],
  ['Authors', 'Edm.String', ({ spec }) => spec.authors],
  ['Copyright', 'Edm.String', ({ spec }) => spec.copyright],
  ['Dependencies', 'Edm.String', ({ spec }) => dependenciesOf(spec)],
  ['Description', 'Edm.String', ({ spec }) => spec.description],
  ['IconUrl', 'Edm.String', ({ spec }) => spec.iconUrl],
  ['Language', 'Edm.String', ({ spec }) => spec.language],
  ['LicenseUrl', 'Edm.String', ({ spec }) => spec.licenseUrl],
  ['ProjectUrl', 'Edm.String', ({ spec }) => spec.projectUrl],
  ['ReleaseNotes', 'Edm.String', ({ spec }) => spec.releaseNotes],
  ['Summary', 'Edm.String', ({ spec }) => spec.summary],
  ['Tags', 'Edm.String', ({ spec }) => spec.tags],
  ['RequireLicenseAcceptance', 'Edm.Boolean', ({ spec }) => spec.requireLicenseAcceptance],
  ['IsPrerelease', 'Edm.Boolean', ({ version }) => isPrerelease(version)],
  ['IsLatestVersion', 'Edm.Boolean', ({ isLatest }) => isLatest],
  ['IsAbsoluteLatestVersion', 'Edm.Boolean', ({ isAbsoluteLatest }) => isAbsoluteLatest],
  ['Created', 'Edm.DateTime', ({ createdAt }) => new Date(createdAt).toISOString()],
  ['LastUpdated', 'Edm.DateTime', ({ createdAt }) => new Date(createdAt).toISOString()],
  ['Published', 'Edm.DateTime', ({ createdAt }) => new Date(createdAt).toISOString()],
  ['DownloadCount', 'Edm.Int64', ({ totalDownloads }) => totalDownloads],
  ['VersionDownloadCount', 'Edm.Int64', ({ downloads }) => downloads],
  ['PackageSize', 'Edm.Int64', ({ size }) => size],
  ['PackageHash', 'Edm.String', ({ sha512 }) => Buffer.from(sha512, 'hex').toString('base64')],
  ['PackageHashAlgorithm', 'Edm.String', () => 'SHA512'],
]

const metadataDocument =
  (): string => `${DECLARATION}<edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx">
  <edmx:DataServices m:DataServiceVersion="2.0" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">
    <Schema Namespace="NuGetGallery.OData" xmlns="http://schemas.microsoft.com/ado/2006/04/edm">
      <EntityType Name="V2FeedPackage" m:HasStream="true">
        <Key><PropertyRef Name="Id"/><PropertyRef Name="Version"/></Key>
${PROPERTIES.map(([name, type]) => `        <Property Name="${name}" Type="${type}"/>`).join('\n')}
      </EntityType>
      <EntityContainer Name="V2FeedContext" m:IsDefaultEntityContainer="true">
        <EntitySet Name="Packages" EntityType="NuGetGallery.OData.V2FeedPackage"/>
        <FunctionImport Name="Search" ReturnType="Collection(NuGetGallery.OData.V2FeedPackage)" EntitySet="Packages">
          <Parameter Name="searchTerm" Type="Edm.String"/>
          <Parameter Name="targetFramework" Type="Edm.String"/>
          <Parameter Name="includePrerelease" Type="Edm.Boolean"/>
        </FunctionImport>
        <FunctionImport Name="FindPackagesById" ReturnType="Collection(NuGetGallery.OData.V2FeedPackage)" EntitySet="Packages">
          <Parameter Name="id" Type="Edm.String"/>
        </FunctionImport>
      </EntityContainer>
    </Schema>
  </edmx:DataServices>
</edmx:Edmx>
`

export const presentMetadata = (): FormatAnswer => ({ status: 200, type: XML, body: metadataDocument() })

/** A version with the facts about its package that the feed contains. */
export interface ShownVersion extends NugetVersion {
  readonly isLatest: boolean
  readonly isAbsoluteLatest: boolean
  readonly totalDownloads: number
}

export function shownVersions({ versions }: NugetPackage): ShownVersion[] {
  const release = versions.findLast(({ version }) => !isPrerelease(version))
  const totalDownloads = versions.reduce((sum, { downloads }) => sum + downloads, 0)
  return versions.map((one) => ({
    ...one,
    isLatest: one === release,
    isAbsoluteLatest: one === versions.at(-1),
    totalDownloads,
  }))
}

const dependenciesOf = ({ dependencyGroups }: NugetVersion['spec']): string =>
  dependencyGroups
    .flatMap(({ targetFramework, dependencies }) =>
      dependencies.length === 0
        ? [`::${targetFramework}`]
        : dependencies.map(({ id, range }) => `${id}:${range}:${targetFramework}`),
    )
    .join('|')

function entryOf(base: string, one: ShownVersion, attributes: string): string {
  const address = escapeHtml(`${base}/Packages(Id='${one.id}',Version='${one.version}')`)
  const properties = PROPERTIES.map(([name, type, value]) => {
    const typed = type === 'Edm.String' ? '' : ` m:type="${type}"`
    return `<d:${name}${typed}>${escapeHtml(String(value(one)))}</d:${name}>`
  })
  return `<entry${attributes}><id>${address}</id>
<category term="NuGetGallery.OData.V2FeedPackage" scheme="http://schemas.microsoft.com/ado/2007/08/dataservices/scheme"/>
<link rel="self" href="${address}"/><link rel="edit" href="${address}"/>
<title type="text">${escapeHtml(one.id)}</title><updated>${new Date(one.createdAt).toISOString()}</updated>
<author><name>${escapeHtml(one.spec.authors)}</name></author>
<content type="application/zip" src="${escapeHtml(contentOf(base, one))}"/>
<m:properties>${properties.join('')}</m:properties></entry>
`
}

export const presentVersion = (base: string, one: ShownVersion): FormatAnswer => ({
  status: 200,
  type: ATOM,
  body: DECLARATION + entryOf(base, one, ` ${NAMESPACES}`),
})

interface Feed {
  readonly base: string
  /** The path below the registry. */
  readonly path: string
  readonly query: URLSearchParams
}

const MAX_ENTRIES = 100

/** One page of a feed by `$skip` and `$top`, with the address of the next one; or the number of all. */
export function presentFeed({ base, path, query }: Feed, all: readonly ShownVersion[]): FormatAnswer {
  if (path.endsWith('/$count')) return { status: 200, body: String(all.length) }
  const skip = numberOf(query, '$skip', 0)
  const top = Math.min(numberOf(query, '$top', MAX_ENTRIES), MAX_ENTRIES)
  const next = new URLSearchParams(query)
  next.set('$skip', String(skip + top))
  const isLast = top === 0 || skip + top >= all.length
  const link = isLast ? '' : `<link rel="next" href="${escapeHtml(`${base}${path}?${String(next)}`)}"/>\n`
  const entries = all.slice(skip, skip + top).map((one) => entryOf(base, one, ''))
  return {
    status: 200,
    type: ATOM,
    body: `${DECLARATION}<feed ${NAMESPACES} xml:base="${escapeHtml(base)}"><m:count>${all.length}</m:count>
<id>${escapeHtml(base + path)}</id><title type="text">Packages</title>
${entries.join('')}${link}</feed>
`,
  }
}

function numberOf(query: URLSearchParams, name: string, initial: number): number {
  const text = query.get(name) ?? String(initial)
  if (!/^\d{1,9}$/.test(text)) throw badRequest(`${name} is not a number`)
  return Number(text)
}

/** The value of an OData text such as `'x'`, in which quotes are doubled; texts without quotes are not changed. */
export const textOfLiteral = (literal: string): string =>
  literal.length >= 2 && literal.startsWith("'") && literal.endsWith("'")
    ? literal.slice(1, -1).replaceAll("''", "'")
    : literal

const ID_FIELD = String.raw`(?:Id|tolower\(Id\))`
const TERMS: readonly (readonly [RegExp, (one: ShownVersion, value: string) => boolean])[] = [
  [new RegExp(`^${ID_FIELD} eq '([^']*)'$`, 'i'), (one, value) => one.id.toLowerCase() === value],
  [new RegExp(`^substringof\\('([^']*)', ?${ID_FIELD}\\)$`, 'i'), (one, value) => one.id.toLowerCase().includes(value)],
  [
    new RegExp(`^startswith\\(${ID_FIELD}, ?'([^']*)'\\)$`, 'i'),
    (one, value) => one.id.toLowerCase().startsWith(value),
  ],
  [/^(?:Normalized)?Version eq '([^']*)'$/i, (one, value) => one.version.toLowerCase() === value],
  [/^IsLatestVersion(?: eq true)?$/i, (one) => one.isLatest],
  [/^IsAbsoluteLatestVersion(?: eq true)?$/i, (one) => one.isAbsoluteLatest],
]
const MAX_FILTER = 2000

/** Whether a version is in a feed with this `$filter`: terms that clients send, joined by `and`. Throws BadRequest. */
export function parseFilter(filter: string): (one: ShownVersion) => boolean {
  if (filter.length > MAX_FILTER) throw badRequest('$filter is too long')
  const tests = filter
    .split(/ and /i)
    .map((term) => term.trim().replace(/^\((?<inner>.*)\)$/, '$<inner>'))
    .filter((term) => term !== '')
    .map((term) => {
      for (const [pattern, test] of TERMS) {
        const match = pattern.exec(term)
        if (match !== null) return (one: ShownVersion) => test(one, (match[1] ?? '').toLowerCase())
      }
      throw badRequest(`$filter is not supported: ${term}`)
    })
  return (one) => tests.every((test) => test(one))
}
