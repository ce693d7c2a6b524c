import { badRequest } from '../../../../core/platform/errors.ts'
import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import type { PackageContents, ReceivedFile } from '../../packages/package-contents.service.ts'
import { readTar } from '../../registry/archives/tar.ts'
import { readZip } from '../../registry/archives/zip.ts'
import type { CreateFormat, FormatAnswer, FormatRequest, FormatTools, FormatWrite } from '../../registry/format.ts'
import { isGroupName } from '../../registry/group-name.ts'
import { readHead, readMetadata } from '../../registry/read-metadata.ts'
import { CRAN_INDEX, type } from './cran-index.ts'
import type { CranPackage } from './description.task.ts'

/** The folder of sources, or of packages built for a platform and a version of R. */
const FOLDER = String.raw`/(?<folder>src/contrib|bin/.+/contrib/[^/]+)`
const FILE = String.raw`(?<file>(?<name>[^/_]+)_(?<version>[^/_]+?)\.(?:tar\.gz|tgz|zip))`
const DESCRIPTION_TASK: TaskKind<string, CranPackage> = {
  url: new URL('description.task.ts', import.meta.url).href,
  deadline: 5_000,
}
const LIMITS = { maxBytes: 2 * 1024 * 1024 * 1024, maxEntries: 50_000 }
const MAX_DESCRIPTION = 256 * 1024

/** Packages of R (behaviour/orgs-webhooks-actions#packages). */
export const createCranFormat: CreateFormat = (contents, tools) => ({
  type,
  index: () => CRAN_INDEX,
  routes: [
    {
      method: 'PUT',
      access: 'write',
      path: /^\/src$/,
      handle: (request) => upload(contents, tools, request, 'src/contrib'),
    },
    {
      method: 'PUT',
      access: 'write',
      path: /^\/bin$/,
      handle: (request) => upload(contents, tools, request, binaryFolder(request)),
    },
    {
      method: 'GET',
      access: 'read',
      path: new RegExp(`^${FOLDER}/(?<index>PACKAGES(?:[.]gz)?)$`),
      handle: async ({ owner, params: { folder, index = '' } }) => ({
        file: await tools.indexes.get(owner, CRAN_INDEX, `${folder}/${index}`),
        type: index.endsWith('.gz') ? 'application/x-gzip' : 'text/plain;charset=utf-8',
      }),
    },
    {
      method: 'GET',
      access: 'read',
      path: new RegExp(`^${FOLDER}/(?:Archive/[^/]+/)?${FILE}$`),
      handle: async ({ owner, params: { folder, file, name = '', version = '' } }) => ({
        file: await contents.getFile(owner, { type, name, version }, `${folder}/${file}`),
      }),
    },
  ],
})

const MAX_DEPTH = 4

function binaryFolder({ query }: FormatRequest): string {
  const [platform, rversion] = [query.get('platform') ?? '', query.get('rversion') ?? '']
  const names = platform.split('/')
  if (names.length > MAX_DEPTH || !names.every((name) => isGroupName(name)))
    throw badRequest('the parameter platform is missing or invalid')
  if (!/^\d{1,3}\.\d{1,3}$/.test(rversion)) throw badRequest('the parameter rversion is missing or invalid')
  return `bin/${platform}/contrib/${rversion}`
}

async function upload(
  contents: PackageContents,
  { taskPool }: FormatTools,
  request: FormatWrite,
  folder: string,
): Promise<FormatAnswer> {
  const { viewer, owner, body, hold } = request
  const content = await hold.receive(body)
  const isZip = (await readHead(contents, content, 4)).toString('latin1') === 'PK\x03\x04'
  if (isZip && folder === 'src/contrib') throw badRequest('a package of sources is a .tar.gz archive')
  const description = await (isZip ? readZipped(contents, content) : readTarred(contents, content))
  if (description === undefined) throw badRequest('the archive has no DESCRIPTION in the folder of the package')
  const { name, version, lines } = await readMetadata(taskPool, viewer, DESCRIPTION_TASK, description.toString('utf8'))
  const ending = isZip ? '.zip' : folder === 'src/contrib' ? '.tar.gz' : '.tgz'
  await contents.publish(viewer, owner, {
    type,
    name,
    version,
    isExactName: true,
    extends: true,
    files: [{ name: `${folder}/${name}_${version}${ending}`, content, metadata: JSON.stringify({ lines }) }],
  })
  return { status: 201 }
}

const DESCRIPTION = /^(?:\.\/)?[^/]+\/DESCRIPTION$/

async function readTarred(contents: PackageContents, content: ReceivedFile): Promise<Buffer | undefined> {
  let found: Buffer | undefined
  await readTar(await contents.open(content), LIMITS, async (entry) => {
    if (!DESCRIPTION.test(entry.name) || entry.type !== 'file') return true
    found = await entry.read(MAX_DESCRIPTION)
    return false
  })
  return found
}

const readZipped = (contents: PackageContents, content: ReceivedFile): Promise<Buffer | undefined> =>
  readZip(contents, content, async ({ entries, read }) => {
    const entry = entries.find(({ name }) => DESCRIPTION.test(name))
    return entry && read(entry.name, MAX_DESCRIPTION)
  })
