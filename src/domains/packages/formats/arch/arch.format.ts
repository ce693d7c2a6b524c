import { badRequest } from '../../../../core/platform/errors.ts'
import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents, ReceivedFile } from '../../packages/package-contents.service.ts'
import type { PackageFile } from '../../packages/package.store.ts'
import type { CreateFormat, FormatAnswer, FormatRequest, FormatTools, FormatWrite } from '../../registry/format.ts'
import { isGroupName } from '../../registry/group-name.ts'
import { readHead, readMetadata } from '../../registry/read-metadata.ts'
import { keyRoutes } from '../../registry/signing/key-routes.ts'
import { ANY, archIndex, signatureOf, type } from './arch-index.ts'
import { type ArchPackage, readArchPackage } from './arch-package.ts'

const ARCH_TASK: TaskKind<Uint8Array, ArchPackage> = {
  url: new URL('arch.task.ts', import.meta.url).href,
  deadline: 30_000,
  isLong: true,
}
const FOLDER = String.raw`/(?<repository>[^/]+)/(?<arch>[^/]+)`
const FILE = String.raw`(?<file>(?<name>[^/]+)-(?<version>[^/-]+-[^/-]+)-[^/-]+[.]pkg[.]tar(?:[.](?:zst|xz|gz))?)`

/** Packages of Arch Linux, for pacman (behaviour/orgs-webhooks-actions#packages). */
export const createArchFormat: CreateFormat = (contents, tools) => {
  const signing = { contents, signingKeys: tools.signingKeys }
  const index = archIndex(signing)
  return {
    type,
    index: () => index,
    routes: [
      ...keyRoutes(tools.signingKeys),
      {
        method: 'PUT',
        access: 'write',
        path: /^\/(?<repository>[^/]+)$/,
        handle: (request) => upload(contents, tools, request),
      },
      {
        method: 'GET',
        access: 'read',
        path: new RegExp(`^${FOLDER}/[^/]+[.](?<kind>db|files)(?:[.]tar[.]gz)?(?<suffix>[.]sig)?$`),
        async handle({ owner, params: { repository, arch, kind, suffix = '' } }) {
          const names = [arch, ANY].map((folder) => `${repository}/${folder}/${kind}${suffix}`)
          return { file: await tools.indexes.get(owner, index, ...names) }
        },
      },
      {
        method: 'GET',
        access: 'read',
        path: new RegExp(`^${FOLDER}/${FILE}$`),
        handle: async (request) => ({ file: await getFile(contents, request) }),
      },
      {
        method: 'GET',
        access: 'read',
        path: new RegExp(`^${FOLDER}/${FILE}[.]sig$`),
        handle: async (request) => ({
          status: 200,
          type: 'application/octet-stream',
          body: await signatureOf(signing, request.owner, await getFile(contents, request)),
        }),
      },
      {
        method: 'DELETE',
        access: 'write',
        path: /^\/(?<repository>[^/]+)\/(?<name>[^/]+)\/(?<version>[^/]+)\/(?<arch>[^/]+)$/,
        handle: (request) => remove(contents, request),
      },
    ],
  }
}

/** Clients look for packages of every architecture in the folder of their own. */
async function getFile(contents: PackageContents, { owner, params }: FormatRequest): Promise<PackageFile> {
  const { repository, name = '', version = '', file } = params
  for (const arch of [params['arch'], ANY]) {
    const found = await contents.findFile(owner, { type, name, version }, `${repository}/${arch}/${file}`)
    if (found !== undefined) return found
  }
  throw errors.packageNotFound()
}

const XZ = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00])
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const GZIP = Buffer.from([0x1f, 0x8b])
/** Packages are compressed by zstd since 2020; one by xz is read as a whole. */
const MAX_XZ = 64 * 1024 * 1024

async function upload(contents: PackageContents, tools: FormatTools, request: FormatWrite): Promise<FormatAnswer> {
  const { viewer, owner, body, hold } = request
  const { repository = '' } = request.params
  if (!isGroupName(repository)) throw badRequest('the name of the repository is invalid')
  const content = await hold.receive(body)
  const head = await readHead(contents, content, XZ.length)
  const suffix = [
    [XZ, '.xz'],
    [ZSTD, '.zst'],
    [GZIP, '.gz'],
  ] as const
  const ending = suffix.find(([magic]) => magic.equals(head.subarray(0, magic.length)))?.[1] ?? ''
  const read =
    ending === '.xz'
      ? await readXz(contents, tools, request, content)
      : await readArchPackage(await contents.open(content))
  const { name, version, arch, sections, files } = read
  const { id } = await tools.signingKeys.get(owner, 'openpgp')
  const signer = await tools.signingKeys.pgpSigner(owner)
  const signature = (await signer.signBinary(await contents.open(content))).toString('base64')
  await contents.publish(viewer, owner, {
    type,
    name,
    version,
    isExactName: true,
    extends: true,
    files: [
      {
        name: `${repository}/${arch}/${name}-${version}-${arch}.pkg.tar${ending}`,
        content,
        metadata: JSON.stringify({ sections, files, signature, signedBy: id }),
      },
    ],
  })
  return { status: 201 }
}

async function readXz(
  contents: PackageContents,
  { taskPool }: FormatTools,
  { viewer }: FormatWrite,
  content: ReceivedFile,
): Promise<ArchPackage> {
  if (content.size > MAX_XZ) throw badRequest(`a package by xz has at most ${MAX_XZ} bytes: compress it by zstd`)
  return readMetadata(taskPool, viewer, ARCH_TASK, await readHead(contents, content, MAX_XZ))
}

/** Deletes the file of the version in this repository, whatever its compression. */
async function remove(contents: PackageContents, { viewer, owner, params }: FormatWrite): Promise<FormatAnswer> {
  const { repository, name = '', version = '', arch } = params
  const entry = await contents.findPackage(owner, type, name)
  const found = entry && (await contents.findVersion(entry, version))
  const prefix = `${repository}/${arch}/${name}-${version}-${arch}.pkg.tar`
  const file = (found === undefined ? [] : await contents.listFiles(found)).find((one) => one.name.startsWith(prefix))
  if (file === undefined) throw errors.packageNotFound()
  await contents.deleteFile(viewer, owner, { type, name, version }, file.name)
  return { status: 204 }
}
