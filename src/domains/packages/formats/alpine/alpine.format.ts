import { badRequest } from '../../../../core/platform/errors.ts'
import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type {
  CreateFormat,
  FormatAnswer,
  FormatRequest,
  FormatRoute,
  FormatTools,
  FormatWrite,
} from '../../registry/format.ts'
import { isGroupName } from '../../registry/group-name.ts'
import { readHead, readMetadata } from '../../registry/read-metadata.ts'
import { alpineIndex, ANY, keyName, type } from './alpine-index.ts'
import type { ApkPackage } from './apk.task.ts'

const REPOSITORY = String.raw`/(?<branch>[^/]+)/(?<repository>[^/]+)`
const FILE = String.raw`${REPOSITORY}/(?<arch>[^/]+)/(?<name>[^/]+)-(?<version>\d[^/-]*(?:-r\d+)?)[.]apk`
const APK_TASK: TaskKind<Uint8Array, ApkPackage> = {
  url: new URL('apk.task.ts', import.meta.url).href,
  deadline: 10_000,
}
/** The control stream comes first; the rest of a package is not read. */
const MAX_HEAD = 8 * 1024 * 1024

/** Packages of Alpine Linux, for apk (behaviour/orgs-webhooks-actions#packages). */
export const createAlpineFormat: CreateFormat = (contents, tools) => {
  const index = alpineIndex(tools.signingKeys)
  return {
    type,
    index: () => index,
    routes: [
      ...keyRoutes(tools),
      {
        method: 'PUT',
        access: 'write',
        path: new RegExp(`^${REPOSITORY}$`),
        handle: (request) => upload(contents, tools, request),
      },
      {
        method: 'GET',
        access: 'read',
        path: new RegExp(String.raw`^${REPOSITORY}/(?<arch>[^/]+)/APKINDEX[.]tar[.]gz$`),
        async handle({ owner, params: { branch, repository, arch } }) {
          const folders = [arch, ANY].map((name) => `${branch}/${repository}/${name}/APKINDEX.tar.gz`)
          return { file: await tools.indexes.get(owner, index, ...folders), type: 'application/gzip' }
        },
      },
      {
        method: 'GET',
        access: 'read',
        path: new RegExp(`^${FILE}$`),
        handle: (request) => download(contents, request),
      },
      {
        method: 'DELETE',
        access: 'write',
        path: new RegExp(`^${FILE}$`),
        async handle(request) {
          await contents.deleteFile(request.viewer, request.owner, refOf(request), fileOf(request.params))
          return { status: 204 }
        },
      },
    ],
  }
}

function keyRoutes({ signingKeys }: FormatTools): FormatRoute[] {
  const path = /^\/key$/
  return [
    {
      method: 'GET',
      access: 'read',
      path,
      async handle({ owner }) {
        const { publicKey } = await signingKeys.get(owner, 'rsa')
        const headers = { 'content-disposition': `attachment; filename="${keyName(owner, publicKey)}"` }
        return { status: 200, type: 'application/x-pem-file', headers, body: publicKey }
      },
    },
    {
      method: 'DELETE',
      access: 'write',
      path,
      async handle({ owner }) {
        await signingKeys.delete(owner, 'rsa')
        return { status: 204 }
      },
    },
  ]
}

const refOf = ({ params: { name = '', version = '' } }: FormatRequest) => ({ type, name, version })

const fileOf = ({ branch, repository, arch, name, version }: FormatRequest['params']): string =>
  `${branch}/${repository}/${arch}/${name}-${version}.apk`

/** Clients look for packages of every architecture in the folder of their own. */
async function download(contents: PackageContents, request: FormatRequest): Promise<FormatAnswer> {
  for (const arch of [request.params['arch']!, ANY]) {
    const file = await contents.findFile(request.owner, refOf(request), fileOf({ ...request.params, arch }))
    if (file !== undefined) return { file }
  }
  throw errors.packageNotFound()
}

async function upload(
  contents: PackageContents,
  { taskPool }: FormatTools,
  request: FormatWrite,
): Promise<FormatAnswer> {
  const { viewer, owner, body, hold, params } = request
  const { branch = '', repository = '' } = params
  if (!isGroupName(branch) || !isGroupName(repository))
    throw badRequest('the name of the branch or of the repository is invalid')
  const content = await hold.receive(body)
  const head = await readHead(contents, content, MAX_HEAD)
  const { name, version, arch, lines } = await readMetadata(taskPool, viewer, APK_TASK, head)
  await contents.publish(viewer, owner, {
    type,
    name,
    version,
    extends: true,
    files: [
      { name: fileOf({ branch, repository, arch, name, version }), content, metadata: JSON.stringify({ lines }) },
    ],
  })
  return { status: 201 }
}
