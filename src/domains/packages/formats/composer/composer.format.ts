import { members, type Members, numberOf, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageEntry, VersionEntry } from '../../packages/package-contents.store.ts'
import { readZip } from '../../registry/archives/zip.ts'
import type { PackageDocument } from '../../registry/documents/package-documents.service.ts'
import type {
  CreateFormat,
  DocumentAnswer,
  FormatAnswer,
  FormatRequest,
  FormatRoute,
  FormatWrite,
} from '../../registry/format.ts'
import { minified, readComposerPackage } from './composer-package.ts'

const type = 'composer'

/** Packages of PHP, by the protocol of Composer 2 (behaviour/orgs-webhooks-actions#packages). */
export const createComposerFormat: CreateFormat = (contents) => ({
  type,
  errorBody: (message, status) => ({ errors: [{ status, message }] }),
  routes: [
    { method: 'PUT', access: 'write', path: /^\/?$/, handle: (request) => upload(contents, request) },
    ...listRoutes(contents),
    {
      method: 'GET',
      access: 'read',
      path: /^\/p2\/(?<vendor>[^/]+)\/(?<name>[^/]+?)(?:~dev)?\.json$/,
      handle: (request) => showPackage(contents, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/files\/(?<name>[^/]+(?:\/[^/]+)?)\/(?<version>[^/]+)\/(?<file>[^/]+)$/,
      handle: async ({ owner, params: { name = '', version = '', file = '' } }) => ({
        file: await contents.getFile(owner, { type, name, version }, file),
        type: 'application/zip',
      }),
    },
  ],
})

async function upload(contents: PackageContents, request: FormatWrite): Promise<FormatAnswer> {
  const { viewer, owner, query, body, hold } = request
  const zip = await hold.receive(body)
  const { name, version, shown } = await readZip(contents, zip, (archive) =>
    readComposerPackage(archive, query.get('version')),
  )
  const file = `${name.replace('/', '-')}.${version.replaceAll('/', '-')}.zip`
  await contents.publish(viewer, owner, {
    type,
    name,
    version,
    metadata: JSON.stringify({ shown, file, shasum: zip.sha1 }),
    files: [{ name: file, content: zip }],
  })
  return { status: 201 }
}

function listRoutes(contents: PackageContents): FormatRoute[] {
  return [
    {
      method: 'GET',
      access: 'read',
      path: /^\/packages\.json$/,
      handle: async ({ base }) => ({
        status: 200,
        body: {
          search: `${base}/search.json?q=%query%&type=%type%`,
          'metadata-url': `${base}/p2/%package%.json`,
          list: `${base}/list.json`,
        },
      }),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/list\.json$/,
      handle: async ({ owner }) => ({
        status: 200,
        body: { packageNames: (await contents.listPackages(owner, type)).map(({ name }) => name) },
      }),
    },
    { method: 'GET', access: 'read', path: /^\/search\.json$/, handle: (request) => search(contents, request) },
  ]
}

/** The content of `package_version.metadata`. */
const metadataOf = ({ metadata }: VersionEntry) => {
  const { shown, file, shasum } = members(parseJson(metadata)?.value)
  return { shown: members(shown), file: textOf(file), shasum: textOf(shasum) }
}

async function showPackage(contents: PackageContents, request: FormatRequest): Promise<DocumentAnswer> {
  const { owner, base, params } = request
  const entry = await contents.findPackage(owner, type, `${params['vendor']}/${params['name']}`)
  if (entry === undefined) throw errors.packageNotFound()
  return { document: versionList(contents, entry, base), type: 'application/json;charset=utf-8' }
}

const versionList = (contents: PackageContents, entry: PackageEntry, base: string): PackageDocument => ({
  entry,
  name: 'p2',
  basis: base,
  async make() {
    const versions = (await contents.listVersions(entry)).toReversed().map((version) => describe(base, entry, version))
    return JSON.stringify({ minified: 'composer/2.0', packages: { [entry.name]: minified(versions) } })
  },
})

function describe(base: string, { name }: PackageEntry, version: VersionEntry): Members {
  const { shown, file, shasum } = metadataOf(version)
  const path = [name, version.version, file].map(encodeURIComponent).join('/')
  return {
    ...shown,
    name,
    version: version.version,
    time: new Date(version.createdAt).toISOString(),
    dist: { type: 'zip', url: `${base}/files/${path}`, shasum },
  }
}

const MAX_PER_PAGE = 100

async function search(contents: PackageContents, { owner, query, base }: FormatRequest): Promise<FormatAnswer> {
  const [text, kind] = [query.get('q') ?? '', query.get('type') ?? '']
  const perPage = Math.min(numberOf(Number(query.get('per_page'))) || 15, MAX_PER_PAGE)
  const page = numberOf(Number(query.get('page'))) || 1
  const newest = new Map<number, VersionEntry>()
  for (const version of await contents.listAllVersions(owner, type)) newest.set(version.packageId, version)
  const found = (await contents.listPackages(owner, type)).flatMap(({ id, name }) => {
    const version = newest.get(id)
    const { shown } = version === undefined ? { shown: {} as Members } : metadataOf(version)
    const isFound = name.includes(text.toLowerCase()) && (kind === '' || (shown['type'] ?? 'library') === kind)
    return isFound ? [{ name, description: textOf(shown['description']), downloads: version?.downloads ?? 0 }] : []
  })
  const results = found.slice((page - 1) * perPage, page * perPage)
  const next = new URLSearchParams({ q: text, type: kind, page: String(page + 1), per_page: String(perPage) })
  return {
    status: 200,
    body: {
      total: found.length,
      results,
      ...(page * perPage < found.length && { next: `${base}/search.json?${next.toString()}` }),
    },
  }
}
