import { Readable } from 'node:stream'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import { errors } from '../../../errors.ts'
import type { NewContents, PackageContents } from '../../packages/package-contents.service.ts'
import { readZip, type ZipReader } from '../../registry/archives/zip.ts'
import type { FormatAnswer, FormatTools, FormatWrite } from '../../registry/format.ts'
import { readMultipart } from '../../registry/multipart.ts'
import { readMetadata } from '../../registry/read-metadata.ts'
import { getNugetEntry, type StoredVersion, type } from './nuget-packages.ts'
import { normalizeVersion } from './nuget-version.ts'
import type { Nuspec } from './nuspec.task.ts'
import { pdbId, symbolFileName } from './pdb.ts'

const TASK: TaskKind<string, Nuspec> = { url: new URL('nuspec.task.ts', import.meta.url).href, deadline: 5000 }
const ID = /^\w+(?:[.-]\w+)*$/
const MAX_ID = 100
const MAX_NUSPEC = 1024 * 1024
const MAX_PDB = 32 * 1024 * 1024
const MAX_PDBS = 200

type Files = NewContents['files']

/** The first file of the form, whatever its name. */
async function receiveFile({ headers, body, hold }: FormatWrite) {
  const form = Readable.from(withLineEnd(body, headers['content-type'] ?? ''))
  const { files } = await readMultipart(headers, form, (bytes) => hold.receive(bytes))
  const content = files[0]?.content
  if (content === undefined) throw badRequest('the form has no file')
  return content
}

/**
 * COMPAT: nuget.exe on Mono has a line feed alone before the last delimiter of a form
 * (test/packages/registry/nuget.test.ts).
 */
async function* withLineEnd(body: AsyncIterable<Buffer>, type: string): AsyncGenerator<Buffer> {
  const end = Buffer.from(`\n--${/boundary="?([^";]{1,70})/.exec(type)?.[1]}--`)
  let rest = Buffer.alloc(0)
  for await (const chunk of body) {
    const bytes = Buffer.concat([rest, chunk])
    const cut = Math.max(0, bytes.length - end.length - 1)
    yield bytes.subarray(0, cut)
    rest = bytes.subarray(cut)
  }
  const isBare = rest.subarray(1).equals(end) && rest[0] !== 0x0d
  yield isBare ? Buffer.concat([rest.subarray(0, 1), Buffer.from('\r'), end]) : rest
}

interface Specification {
  readonly bytes: Buffer
  readonly spec: Nuspec
}

/** The specification at the root of the archive, its id and its version in their stored forms. Throws BadRequest. */
async function readNuspec(zip: ZipReader, { taskPool }: FormatTools, { viewer }: FormatWrite): Promise<Specification> {
  const [entry, ...others] = zip.entries.filter(({ name }) => /^[^/]+\.nuspec$/i.test(name))
  const bytes = entry && (await zip.read(entry.name, MAX_NUSPEC))
  if (bytes === undefined || others.length > 0) throw badRequest('the package must have one .nuspec file at its root')
  const spec = await readMetadata(taskPool, viewer, TASK, bytes.toString('utf8'))
  if (spec.id.length > MAX_ID || !ID.test(spec.id)) throw badRequest('the id of the package is invalid')
  const version = normalizeVersion(spec.version)
  if (version === undefined) throw errors.packageVersionInvalid()
  if (entry!.name.toLowerCase() !== `${spec.id}.nuspec`.toLowerCase())
    throw badRequest(`the file ${entry!.name} is of the package ${spec.id}`)
  return { bytes, spec: { ...spec, version } }
}

const fileName = ({ id, version }: Nuspec, extension: string): string => `${id}.${version}.${extension}`.toLowerCase()

export async function uploadPackage(
  contents: PackageContents,
  tools: FormatTools,
  request: FormatWrite,
): Promise<FormatAnswer> {
  const { viewer, owner, hold } = request
  const content = await receiveFile(request)
  const { bytes, spec } = await readZip(contents, content, (zip) => readNuspec(zip, tools, request))
  const stored: StoredVersion = { spec, size: content.size, sha512: content.sha512 }
  await contents.publish(viewer, owner, {
    type,
    name: spec.id,
    version: spec.version,
    metadata: JSON.stringify(stored),
    files: [
      { name: fileName(spec, 'nupkg'), content },
      { name: `${spec.id}.nuspec`.toLowerCase(), content: await hold.receive([bytes]) },
    ],
  })
  return { status: 201 }
}

/** Symbols belong to a version that exists. */
export async function uploadSymbols(
  contents: PackageContents,
  tools: FormatTools,
  request: FormatWrite,
): Promise<FormatAnswer> {
  const { viewer, owner } = request
  const content = await receiveFile(request)
  const { spec, pdbs } = await readZip(contents, content, async (zip) => {
    const { spec: found } = await readNuspec(zip, tools, request)
    return { spec: found, pdbs: await storePdbs(zip, request) }
  })
  const entry = await getNugetEntry(contents, owner, spec.id)
  if ((await contents.findVersion(entry, spec.version)) === undefined) throw errors.packageNotFound()
  await contents.publish(viewer, owner, {
    type,
    name: entry.name,
    version: spec.version,
    extends: true,
    files: [{ name: fileName(spec, 'snupkg'), content }, ...pdbs],
  })
  return { status: 201 }
}

/** One after the other: each is in memory as a whole. */
async function storePdbs(zip: ZipReader, { hold }: FormatWrite): Promise<Files> {
  const entries = zip.entries.filter(({ name }) => /\.pdb$/i.test(name))
  if (entries.length === 0 || entries.length > MAX_PDBS)
    throw badRequest(`a package of symbols has 1 to ${MAX_PDBS} .pdb files`)
  const files = new Map<string, Files[number]>()
  for (const { name } of entries) {
    const bytes = await zip.read(name, MAX_PDB)
    const id = bytes && pdbId(bytes)
    if (bytes === undefined || id === undefined) throw badRequest(`${name} is not a portable PDB`)
    const stored = symbolFileName(name.slice(name.lastIndexOf('/') + 1), id)
    // The same file may be there for several frameworks.
    if (!files.has(stored)) files.set(stored, { name: stored, content: await hold.receive([bytes]) })
  }
  return [...files.values()]
}
