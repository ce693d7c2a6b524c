import { hash } from 'node:crypto'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import { readTar } from '../../registry/archives/tar.ts'
import type { CreateFormat, FormatAnswer, FormatRequest, FormatTools, FormatWrite } from '../../registry/format.ts'
import { readMultipart } from '../../registry/multipart.ts'
import { readMetadata, readShort } from '../../registry/read-metadata.ts'
import { fullVersion, GEM_INDEX, presentInfo, presentQuickSpec, type } from './gem-index.ts'
import type { GemSpec } from './gem.task.ts'

const TASK: TaskKind<Uint8Array, GemSpec> = { url: new URL('gem.task.ts', import.meta.url).href, deadline: 10_000 }
const MAX_METADATA = 1024 * 1024
/** The metadata come first in files of today, and after the data in old ones. */
const LIMITS = { maxBytes: 1024 * 1024 * 1024, maxEntries: 20 }
const MAX_FORM = 4096

/** Gems of Ruby (behaviour/orgs-webhooks-actions#packages). */
export const createRubygemsFormat: CreateFormat = (contents, tools) => ({
  type,
  index: () => GEM_INDEX,
  routes: [
    // `gem` uses the compact index where this address answers.
    { method: 'GET', access: 'read', path: /^\/?$/, handle: async () => ({ status: 200, body: '' }) },
    {
      method: 'POST',
      access: 'write',
      path: /^\/api\/v1\/gems$/,
      handle: (request) => push(contents, tools, request),
    },
    {
      method: 'DELETE',
      access: 'write',
      path: /^\/api\/v1\/gems\/yank$/,
      handle: (request) => yank(contents, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/(?<file>versions|names|(?:latest_|prerelease_)?specs\.4\.8\.gz)$/,
      handle: (request) => showIndex(tools, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/info\/(?<name>[^/]+)$/,
      handle: (request) => showInfo(contents, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/gems\/(?<file>[^/]+\.gem)$/,
      handle: async (request) => ({ file: await getGem(contents, request, request.params['file'] ?? '') }),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/quick\/Marshal\.4\.8\/(?<stem>[^/]+)\.gemspec\.rz$/,
      async handle(request) {
        const file = await getGem(contents, request, `${request.params['stem']}.gem`)
        return { status: 200, type: 'application/octet-stream', body: presentQuickSpec(file), etag: file.sha256 }
      },
    },
  ],
})

const fileName = (spec: Pick<GemSpec, 'name' | 'version' | 'platform'>): string =>
  `${spec.name}-${fullVersion(spec)}.gem`

async function getGem(contents: PackageContents, { owner }: FormatRequest, name: string) {
  const file = await contents.findFileOfType(owner, type, name)
  if (file === undefined) throw errors.packageNotFound()
  return file
}

/** A version has one file for each platform. */
async function push(contents: PackageContents, { taskPool }: FormatTools, request: FormatWrite): Promise<FormatAnswer> {
  const { viewer, owner, body, hold } = request
  const content = await hold.receive(body)
  let metadata: Buffer | undefined
  await readTar(await contents.open(content), LIMITS, async (entry) => {
    if (entry.name !== 'metadata.gz') return true
    metadata = await entry.read(MAX_METADATA)
    return false
  })
  if (metadata === undefined) throw badRequest('the file is not a gem: it has no metadata.gz')
  const spec = await readMetadata(taskPool, viewer, TASK, metadata)
  const { name, version } = spec
  await contents.publish(viewer, owner, {
    type,
    name,
    version,
    isExactName: true,
    extends: true,
    files: [{ name: fileName(spec), content, metadata: JSON.stringify(spec) }],
  })
  return { status: 201, body: `Successfully registered gem: ${name} (${fullVersion(spec)})\n` }
}

/** The fields are in the address, or in the body as a form of either kind. */
async function yank(contents: PackageContents, request: FormatWrite): Promise<FormatAnswer> {
  const { viewer, owner, query, headers, body } = request
  const field = await readFields(headers, body)
  const [name, version, platform] = ['gem_name', 'version', 'platform'].map((key) => query.get(key) ?? field(key))
  if (!name || !version) throw badRequest('gem_name and version are required')
  const file = fileName({ name, version, platform: platform || 'ruby' })
  await contents.deleteFile(viewer, owner, { type, name, version }, file)
  return { status: 200, body: `Successfully deleted gem: ${name} (${version})\n` }
}

async function readFields(
  headers: FormatRequest['headers'],
  body: FormatRequest['body'],
): Promise<(name: string) => string | undefined> {
  if (/^multipart\/form-data/i.test(headers['content-type'] ?? '')) {
    const { fields } = await readMultipart(headers, body, async () => {
      throw badRequest('the form has a file')
    })
    return (name) => fields.get(name)?.[0]
  }
  const form = new URLSearchParams((await readShort(body, MAX_FORM, 'the form')).toString('utf8'))
  return (name) => form.get(name) ?? undefined
}

const text = 'text/plain;charset=utf-8'

/** COMPAT: Bundler before 2.5 compares ETag with the MD5 of the file (test/packages/registry/rubygems.test.ts). */
async function showIndex({ indexes }: FormatTools, { owner, params, headers }: FormatRequest): Promise<FormatAnswer> {
  const name = params['file'] ?? ''
  const file = await indexes.get(owner, GEM_INDEX, name)
  if (headers['if-none-match'] === `"${file.md5}"`) return { status: 200, etag: file.md5 }
  return {
    file,
    type: name.endsWith('.gz') ? 'application/octet-stream' : text,
    headers: { etag: `"${file.md5}"` },
  }
}

async function showInfo(contents: PackageContents, { owner, params }: FormatRequest): Promise<FormatAnswer> {
  const entry = await contents.findPackage(owner, type, params['name'] ?? '')
  if (entry === undefined || entry.name !== params['name']) throw errors.packageNotFound()
  const body = presentInfo(await contents.listFilesOfPackage(entry))
  return { status: 200, type: text, body, etag: hash('md5', body, 'hex') }
}
