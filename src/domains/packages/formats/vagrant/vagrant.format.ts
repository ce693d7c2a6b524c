import { badRequest } from '../../../../core/platform/errors.ts'
import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import { members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents, ReceivedFile } from '../../packages/package-contents.service.ts'
import { readTar } from '../../registry/archives/tar.ts'
import type { CreateFormat, FormatAnswer, FormatRequest, FormatTools, FormatWrite } from '../../registry/format.ts'
import { readMetadata } from '../../registry/read-metadata.ts'
import { requireClient } from '../../registry/registry-access.ts'
import type { Box, BoxFiles } from './box.task.ts'

const type = 'vagrant'
const BOX = /^\/(?<name>[^/]+)\/(?<version>[^/]+)\/(?<provider>[^/]+)\.box$/
const BOX_TASK: TaskKind<BoxFiles, Box> = { url: new URL('box.task.ts', import.meta.url).href, deadline: 5_000 }
const LIMITS = { maxBytes: 32 * 1024 * 1024 * 1024, maxEntries: 1000 }
const MAX_JSON = 64 * 1024

/** Boxes of Vagrant (behaviour/orgs-webhooks-actions#packages). */
export const createVagrantFormat: CreateFormat = (contents, tools) => ({
  type,
  errorBody: (message) => ({ errors: [message] }),
  routes: [
    {
      method: 'GET',
      access: 'read',
      path: /^\/authenticate$/,
      async handle({ viewer }) {
        requireClient(viewer)
        return { status: 200, body: {} }
      },
    },
    { method: 'PUT', access: 'write', path: BOX, handle: (request) => upload(contents, tools, request) },
    {
      method: 'GET',
      access: 'read',
      path: BOX,
      handle: async ({ owner, params: { name = '', version = '', provider } }) => ({
        file: await contents.getFile(owner, { type, name, version }, `${provider}.box`),
        name: `${name}-${version}-${provider}.box`,
      }),
    },
    { method: 'GET', access: 'read', path: /^\/(?<name>[^/]+)$/, handle: (request) => showBox(contents, request) },
  ],
})

const NAME = /^[A-Za-z\d][\w.-]{0,199}$/
/** Versions of RubyGems, with which Vagrant compares versions. */
const VERSION = /^\d+(?:\.[\dA-Za-z]+)*(?:-[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/
const PROVIDER = /^[A-Za-z\d][\w.-]{0,99}$/

async function upload(contents: PackageContents, tools: FormatTools, request: FormatWrite): Promise<FormatAnswer> {
  const { viewer, owner, body, hold } = request
  const { name = '', version = '', provider = '' } = request.params
  if (!NAME.test(name) || name === 'authenticate') throw errors.packageNameInvalid()
  if (version.length > 100 || !VERSION.test(version)) throw badRequest('malformed version')
  if (!PROVIDER.test(provider)) throw badRequest('the name of the provider is invalid')
  const content = await hold.receive(body)
  const box = await readMetadata(tools.taskPool, viewer, BOX_TASK, await readBox(contents, content))
  await contents.publish(viewer, owner, {
    type,
    name,
    version,
    extends: true,
    metadata: JSON.stringify(box),
    files: [{ name: `${provider}.box`, content }],
  })
  return { status: 201 }
}

/** Vagrant writes `info.json` before `metadata.json`; the disks after it are not read. */
async function readBox(contents: PackageContents, content: ReceivedFile): Promise<BoxFiles> {
  const found = { 'metadata.json': '', 'info.json': '' }
  await readTar(await contents.open(content), LIMITS, async (entry) => {
    const name = entry.name.replace(/^\.\//, '')
    if (name !== 'metadata.json' && name !== 'info.json') return true
    found[name] = (await entry.read(MAX_JSON)).toString('utf8')
    return name !== 'metadata.json'
  })
  if (found['metadata.json'] === '') throw badRequest('the file is not a box: it has no metadata.json')
  return found
}

async function showBox(
  contents: PackageContents,
  { owner, base, params: { name = '' } }: FormatRequest,
): Promise<FormatAnswer> {
  const entry = await contents.findPackage(owner, type, name)
  if (entry === undefined) throw errors.packageNotFound()
  const files = Map.groupBy(await contents.listFilesOfPackage(entry), (file) => file.version_id)
  const versions = await contents.listVersions(entry)
  const addressOf = (version: string, file: string) =>
    `${base}/${[entry.name, version, file].map(encodeURIComponent).join('/')}`
  const description = textOf(members(parseJson(versions.at(-1)?.metadata ?? '')?.value)['description'])
  return {
    status: 200,
    etag: `${entry.id}-${entry.revision}`,
    body: {
      name: entry.name,
      description,
      short_description: description.split('\n', 1)[0],
      versions: versions.map(({ id, version }) => ({
        version,
        status: 'active',
        providers: (files.get(id) ?? []).map((file) => ({
          name: file.name.replace(/\.box$/, ''),
          url: addressOf(version, file.name),
          checksum: file.sha512,
          checksum_type: 'sha512',
        })),
      })),
    },
  }
}
