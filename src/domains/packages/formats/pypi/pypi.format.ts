import { valid } from '@renovatebot/pep440'
import { sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import { escapeHtml } from '../../../../core/platform/html.ts'
import { members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import { errors } from '../../../errors.ts'
import type { User } from '../../../accounts/index.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageEntry } from '../../packages/package-contents.store.ts'
import { extend } from '../../registry/documents/extend.ts'
import type { PackageFile } from '../../packages/package.store.ts'
import { readMultipart } from '../../registry/multipart.ts'
import type { PackageDocument } from '../../registry/documents/package-documents.service.ts'
import type { CreateFormat, DocumentAnswer, FormatAnswer, FormatRequest, FormatWrite } from '../../registry/format.ts'
import { normalized, readWheelMetadata, requireMetadataOf } from './wheel-metadata.ts'

const type = 'pypi'
/** The name of a distribution (PEP 508). */
const NAME = /^[A-Z0-9](?:[A-Z0-9._-]{0,198}[A-Z0-9])?$/i
const FILE = /^[\w.+!-]{1,255}\.(?:whl|tar\.gz|zip|tar\.bz2|egg)$/
const SIMPLE_JSON = 'application/vnd.pypi.simple.v1+json'

/** Distributions of Python (behaviour/orgs-webhooks-actions#packages). */
export const createPypiFormat: CreateFormat = (contents) => {
  return {
    type,
    documents: (entry, base) => projectDocuments(contents, entry, base),
    routes: [
      { method: 'POST', access: 'write', path: /^\/?$/, handle: (request) => upload(contents, request) },
      {
        method: 'GET',
        access: 'read',
        path: /^\/simple\/?$/,
        handle: async (request) => index(request, await contents.listPackages(request.owner, type)),
      },
      {
        method: 'GET',
        access: 'read',
        path: /^\/simple\/(?<name>[^/]+)\/?$/,
        handle: (request) => project(contents, request),
      },
      {
        method: 'GET',
        access: 'read',
        path: /^\/files\/(?<name>[^/]+)\/(?<version>[^/]+)\/(?<file>[^/]+\.whl)\.metadata$/,
        handle: async (request) => showMetadata(contents, await getFile(contents, request)),
      },
      {
        method: 'GET',
        access: 'read',
        path: /^\/files\/(?<name>[^/]+)\/(?<version>[^/]+)\/(?<file>[^/]+)$/,
        handle: async (request) => ({ file: await getFile(contents, request) }),
      },
    ],
  }
}

/** The name that the package gets: runs of signs are one hyphen. */
const storedName = (name: string): string => name.replaceAll(/[-_.]+/g, '-')

async function findProject(contents: PackageContents, owner: User, name: string): Promise<PackageEntry> {
  const entry = await contents.findPackage(owner, type, normalized(name))
  if (entry === undefined) throw errors.packageNotFound()
  return entry
}

async function getFile(contents: PackageContents, { owner, params }: FormatRequest): Promise<PackageFile> {
  const { name = '', version = '', file = '' } = params
  const entry = await findProject(contents, owner, name)
  return contents.getFile(owner, { type, name: entry.name, version }, file)
}

/** The metadata of a wheel, apart from the wheel (PEP 658). */
async function showMetadata(contents: PackageContents, file: PackageFile): Promise<FormatAnswer> {
  const { coreMetadata } = metadataOf(file)
  const body = coreMetadata === '' ? undefined : await readWheelMetadata(contents, file)
  if (body === undefined) throw errors.packageNotFound()
  return { status: 200, type: 'application/octet-stream', body, etag: coreMetadata }
}

const MAX_TEXT = 64 * 1024

async function upload(contents: PackageContents, request: FormatWrite): Promise<FormatAnswer> {
  const { viewer, owner, headers, body, hold } = request
  const form = await readMultipart(headers, body, (bytes) => hold.receive(bytes))
  const field = (name: string): string => (form.fields.get(name)?.[0] ?? '').toWellFormed().slice(0, MAX_TEXT)
  const file = form.files.find((one) => one.field === 'content')
  if (file === undefined) throw badRequest('the form has no file "content"')
  const [name, version] = [field('name'), field('version').trim()]
  if (!NAME.test(name) || version.length > 255 || valid(version) === null) throw badRequest('invalid name or version')
  if (!FILE.test(file.fileName)) throw errors.packageFileNameInvalid()
  if (field('sha256_digest').toLowerCase() !== file.content.sha256) throw errors.packageHashMismatch()
  const inWheel = file.fileName.endsWith('.whl') ? await readWheelMetadata(contents, file.content) : undefined
  if (inWheel !== undefined) requireMetadataOf(inWheel, { name, version })
  const metadata = Object.fromEntries(
    ['summary', 'author', 'license', 'keywords', 'requires_python', 'home_page', 'description'].map((key) => [
      key,
      field(key),
    ]),
  )
  await contents.publish(viewer, owner, {
    type,
    name: storedName(name),
    version,
    extends: true,
    metadata: JSON.stringify(metadata),
    files: [
      {
        name: file.fileName,
        content: file.content,
        metadata: JSON.stringify({
          requires_python: field('requires_python').slice(0, 1000),
          ...(inWheel && { core_metadata: sha256Hex(inWheel) }),
        }),
      },
    ],
  })
  return { status: 201 }
}

const HTML = 'text/html;charset=utf-8'

/** The HTML before and after the links of a page. */
const aroundLinks = (title: string): readonly [begin: string, end: string] => [
  `<!DOCTYPE html>
<html><head><meta name="pypi:repository-version" content="1.0"><title>${escapeHtml(title)}</title></head>
<body><h1>${escapeHtml(title)}</h1>
`,
  '\n</body></html>\n',
]
const BETWEEN_LINKS = '<br>\n'

const wantsJson = ({ headers }: FormatRequest): boolean => (headers.accept ?? '').includes(SIMPLE_JSON)

/** All projects (PEP 503, PEP 691). */
function index(request: FormatRequest, entries: readonly PackageEntry[]): FormatAnswer {
  if (wantsJson(request)) {
    const projects = entries.map(({ name }) => ({ name }))
    return { status: 200, type: SIMPLE_JSON, body: { meta: { 'api-version': '1.0' }, projects } }
  }
  const links = entries.map(
    ({ name }) => `<a href="${escapeHtml(`${request.base}/simple/${normalized(name)}/`)}">${escapeHtml(name)}</a>`,
  )
  const [begin, end] = aroundLinks('Simple index')
  return { status: 200, type: HTML, body: begin + links.join(BETWEEN_LINKS) + end }
}

async function project(contents: PackageContents, request: FormatRequest): Promise<DocumentAnswer> {
  const { owner, params, base } = request
  const entry = await findProject(contents, owner, params['name'] ?? '')
  const [html, json] = projectDocuments(contents, entry, base)
  return wantsJson(request) ? { document: json, type: SIMPLE_JSON } : { document: html, type: HTML }
}

/** The files of a project (PEP 503, PEP 691). */
function projectDocuments(
  contents: PackageContents,
  entry: PackageEntry,
  base: string,
): readonly [html: PackageDocument, json: PackageDocument] {
  const address = `${base}/files/${normalized(entry.name)}`
  const list = async (newest?: number): Promise<ListedDistribution[]> =>
    (await contents.listNamedFiles(entry, newest)).map((file) => ({
      file,
      url: `${address}/${encodeURIComponent(file.version)}/${encodeURIComponent(file.name)}`,
      ...metadataOf(file),
    }))
  const documentOf = (name: string, { begin, separator, end, textOf }: ProjectText): PackageDocument => ({
    entry,
    basis: base,
    name,
    async make(former) {
      const extended = await extend({ entry, former, list, textOf, end })
      if (extended === undefined) return `${begin}${(await list()).map(textOf).join(separator)}${end}`
      return Buffer.concat([extended.begin, Buffer.from(['', ...extended.added].join(separator) + end)])
    },
  })
  return [documentOf('html', projectPage(entry)), documentOf('json', projectJson(entry))]
}

interface ListedDistribution {
  readonly file: PackageFile
  readonly url: string
  readonly python: string
  /** The SHA-256 of the metadata of a wheel; empty of files without them. */
  readonly coreMetadata: string
}

/** A document: the texts of its files, the text between them, and the text around them. */
interface ProjectText {
  readonly begin: string
  readonly separator: string
  readonly end: string
  textOf(file: ListedDistribution): string
}

const projectJson = ({ name }: PackageEntry): ProjectText => ({
  begin: `{"meta":{"api-version":"1.0"},"name":${JSON.stringify(normalized(name))},"files":[`,
  separator: ',',
  end: ']}',
  textOf: ({ file, url, python, coreMetadata }) =>
    JSON.stringify({
      filename: file.name,
      url,
      hashes: { sha256: file.sha256 },
      ...(python !== '' && { 'requires-python': python }),
      ...(coreMetadata !== '' && { 'core-metadata': { sha256: coreMetadata } }),
      size: file.size,
    }),
})

function projectPage({ name }: PackageEntry): ProjectText {
  const [begin, end] = aroundLinks(`Links for ${name}`)
  return {
    begin,
    separator: BETWEEN_LINKS,
    end,
    textOf({ file, url, python, coreMetadata }) {
      const attributes = [
        ` href="${escapeHtml(`${url}#sha256=${file.sha256}`)}"`,
        python === '' ? '' : ` data-requires-python="${escapeHtml(python)}"`,
        coreMetadata === '' ? '' : metadataAttributes(coreMetadata),
      ]
      return `<a${attributes.join('')}>${escapeHtml(file.name)}</a>`
    },
  }
}

/** Attributes under the name of PEP 658, and under that of PEP 714. */
const metadataAttributes = (sha256: string): string =>
  ['dist-info', 'core'].map((name) => ` data-${name}-metadata="sha256=${sha256}"`).join('')

function metadataOf({ metadata }: PackageFile): Pick<ListedDistribution, 'python' | 'coreMetadata'> {
  const { requires_python: python, core_metadata: coreMetadata } = members(parseJson(metadata)?.value)
  return { python: textOf(python), coreMetadata: textOf(coreMetadata) }
}
