import type { IncomingHttpHeaders } from 'node:http'
import semver from 'semver'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import { members, parseJson } from '../../../../core/platform/json-members.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents, ReceivedFile } from '../../packages/package-contents.service.ts'
import type { PackageEntry, VersionEntry } from '../../packages/package-contents.store.ts'
import { readTar } from '../../registry/archives/tar.ts'
import type {
  CreateFormat,
  FormatAnswer,
  FormatRefusal,
  FormatRequest,
  FormatRoute,
  FormatTools,
  FormatWrite,
} from '../../registry/format.ts'
import { readMultipart } from '../../registry/multipart.ts'
import { readHead, readMetadata } from '../../registry/read-metadata.ts'
import type { Pubspec } from './pubspec.task.ts'

const type = 'pub'
const JSON_TYPE = 'application/vnd.pub.v2+json'
const PUBSPEC_TASK: TaskKind<string, Pubspec> = {
  url: new URL('pubspec.task.ts', import.meta.url).href,
  deadline: 5_000,
}
const LIMITS = { maxBytes: 2 * 1024 * 1024 * 1024, maxEntries: 50_000 }
const MAX_PUBSPEC = 128 * 1024
const GZIP = Buffer.of(0x1f, 0x8b)
const ARCHIVE = 'package.tar.gz'
/** The client shows it. */
const HINT = 'An access token with the scope read:package or write:package is needed, of a user with these rights.'

/** Packages of Dart, by version 2 of its repository specification (behaviour/orgs-webhooks-actions#packages). */
export const createPubFormat: CreateFormat = (contents, tools) => ({
  type,
  errorAnswer,
  routes: [...publishingRoutes(contents, tools), ...readingRoutes(contents)],
})

function errorAnswer(
  { status, code, message, headers }: FormatRefusal,
  { authorization }: IncomingHttpHeaders,
): FormatAnswer {
  // NOTE: after a 401 the client deletes its token, which it must not do if only the rights are missing.
  const shown = code === 'package_access_required' && authorization !== undefined ? 403 : status
  const challenge = { 'www-authenticate': `Bearer realm="pub", message="${HINT}"` }
  return {
    status: shown,
    type: JSON_TYPE,
    headers: { ...headers, ...((shown === 401 || shown === 403) && challenge) },
    body: { error: { code, message } },
  }
}

const json = (body: object): FormatAnswer => ({ status: 200, type: JSON_TYPE, body })

function publishingRoutes(contents: PackageContents, tools: FormatTools): FormatRoute[] {
  const path = String.raw`^/api/packages/versions/new`
  return [
    {
      method: 'GET',
      access: 'write',
      path: new RegExp(`${path}$`),
      handle: async ({ base }) => json({ url: `${base}/api/packages/versions/new/upload`, fields: {} }),
    },
    {
      method: 'POST',
      access: 'write',
      path: new RegExp(`${path}/upload$`),
      handle: (request) => upload(contents, tools, request),
    },
    {
      method: 'GET',
      access: 'write',
      path: new RegExp(`${path}/finalize/(?<name>[^/]+)/(?<version>[^/]+)$`),
      async handle(request) {
        const { entry, version } = await getVersion(contents, request)
        return json({ success: { message: `Published ${entry.name} ${version.version}.` } })
      },
    },
  ]
}

async function upload(
  contents: PackageContents,
  { taskPool }: FormatTools,
  { viewer, owner, headers, body, base, hold }: FormatWrite,
): Promise<FormatAnswer> {
  const form = await readMultipart(headers, body, (bytes) => hold.receive(bytes))
  const content = form.files.find(({ field }) => field === 'file')?.content
  if (content === undefined) throw badRequest('the form has no file "file"')
  const { name, version, document } = await readMetadata(
    taskPool,
    viewer,
    PUBSPEC_TASK,
    await readPubspec(contents, content),
  )
  await contents.publish(viewer, owner, {
    type,
    name,
    version,
    isExactName: true,
    metadata: JSON.stringify({ pubspec: document, sha256: content.sha256 }),
    files: [{ name: ARCHIVE, content }],
  })
  const location = `${base}/api/packages/versions/new/finalize/${name}/${encodeURIComponent(version)}`
  return { status: 204, headers: { location } }
}

async function readPubspec(contents: PackageContents, content: ReceivedFile): Promise<string> {
  let text: string | undefined
  if (!(await readHead(contents, content, 2)).equals(GZIP)) throw badRequest('the archive is not a .tar.gz file')
  await readTar(await contents.open(content), LIMITS, async (entry) => {
    if (!/^(?:\.\/)?pubspec\.yaml$/.test(entry.name) || entry.type !== 'file') return true
    text = (await entry.read(MAX_PUBSPEC)).toString('utf8')
    return false
  })
  if (text === undefined) throw badRequest('the archive has no pubspec.yaml')
  return text
}

function readingRoutes(contents: PackageContents): FormatRoute[] {
  const archives = [
    String.raw`/api/packages/(?<name>[^/]+)/files/(?<version>[^/]+?)(?:\.tar\.gz)?`,
    String.raw`/packages/(?<name>[^/]+)/versions/(?<version>[^/]+)\.tar\.gz`,
  ]
  return [
    {
      method: 'GET',
      access: 'read',
      path: /^\/api\/packages\/(?<name>[^/]+)$/,
      handle: (request) => showPackage(contents, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/api\/packages\/(?<name>[^/]+)\/(?:versions\/)?(?<version>[^/]+)$/,
      async handle(request) {
        const { entry, version } = await getVersion(contents, request)
        return json(presentVersion(request, entry, version))
      },
    },
    ...archives.map((path): FormatRoute => ({
      method: 'GET',
      access: 'read',
      path: new RegExp(`^${path}$`),
      handle: async ({ owner, params: { name = '', version = '' } }) => ({
        file: await contents.getFile(owner, { type, name, version }, ARCHIVE),
        name: `${name}-${version}.tar.gz`,
      }),
    })),
  ]
}

async function getVersion(contents: PackageContents, { owner, params }: FormatRequest) {
  const entry = await contents.findPackage(owner, type, params['name'] ?? '')
  const version = entry && (await contents.findVersion(entry, params['version'] ?? ''))
  if (entry === undefined || version === undefined) throw errors.packageNotFound()
  return { entry, version }
}

async function showPackage(contents: PackageContents, request: FormatRequest): Promise<FormatAnswer> {
  const entry = await contents.findPackage(request.owner, type, request.params['name'] ?? '')
  if (entry === undefined) throw errors.packageNotFound()
  const versions = (await contents.listVersions(entry)).toSorted((a, b) => semver.compareBuild(a.version, b.version))
  const latest = versions.findLast(({ version }) => semver.prerelease(version) === null) ?? versions.at(-1)
  if (latest === undefined) throw errors.packageNotFound()
  return {
    status: 200,
    type: JSON_TYPE,
    etag: `${entry.id}-${entry.revision}`,
    body: {
      name: entry.name,
      latest: presentVersion(request, entry, latest),
      versions: versions.map((version) => presentVersion(request, entry, version)),
    },
  }
}

function presentVersion(
  { base }: FormatRequest,
  { name }: PackageEntry,
  { version, createdAt, metadata }: VersionEntry,
) {
  const { pubspec, sha256 } = members(parseJson(metadata)?.value)
  return {
    version,
    pubspec,
    archive_url: `${base}/api/packages/${name}/files/${encodeURIComponent(version)}.tar.gz`,
    archive_sha256: sha256,
    published: new Date(createdAt).toISOString(),
  }
}
