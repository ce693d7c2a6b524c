import { badRequest } from '../../../../core/platform/errors.ts'
import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents, ReceivedFile } from '../../packages/package-contents.service.ts'
import type { PackageEntry, VersionEntry } from '../../packages/package-contents.store.ts'
import { readTar } from '../../registry/archives/tar.ts'
import type { CreateFormat, FormatAnswer, FormatRequest, FormatTools, FormatWrite } from '../../registry/format.ts'
import type { IndexKind } from '../../registry/indexes/package-indexes.service.ts'
import { readMultipart } from '../../registry/multipart.ts'
import { readMetadata } from '../../registry/read-metadata.ts'
import { isSignedContent, signedTextOf } from './chef-signature.ts'
import type { Cookbook } from './cookbook.task.ts'
import {
  cookbookAddress,
  cookbookOf,
  listCookbooks,
  newestOf,
  presentCookbook,
  presentVersion,
  type,
  versionAddress,
} from './cookbooks.ts'

const ROOT = String.raw`^\/api\/v1`
const COOKBOOK = String.raw`${ROOT}\/cookbooks\/(?<name>[^/]+)`
const VERSION = String.raw`${COOKBOOK}\/versions\/(?<version>[^/]+)`
const TASK: TaskKind<string, Cookbook> = { url: new URL('cookbook.task.ts', import.meta.url).href, deadline: 5_000 }
const LIMITS = { maxBytes: 256 * 1024 * 1024, maxEntries: 20_000 }
const MAX_METADATA = 1024 * 1024

/** Cookbooks of Chef, as a Supermarket has them (behaviour/orgs-webhooks-actions#packages). */
export const createChefFormat: CreateFormat = (contents, tools) => ({
  type,
  index: (base) => universeOf(base),
  errorBody: (message) => ({ error_messages: [message] }),
  credentials(sent, request) {
    const signed = sent.kind === 'none' ? signedTextOf(request, tools.clock.now()) : undefined
    return signed === undefined ? sent : { kind: 'signed-text', ...signed }
  },
  routes: [
    {
      method: 'POST',
      access: 'write',
      path: new RegExp(`${ROOT}/cookbooks/?$`),
      handle: (request) => upload(contents, tools, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: new RegExp(`${ROOT}/(?<list>cookbooks|search)/?$`),
      handle: (request) => list(contents, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: new RegExp(`${ROOT}/universe$`),
      handle: (request) => universe(contents, tools, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: new RegExp(`${COOKBOOK}$`),
      handle: (request) => showCookbook(contents, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: new RegExp(`${VERSION}$`),
      handle: (request) => showVersion(contents, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: new RegExp(`${VERSION}/download$`),
      async handle(request) {
        const { file } = await findVersion(contents, request)
        return { file, type: 'application/gzip' }
      },
    },
    {
      method: 'DELETE',
      access: 'write',
      path: new RegExp(`${VERSION}$`),
      async handle(request) {
        const { entry, version } = await findVersion(contents, request)
        await contents.deleteVersion(request.viewer, request.owner, {
          type,
          name: entry.name,
          version: version.version,
        })
        return { status: 200, body: {} }
      },
    },
    {
      method: 'DELETE',
      access: 'write',
      path: new RegExp(`${COOKBOOK}$`),
      async handle({ viewer, owner, params: { name = '' } }) {
        await contents.deletePackage(viewer, owner, { type, name }, () => undefined)
        return { status: 200, body: {} }
      },
    },
  ],
})

const fileName = (name: string, version: string): string => `${name}-${version}.tar.gz`

async function upload(
  contents: PackageContents,
  { taskPool }: FormatTools,
  request: FormatWrite,
): Promise<FormatAnswer> {
  const { viewer, owner, headers, body, hold, base } = request
  const { files } = await readMultipart(headers, body, (bytes) => hold.receive(bytes))
  const content = files.find(({ field }) => field === 'tarball')?.content
  if (content === undefined) throw badRequest('the form has no file "tarball"')
  if (!isSignedContent(headers, content)) throw errors.packageHashMismatch()
  const cookbook = await readMetadata(taskPool, viewer, TASK, await readMetadataJson(contents, content))
  const { name, version } = cookbook
  const metadata = JSON.stringify(cookbook)
  await contents.publish(viewer, owner, {
    type,
    name,
    version,
    isExactName: true,
    metadata,
    files: [{ name: fileName(name, version), content, metadata }],
  })
  return { status: 201, body: { uri: cookbookAddress(base, name) } }
}

async function readMetadataJson(contents: PackageContents, tarball: ReceivedFile): Promise<string> {
  let text: string | undefined
  await readTar(await contents.open(tarball), LIMITS, async (entry) => {
    if (!/^(?:\.\/)?[^/]+\/metadata\.json$/.test(entry.name) || entry.type !== 'file') return true
    text = (await entry.read(MAX_METADATA)).toString('utf8')
    return false
  })
  if (text === undefined) throw badRequest('the archive has no metadata.json in the folder of the cookbook')
  return text
}

const MAX_ITEMS = 100

async function list(contents: PackageContents, { owner, base, params, query }: FormatRequest): Promise<FormatAnswer> {
  const number = (name: string, initial: number): number => {
    const text = query.get(name) ?? String(initial)
    if (!/^\d{1,9}$/.test(text)) throw badRequest(`${name} must be a number`)
    return Number(text)
  }
  const page = { start: number('start', 0), limit: Math.min(number('items', 10), MAX_ITEMS) }
  const text = params['list'] === 'search' ? (query.get('q') ?? '') : ''
  return { status: 200, body: await listCookbooks(contents, owner, base, { text, ...page }) }
}

async function findCookbook(contents: PackageContents, { owner, params }: FormatRequest) {
  const entry = await contents.findPackage(owner, type, params['name'] ?? '')
  const versions = entry === undefined ? [] : await contents.listVersions(entry)
  if (entry === undefined || versions.length === 0) throw errors.packageNotFound()
  return { entry, versions }
}

async function showCookbook(contents: PackageContents, request: FormatRequest): Promise<FormatAnswer> {
  const { entry, versions } = await findCookbook(contents, request)
  return {
    status: 200,
    etag: `${entry.id}-${entry.revision}`,
    body: presentCookbook(request.base, entry, versions),
  }
}

interface FoundVersion {
  readonly entry: PackageEntry
  readonly version: VersionEntry
  readonly file: Awaited<ReturnType<PackageContents['getFile']>>
}

/** Clients write versions with underscores, and `latest`. Throws NotFound. */
async function findVersion(contents: PackageContents, request: FormatRequest): Promise<FoundVersion> {
  const { entry, versions } = await findCookbook(contents, request)
  const sent = (request.params['version'] ?? '').replaceAll('_', '.')
  const version = sent === 'latest' ? newestOf(versions) : versions.find((one) => one.version === sent)
  if (version === undefined) throw errors.packageNotFound()
  const ref = { type, name: entry.name, version: version.version }
  return {
    entry,
    version,
    file: await contents.getFile(request.owner, ref, fileName(cookbookOf(version).name, ref.version)),
  }
}

async function showVersion(contents: PackageContents, request: FormatRequest): Promise<FormatAnswer> {
  const { entry, version, file } = await findVersion(contents, request)
  return { status: 200, body: presentVersion(request.base, entry, version, file) }
}

const UNIVERSE = 'universe'
const JSON_TYPE = 'application/json;charset=utf-8'

async function universe(
  contents: PackageContents,
  { indexes }: FormatTools,
  { owner, base }: FormatRequest,
): Promise<FormatAnswer> {
  if ((await contents.summarizeFiles(owner, type)).count === 0) return { status: 200, body: {} }
  return { file: await indexes.get(owner, universeOf(base), UNIVERSE), type: JSON_TYPE }
}

/** All versions of all cookbooks with their dependencies, which Berkshelf solves with. */
const universeOf = (base: string): IndexKind => ({
  type,
  basis: base,
  async build({ files, put }) {
    const cookbooks: Record<string, Record<string, object>> = Object.create(null)
    for await (const file of files) {
      const { dependencies } = cookbookOf(file)
      const versions = (cookbooks[file.package] ??= {})
      versions[file.version] = {
        location_type: 'opscode',
        location_path: `${base}/api/v1`,
        download_url: `${versionAddress(base, file.package, file.version)}/download`,
        dependencies,
      }
    }
    await put(UNIVERSE, JSON.stringify(cookbooks))
  },
})
