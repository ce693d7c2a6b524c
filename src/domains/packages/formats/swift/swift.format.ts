import { badRequest } from '../../../../core/platform/errors.ts'
import { listOf, members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { VersionEntry } from '../../packages/package-contents.store.ts'
import type { CreateFormat, FormatAnswer, FormatRequest, FormatRoute } from '../../registry/format.ts'
import { requireClient } from '../../registry/registry-access.ts'
import { publishRelease } from './release-upload.ts'
import { ARCHIVE, getReleases, MANIFEST, releaseUrl, storedRelease, type } from './releases.ts'

const PACKAGE = String.raw`/(?<scope>[^/]+)/(?<name>[^/]+?)`
const RELEASE = String.raw`${PACKAGE}/(?<version>[^/]+?)`
const VERSION_HEADER = { 'content-version': '1' }

/** Releases of Swift packages, by SE-0292 and SE-0391 (behaviour/orgs-webhooks-actions#packages). */
export const createSwiftFormat: CreateFormat = (contents, tools) => ({
  type,
  errorAnswer: ({ status, message, headers }) => ({
    status,
    type: 'application/problem+json',
    headers: { ...VERSION_HEADER, ...headers, 'content-language': 'en' },
    body: { status, detail: message },
  }),
  routes: [
    {
      method: 'POST',
      access: 'open',
      path: /^\/login$/,
      async handle({ viewer }) {
        requireClient(viewer)
        return { status: 200, headers: VERSION_HEADER }
      },
    },
    {
      method: 'PUT',
      access: 'write',
      path: new RegExp(`^${RELEASE}$`),
      async handle(request) {
        requireAccept(request, 'json')
        return withVersion(await publishRelease(contents, tools, request))
      },
    },
    reading(String.raw`/identifiers`, 'json', (request) => showIdentifiers(contents, request)),
    reading(String.raw`${PACKAGE}(?:\.json)?`, 'json', (request) => listReleases(contents, request)),
    reading(String.raw`${RELEASE}\.zip`, 'zip', (request) => download(contents, request)),
    reading(String.raw`${RELEASE}(?:\.json)?`, 'json', (request) => showRelease(contents, request)),
    reading(String.raw`${RELEASE}/Package\.swift`, 'swift', (request) => showManifest(contents, request)),
  ],
})

type Media = 'json' | 'zip' | 'swift'

const reading = (
  path: string,
  media: Media,
  handle: (request: FormatRequest) => Promise<FormatAnswer>,
): FormatRoute => ({
  method: 'GET',
  access: 'read',
  path: new RegExp(`^${path}$`),
  async handle(request) {
    requireAccept(request, media)
    return withVersion(await handle(request))
  },
})

const withVersion = (answer: FormatAnswer): FormatAnswer => ({
  ...answer,
  headers: { ...VERSION_HEADER, ...answer.headers },
})

function requireAccept({ headers }: FormatRequest, media: Media): void {
  const wanted = `application/vnd.swift.registry.v1+${media}`
  if (!(headers.accept ?? '').split(',').some((one) => one.split(';', 1)[0]!.trim() === wanted))
    throw badRequest(`the header Accept is not ${wanted}`)
}

async function showIdentifiers(contents: PackageContents, { owner, query }: FormatRequest): Promise<FormatAnswer> {
  const url = query.get('url') ?? ''
  if (url === '') throw badRequest('the parameter url is missing')
  const found = (await contents.listPackages(owner, type)).filter(({ metadata }) =>
    listOf(members(parseJson(metadata)?.value)['repositories']).some(
      (one) => comparable(textOf(one)) === comparable(url),
    ),
  )
  if (found.length === 0) throw errors.packageNotFound()
  return { status: 200, body: { identifiers: found.map(({ name }) => name) } }
}

/** The same text for all addresses of one repository. */
const comparable = (url: string): string => url.toLowerCase().replace(/(?:\.git)?\/?$/, '')

async function listReleases(contents: PackageContents, request: FormatRequest): Promise<FormatAnswer> {
  const { entry, releases } = await getReleases(contents, request)
  const urlOf = (release: VersionEntry): string => releaseUrl(request, entry, release)
  return {
    status: 200,
    etag: `${entry.id}-${entry.revision}`,
    headers: linksOf([['latest-version', releases[0]]], urlOf),
    body: { releases: Object.fromEntries(releases.map((one) => [one.version, { url: urlOf(one) }])) },
  }
}

const linksOf = (
  links: readonly (readonly [relation: string, VersionEntry | undefined])[],
  urlOf: (release: VersionEntry) => string,
): Record<string, string> => ({
  link: links
    .flatMap(([relation, one]) => (one === undefined ? [] : [`<${urlOf(one)}>; rel="${relation}"`]))
    .join(', '),
})

/** The release of an address; `at` is its place among all, the highest first. Throws NotFound. */
async function getRelease(contents: PackageContents, request: FormatRequest) {
  const { entry, releases } = await getReleases(contents, request)
  const version = (request.params['version'] ?? '').toLowerCase()
  const at = releases.findIndex((one) => one.version.toLowerCase() === version)
  const release = releases[at]
  if (release === undefined) throw errors.packageNotFound()
  return { entry, releases, release, at }
}

async function showRelease(contents: PackageContents, request: FormatRequest): Promise<FormatAnswer> {
  const { entry, releases, release, at } = await getRelease(contents, request)
  const { checksum, metadata, signing } = storedRelease(release)
  return {
    status: 200,
    etag: `${entry.id}-${entry.revision}-${release.id}`,
    headers: linksOf(
      [
        ['latest-version', releases[0]],
        ['successor-version', releases[at - 1]],
        ['predecessor-version', releases[at + 1]],
      ],
      (one) => releaseUrl(request, entry, one),
    ),
    body: {
      id: entry.name,
      version: release.version,
      resources: [{ name: 'source-archive', type: 'application/zip', checksum, ...(signing && { signing }) }],
      metadata,
      publishedAt: new Date(release.createdAt).toISOString(),
    },
  }
}

async function download(contents: PackageContents, request: FormatRequest): Promise<FormatAnswer> {
  const { entry, release } = await getRelease(contents, request)
  const { checksum, signing } = storedRelease(release)
  return {
    file: await contents.getFile(request.owner, { type, name: entry.name, version: release.version }, ARCHIVE),
    name: `${entry.name.replace(/^[^.]+\./, '')}-${release.version}.zip`,
    type: 'application/zip',
    headers: {
      digest: `sha-256=${Buffer.from(checksum, 'hex').toString('base64')}`,
      ...(signing && {
        'x-swift-package-signature-format': signing.signatureFormat,
        'x-swift-package-signature': signing.signatureBase64Encoded,
      }),
    },
  }
}

async function showManifest(contents: PackageContents, request: FormatRequest): Promise<FormatAnswer> {
  const { owner, query } = request
  const { entry, release } = await getRelease(contents, request)
  const ref = { type, name: entry.name, version: release.version }
  const url = `${releaseUrl(request, entry, release)}/${MANIFEST}`
  const wanted = query.get('swift-version')
  if (wanted !== null) {
    const file = await contents.findFile(owner, ref, `Package@swift-${wanted}.swift`)
    return file === undefined ? { status: 303, headers: { location: url } } : { file, type: 'text/x-swift' }
  }
  const alternates = Object.entries(storedRelease(release).tools).flatMap(([name, tools]) => {
    const version = /^Package@swift-(.+)\.swift$/.exec(name)?.[1]
    return version === undefined
      ? []
      : [`<${url}?swift-version=${version}>; rel="alternate"; filename="${name}"; swift-tools-version="${tools}"`]
  })
  return {
    file: await contents.getFile(owner, ref, MANIFEST),
    type: 'text/x-swift',
    headers: alternates.length === 0 ? {} : { link: alternates.join(', ') },
  }
}
