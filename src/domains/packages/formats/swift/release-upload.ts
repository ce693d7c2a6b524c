import semver from 'semver'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents, ReceivedFile } from '../../packages/package-contents.service.ts'
import { readZip } from '../../registry/archives/zip.ts'
import type { FormatAnswer, FormatTools, FormatWrite } from '../../registry/format.ts'
import { readMultipart } from '../../registry/multipart.ts'
import { readMetadata, readShort } from '../../registry/read-metadata.ts'
import type { Release, SentRelease } from './release.task.ts'
import { ARCHIVE, MANIFEST, type StoredRelease, type } from './releases.ts'

const TASK: TaskKind<SentRelease, Release> = { url: new URL('release.task.ts', import.meta.url).href, deadline: 5_000 }
const SCOPE = /^[a-z\d](?:[a-z\d]|-(?=[a-z\d])){0,38}$/i
const NAME = /^[a-z\d](?:[a-z\d]|[-_](?=[a-z\d])){0,99}$/i
const MAX_METADATA = 64 * 1024
const MAX_SIGNATURE = 64 * 1024
const MAX_MANIFEST = 128 * 1024
const MAX_MANIFESTS = 20

export async function publishRelease(
  contents: PackageContents,
  { taskPool }: FormatTools,
  request: FormatWrite,
): Promise<FormatAnswer> {
  const { viewer, owner, base, hold } = request
  const { scope = '', name = '', version = '' } = request.params
  if (!SCOPE.test(scope) || !NAME.test(name)) throw errors.packageNameInvalid()
  if (version.length > 128 || !/^\d\S+$/.test(version) || semver.valid(version) === null)
    throw errors.packageVersionInvalid()
  const { archive, metadata, signing } = await receive(contents, request)
  const manifests = await readManifests(contents, archive)
  const release = await readMetadata(taskPool, viewer, TASK, { metadata, manifests })
  const stored: StoredRelease = {
    metadata: release.metadata,
    checksum: archive.sha256,
    tools: release.tools,
    ...(signing && { signing }),
  }
  const files = [{ name: ARCHIVE, content: archive }]
  for (const [file, text] of Object.entries(manifests))
    files.push({ name: file, content: await hold.receive([Buffer.from(text)]) })
  await contents.publish(viewer, owner, {
    type,
    name: `${scope}.${name}`,
    version,
    metadata: JSON.stringify(stored),
    packageMetadata: () => JSON.stringify({ repositories: release.repositories }),
    files,
  })
  return { status: 201, headers: { location: `${base}/${scope}/${name}/${encodeURIComponent(version)}` } }
}

interface SentForm {
  readonly archive: ReceivedFile
  /** JSON; empty for none. */
  readonly metadata: string
  readonly signing: StoredRelease['signing']
}

async function receive(contents: PackageContents, { headers, body, hold }: FormatWrite): Promise<SentForm> {
  // NOTE: the client sends its parts without file names.
  const form = await readMultipart(headers, body, (bytes) => hold.receive(bytes), { everyPartIsFile: true })
  const parts = new Map(form.files.map(({ field, content }) => [field, content]))
  const read = async (part: string, max: number): Promise<Buffer | undefined> => {
    const content = parts.get(part)
    return content && readShort(await contents.open(content), max, part)
  }
  const archive = parts.get('source-archive')
  if (archive === undefined) throw badRequest('the form has no part source-archive')
  const signature = await read('source-archive-signature', MAX_SIGNATURE)
  const format = String(headers['x-swift-package-signature-format'] ?? '')
  if (signature !== undefined && !/^[\w.-]{1,50}$/.test(format))
    throw badRequest('the header X-Swift-Package-Signature-Format is missing or invalid')
  return {
    archive,
    metadata: (await read('metadata', MAX_METADATA))?.toString('utf8') ?? '',
    signing: signature && { signatureBase64Encoded: signature.toString('base64'), signatureFormat: format },
  }
}

/** The manifests at the root of the archive, or in its one folder at the top. */
const readManifests = (contents: PackageContents, archive: ReceivedFile): Promise<SentRelease['manifests']> =>
  readZip(contents, archive, async ({ entries, read }) => {
    const names = entries.map(({ name }) => name)
    const path = names.includes(MANIFEST) ? MANIFEST : names.find((name) => /^[^/]+\/Package\.swift$/.test(name))
    if (path === undefined) throw badRequest('the archive has no Package.swift')
    const folder = path.slice(0, -MANIFEST.length)
    const found = names.filter(
      (name) =>
        name.startsWith(folder) && /^Package(?:@swift-\d+(?:\.\d+){0,2})?\.swift$/.test(name.slice(folder.length)),
    )
    if (found.length > MAX_MANIFESTS) throw badRequest('the archive has too many manifests')
    const manifests: Record<string, string> = {}
    for (const name of found)
      manifests[name.slice(folder.length)] = (await read(name, MAX_MANIFEST))?.toString('utf8') ?? ''
    return manifests
  })
