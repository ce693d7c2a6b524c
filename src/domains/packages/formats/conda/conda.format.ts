import { STATUS_CODES } from 'node:http'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import { badRequest, isDomainError } from '../../../../core/platform/errors.ts'
import type { PackageContents, ReceivedFile } from '../../packages/package-contents.service.ts'
import { readZip } from '../../registry/archives/zip.ts'
import type { CreateFormat, FormatAnswer, FormatRequest, FormatTools, FormatWrite } from '../../registry/format.ts'
import { isGroupName } from '../../registry/group-name.ts'
import { readHead, readMetadata } from '../../registry/read-metadata.ts'
import { CONDA_INDEX, repodata, type } from './conda-index.ts'
import type { CondaArchive, CondaPackage } from './conda.task.ts'

const CHANNEL = '(?:/(?<channel>.+))?'
const FILE = String.raw`(?<file>(?<name>[^/]+)-(?<version>[^/-]+)-(?<build>[^/-]+)(?:\.tar\.bz2|\.conda))`
const CONDA_TASK: TaskKind<CondaArchive, CondaPackage> = {
  url: new URL('conda.task.ts', import.meta.url).href,
  deadline: 20_000,
  isLong: true,
}
/** Maximum bytes that are read of a `.tar.bz2`: the folder `info` comes first; the rest of a package is not read. */
const MAX_HEAD = 8 * 1024 * 1024
/** Maximum bytes of the `info` archive in a `.conda`. */
const MAX_INFO = 8 * 1024 * 1024
const MAX_DEPTH = 8

/** Packages of conda (behaviour/orgs-webhooks-actions#packages). */
export const createCondaFormat: CreateFormat = (contents, tools) => ({
  type,
  index: () => CONDA_INDEX,
  errorBody: (message, status) => ({ reason: STATUS_CODES[status] ?? '', message }),
  routes: [
    {
      method: 'PUT',
      access: 'write',
      path: new RegExp(String.raw`^${CHANNEL}/[^/]+(?<ending>\.tar\.bz2|\.conda)$`),
      handle: (request) => upload(contents, tools, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: new RegExp(String.raw`^${CHANNEL}/(?<subdir>[^/]+)/(?:current_)?repodata\.json(?<ending>\.zst)?$`),
      handle: (request) => showIndex(tools, request),
    },
    {
      method: 'GET',
      access: 'read',
      path: new RegExp(`^${CHANNEL}/(?<subdir>[^/]+)/${FILE}$`),
      handle: async ({ owner, params: { channel = '', subdir = '', file, name = '', version = '' } }) => ({
        file: await contents.getFile(owner, { type, name, version }, `${folderOf(channel, subdir)}/${file}`),
      }),
    },
  ],
})

const folderOf = (channel: string, subdir: string): string => (channel === '' ? subdir : `${channel}/${subdir}`)

async function upload(
  contents: PackageContents,
  { taskPool }: FormatTools,
  request: FormatWrite,
): Promise<FormatAnswer> {
  const { viewer, owner, params, body, hold } = request
  const { channel = '', ending } = params
  const names = channel === '' ? [] : channel.split('/')
  if (names.length > MAX_DEPTH || !names.every((name) => isGroupName(name)))
    throw badRequest('the name of the channel is invalid')
  const content = await hold.receive(body)
  const archive =
    ending === '.conda'
      ? { bytes: await readInfo(contents, content), isBzip2: false }
      : { bytes: await readHead(contents, content, MAX_HEAD), isBzip2: true }
  const { name, version, build, subdir, entry } = await readMetadata(taskPool, viewer, CONDA_TASK, archive)
  const file = `${folderOf(channel, subdir)}/${name}-${version}-${build}${ending}`
  await contents.publish(viewer, owner, {
    type,
    name,
    version,
    extends: true,
    files: [{ name: file, content, metadata: JSON.stringify(entry) }],
  })
  return { status: 201 }
}

const readInfo = (contents: PackageContents, content: ReceivedFile): Promise<Buffer> =>
  readZip(contents, content, async ({ entries, read }) => {
    const name = entries.find((entry) => /^info-[^/]+\.tar\.zst$/.test(entry.name))?.name
    const bytes = name === undefined ? undefined : await read(name, MAX_INFO)
    if (bytes === undefined) throw badRequest('the package has no info archive')
    return bytes
  })

/** Clients need the subdir `noarch` of every channel, also without packages. */
async function showIndex({ indexes }: FormatTools, { owner, params }: FormatRequest): Promise<FormatAnswer> {
  const { channel = '', subdir = '', ending = '' } = params
  const mediaType = ending === '' ? 'application/json' : 'application/zstd'
  try {
    const name = `${folderOf(channel, subdir)}/repodata.json${ending}`
    return { file: await indexes.get(owner, CONDA_INDEX, name), type: mediaType }
  } catch (error) {
    if (subdir !== 'noarch' || !isDomainError(error, 'not-found')) throw error
    const text = repodata(subdir)
    return { status: 200, type: mediaType, body: ending === '' ? text : await promisify(zstdCompress)(text) }
  }
}
