import semver from 'semver'
import { members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageEntry, VersionEntry, VersionFile } from '../../packages/package-contents.store.ts'
import { extend } from '../../registry/documents/extend.ts'
import type { PackageDocument } from '../../registry/documents/package-documents.service.ts'
import type {
  CreateFormat,
  DocumentAnswer,
  FormatAnswer,
  FormatRequest,
  FormatRoute,
  FormatWrite,
} from '../../registry/format.ts'
import { readCrateUpload, readNewCrate } from './crate-upload.ts'

const type = 'cargo'
const CRATE = String.raw`/api/v1/crates/(?<name>[^/]+)`
const VERSION = String.raw`${CRATE}/(?<version>[^/]+)`

/** Crates of Rust, by the sparse index (behaviour/orgs-webhooks-actions#packages). */
export const createCargoFormat: CreateFormat = (contents) => ({
  type,
  documents: (entry) => [crateIndex(contents, entry)],
  errorBody: (message) => ({ ok: false, errors: [{ detail: message }] }),
  routes: [...indexRoutes(contents), ...crateRoutes(contents), ...changeRoutes(contents)],
})

function indexRoutes(contents: PackageContents): FormatRoute[] {
  return [
    {
      method: 'GET',
      access: 'read',
      path: /^\/config\.json$/,
      handle: async ({ owner, base }) => ({
        status: 200,
        body: { dl: `${base}/api/v1/crates`, api: base, 'auth-required': owner.visibility !== 'public' },
      }),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/(?:[12]|3\/[^/]|[^/]{2}\/[^/]{2})\/(?<name>[^/]+)$/,
      handle: (request) => showIndex(contents, request),
    },
  ]
}

async function showIndex(contents: PackageContents, request: FormatRequest): Promise<DocumentAnswer> {
  const entry = await contents.findPackage(request.owner, type, request.params['name'] ?? '')
  if (entry === undefined) throw errors.packageNotFound()
  return { document: crateIndex(contents, entry), type: 'text/plain;charset=utf-8' }
}

const crateIndex = (contents: PackageContents, entry: PackageEntry): PackageDocument => ({
  entry,
  name: 'index',
  basis: '',
  async make(former) {
    const list = (newest?: number) => contents.listVersionFiles(entry, newest)
    const textOf = ({ version_metadata: metadata }: VersionFile): string => `${lineOf({ metadata })}\n`
    const extended = await extend({ entry, former, list, textOf, end: '' })
    if (extended === undefined) return (await list()).map(textOf).join('')
    return Buffer.concat([extended.begin, Buffer.from(extended.added.join(''))])
  },
})

/** The content of `package_version.metadata` of a crate. */
const metadataOf = ({ metadata }: Pick<VersionEntry, 'metadata'>) => members(parseJson(metadata)?.value)
const lineOf = (version: Pick<VersionEntry, 'metadata'>): string => JSON.stringify(metadataOf(version)['line'])

function crateRoutes(contents: PackageContents): FormatRoute[] {
  return [
    {
      method: 'GET',
      access: 'read',
      path: /^\/api\/v1\/crates$/,
      handle: (request) => search(contents, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: new RegExp(`^${CRATE}/owners$`),
      handle: async ({ owner: { id, name, fullName } }) => ({
        status: 200,
        body: { users: [{ id, login: name, name: fullName }] },
      }),
    },
    {
      method: 'GET',
      access: 'read',
      path: new RegExp(`^${VERSION}/download$`),
      async handle({ owner, params: { name = '', version = '' } }) {
        const entry = await contents.findPackage(owner, type, name)
        const found = entry && (await contents.findVersion(entry, version))
        const [file] = found === undefined ? [] : await contents.listFiles(found)
        if (file === undefined) throw errors.packageNotFound()
        return { file }
      },
    },
  ]
}

const MAX_PER_PAGE = 100

async function search(contents: PackageContents, { owner, query }: FormatRequest): Promise<FormatAnswer> {
  const number = (name: string, initial: number): number => {
    const text = query.get(name) ?? String(initial)
    if (!/^[1-9]\d{0,8}$/.test(text)) throw errors.numberRequired(name)
    return Number(text)
  }
  const [perPage, page] = [Math.min(number('per_page', 10), MAX_PER_PAGE), number('page', 1)]
  const wanted = (query.get('q') ?? '').toLowerCase()
  const found = (await contents.listPackages(owner, type)).filter(({ name }) => name.toLowerCase().includes(wanted))
  const chosen = found.slice((page - 1) * perPage, page * perPage)
  const crates: object[] = []
  for (const entry of chosen) {
    const versions = await contents.listVersions(entry)
    const newest = versions.toSorted((a, b) => semver.rcompare(a.version, b.version))[0]
    if (newest !== undefined)
      crates.push({
        name: entry.name,
        max_version: newest.version,
        description: textOf(metadataOf(newest)['description']),
      })
  }
  return { status: 200, body: { crates, meta: { total: found.length } } }
}

function changeRoutes(contents: PackageContents): FormatRoute[] {
  return [
    {
      method: 'PUT',
      access: 'write',
      path: /^\/api\/v1\/crates\/new$/,
      handle: (request) => publish(contents, request),
    },
    {
      method: 'DELETE',
      access: 'write',
      path: new RegExp(`^${VERSION}/yank$`),
      handle: (request) => yank(contents, request, true),
    },
    {
      method: 'PUT',
      access: 'write',
      path: new RegExp(`^${VERSION}/unyank$`),
      handle: (request) => yank(contents, request, false),
    },
  ]
}

async function publish(contents: PackageContents, request: FormatWrite): Promise<FormatAnswer> {
  const { viewer, owner, body, hold } = request
  const { metadata, content } = await readCrateUpload(body as AsyncIterable<Buffer>, (bytes) => hold.receive(bytes))
  const { name, version, line, description } = readNewCrate(metadata)
  await contents.publish(viewer, owner, {
    type,
    name,
    version,
    metadata: JSON.stringify({ line: { ...line, cksum: content.sha256, yanked: false }, description }),
    files: [{ name: `${name}-${version}.crate`.toLowerCase(), content }],
  })
  return { status: 200, body: { ok: true, warnings: { invalid_categories: [], invalid_badges: [], other: [] } } }
}

/** A withdrawn version stays for those who use it already. */
async function yank(contents: PackageContents, request: FormatWrite, yanked: boolean): Promise<FormatAnswer> {
  const { name = '', version = '' } = request.params
  await contents.editVersionMetadata(request.owner, { type, name, version }, (former) => {
    const found = metadataOf({ metadata: former })
    return JSON.stringify({ ...found, line: { ...members(found['line']), yanked } })
  })
  return { status: 200, body: { ok: true } }
}
