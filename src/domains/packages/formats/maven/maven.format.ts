import { hash } from 'node:crypto'
import { sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { CreateFormat, FormatAnswer, FormatRequest, FormatTools, FormatWrite } from '../../registry/format.ts'
import { readMetadata, readShort } from '../../registry/read-metadata.ts'
import { pluginMetadata, pluginOf, presentMetadata } from './maven-metadata.ts'
import { type Algorithm, isSnapshot, type MavenFile, parseMavenPath } from './maven-path.ts'
import type { MavenPlugin } from './plugins.task.ts'
import type { Pom } from './pom.task.ts'

const type = 'maven'
const PATH = /^\/(?<path>.+)$/
const XML = 'text/xml'

const POM_TASK: TaskKind<string, Pom> = { url: new URL('pom.task.ts', import.meta.url).href, deadline: 5000 }
const PLUGINS_TASK: TaskKind<string, MavenPlugin[]> = {
  url: new URL('plugins.task.ts', import.meta.url).href,
  deadline: 5000,
}
const MAX_XML = 1024 * 1024
const MAX_CHECKSUM = 1024

/** Artifacts of Maven and its like (behaviour/orgs-webhooks-actions#packages). */
export const createMavenFormat: CreateFormat = (contents, tools) => ({
  type,
  routes: [
    { method: 'GET', access: 'read', path: PATH, handle: (request) => show(contents, request) },
    { method: 'PUT', access: 'write', path: PATH, handle: (request) => upload(contents, tools, request) },
  ],
})

const nameOf = ({ group, artifact }: MavenFile): string => `${group}:${artifact}`

type MetadataTarget = Exclude<ReturnType<typeof parseMavenPath>['target'], MavenFile>

async function show(contents: PackageContents, request: FormatRequest): Promise<FormatAnswer> {
  const { target, checksum } = parseMavenPath(request.params['path'] ?? '')
  if (target.kind === 'metadata') return showMetadata(contents, request, target, checksum)
  const { version, file: name } = target
  const file = await contents.getFile(request.owner, { type, name: nameOf(target), version }, name)
  return checksum === undefined ? { file, type: contentTypeOf(name) } : { status: 200, body: file[checksum] }
}

function contentTypeOf(name: string): string {
  if (name.endsWith('.jar')) return 'application/java-archive'
  return /\.(?:pom|xml)$/.test(name) ? XML : 'application/octet-stream'
}

async function showMetadata(
  contents: PackageContents,
  { owner, headers }: FormatRequest,
  { artifact, group }: MetadataTarget,
  checksum: Algorithm | undefined,
): Promise<FormatAnswer> {
  const entry = artifact === undefined ? undefined : await contents.findPackage(owner, type, artifact)
  const inGroup = await contents.listPackages(owner, type, `${group}:`)
  const plugins = inGroup.filter((one) => pluginOf(one) !== undefined)
  const shown = [...(entry === undefined ? [] : [entry]), ...plugins]
  if (shown.length === 0) throw errors.packageNotFound()
  const etag = sha256Hex(shown.map(({ id, revision }) => `${id}-${revision}`).join(' '))
  if (checksum === undefined && headers['if-none-match'] === `"${etag}"`) return { status: 200, etag }
  const versions = entry === undefined ? [] : await contents.listVersions(entry)
  const body = presentMetadata({
    entry,
    versions: versions.map(({ version }) => version),
    plugins: plugins.flatMap((one) => pluginOf(one) ?? []),
  })
  return checksum === undefined
    ? { status: 200, type: XML, body, etag }
    : { status: 200, body: hash(checksum, body, 'hex') }
}

async function upload(contents: PackageContents, tools: FormatTools, request: FormatWrite): Promise<FormatAnswer> {
  const { viewer, owner, params, body, hold } = request
  const { target, checksum } = parseMavenPath(params['path'] ?? '')
  if (target.kind === 'metadata') {
    // The server generates this document; only the plugins of the uploaded one are used.
    if (checksum === undefined) await storePlugins(contents, tools, request, target.group)
    return { status: 200 }
  }
  if (checksum !== undefined) {
    await compareChecksum(contents, request, target, checksum)
    return { status: 200 }
  }
  const { version, file: name } = target
  const content = await hold.receive(body)
  const metadata = name.endsWith('.pom') ? await readPom(tools, request, target, await contents.open(content)) : ''
  await contents.publish(viewer, owner, {
    type,
    name: nameOf(target),
    version,
    extends: true,
    files: [{ name, content, metadata, replaces: isSnapshot(version) && name === 'maven-metadata.xml' }],
  })
  return { status: 201 }
}

/** The client sends a checksum after its file, as hex, alone or before the name of the file. */
async function compareChecksum(
  contents: PackageContents,
  { owner, body }: FormatWrite,
  target: MavenFile,
  checksum: Algorithm,
): Promise<void> {
  const sent = (await readShort(body, MAX_CHECKSUM, 'the checksum')).toString('latin1').trim().split(/\s/)[0]
  const ref = { type, name: nameOf(target), version: target.version }
  const file = await contents.getFile(owner, ref, target.file)
  if (sent?.toLowerCase() !== file[checksum]) throw errors.packageHashMismatch()
}

/** The stored metadata of a POM. Throws BadRequest unless its coordinates are those of the path. */
async function readPom(
  { taskPool }: FormatTools,
  { viewer }: FormatWrite,
  target: MavenFile,
  bytes: AsyncIterable<Uint8Array>,
): Promise<string> {
  const text = (await readShort(bytes, MAX_XML, 'the POM')).toString('utf8')
  const pom = await readMetadata(taskPool, viewer, POM_TASK, text)
  const pairs = [
    [pom.groupId, target.group],
    [pom.artifactId, target.artifact],
    [pom.version, target.version],
  ] as const
  // Coordinates may be inherited, and properties are known to Maven only.
  const differing = pairs.find(([sent, expected]) => sent !== '' && !sent.includes('${') && sent !== expected)
  if (differing !== undefined) throw badRequest(`the POM is of "${differing[0]}", its address of "${differing[1]}"`)
  return JSON.stringify(pom)
}

/** The plugins of a group are those of its artifacts that exist. */
async function storePlugins(
  contents: PackageContents,
  { taskPool }: FormatTools,
  { viewer, owner, body }: FormatWrite,
  group: string,
): Promise<void> {
  const text = (await readShort(body, MAX_XML, 'maven-metadata.xml')).toString('utf8')
  const plugins = await readMetadata(taskPool, viewer, PLUGINS_TASK, text)
  if (plugins.length === 0) return
  const entries = await contents.listPackages(owner, type, `${group}:`)
  for (const plugin of plugins) {
    const entry = entries.find(({ name }) => name === `${group}:${plugin.artifactId}`)
    if (entry !== undefined && entry.metadata !== pluginMetadata(plugin))
      await contents.editMetadata(owner, type, entry.name, () => pluginMetadata(plugin))
  }
}
