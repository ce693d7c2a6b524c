import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { CreateFormat, FormatAnswer, FormatRequest, FormatTools, FormatWrite } from '../../registry/format.ts'
import { isGroupName } from '../../registry/group-name.ts'
import { readHead, readMetadata } from '../../registry/read-metadata.ts'
import { keyRoutes } from '../../registry/signing/key-routes.ts'
import type { DebPackage } from './deb.task.ts'
import { debianIndex, hasSum, type } from './debian-index.ts'

const GROUP = String.raw`/pool/(?<distribution>[^/]+)/(?<component>[^/]+)`
const DEB_TASK: TaskKind<Uint8Array, DebPackage> = {
  url: new URL('deb.task.ts', import.meta.url).href,
  deadline: 10_000,
}
/** The control archive comes first; the rest of a package is not read. */
const MAX_HEAD = 8 * 1024 * 1024

/** Packages of Debian and its relatives, for apt (behaviour/orgs-webhooks-actions#packages). */
export const createDebianFormat: CreateFormat = (contents, tools) => {
  const index = debianIndex(tools.signingKeys, tools.clock)
  return {
    type,
    index: () => index,
    routes: [
      ...keyRoutes(tools.signingKeys),
      {
        method: 'PUT',
        access: 'write',
        path: new RegExp(`^${GROUP}/upload$`),
        handle: (request) => upload(contents, tools, request),
      },
      {
        method: 'GET',
        access: 'read',
        path: new RegExp(`^${GROUP}/(?<name>[^/_]+)_(?<version>[^/_]+)_(?<architecture>[^/_]+)[.]deb$`),
        handle: async (request) => ({
          file: await contents.getFile(request.owner, refOf(request), fileOf(request)),
          type: 'application/vnd.debian.binary-package',
        }),
      },
      {
        method: 'DELETE',
        access: 'write',
        path: new RegExp(`^${GROUP}/(?<name>[^/]+)/(?<version>[^/]+)/(?<architecture>[^/]+)$`),
        async handle(request) {
          await contents.deleteFile(request.viewer, request.owner, refOf(request), fileOf(request))
          return { status: 204 }
        },
      },
      {
        method: 'GET',
        access: 'read',
        path: /^\/(?<folder>dists\/[^/]+\/[^/]+\/binary-[^/]+\/)by-hash\/(?<field>MD5Sum|SHA1|SHA256|SHA512)\/(?<hex>[\da-fA-F]+)$/,
        async handle({ owner, params: { folder = '', field = '', hex = '' } }) {
          return {
            file: await tools.indexes.find(
              owner,
              index,
              (file) => file.name.startsWith(folder) && hasSum(file, field, hex),
            ),
          }
        },
      },
      {
        method: 'GET',
        access: 'read',
        path: /^\/(?<file>dists\/[^/]+\/(?:InRelease|Release|Release\.gpg|[^/]+\/binary-[^/]+\/Packages(?:\.gz)?))$/,
        handle: async ({ owner, params }) => ({
          file: await tools.indexes.get(owner, index, params['file'] ?? ''),
          type: params['file']!.endsWith('.gz') ? 'application/gzip' : 'text/plain;charset=utf-8',
        }),
      },
    ],
  }
}

const refOf = ({ params: { name = '', version = '' } }: FormatRequest) => ({ type, name, version })

const fileOf = ({ params: { distribution, component, name, version, architecture } }: FormatRequest): string =>
  `${distribution}/${component}/${name}_${version}_${architecture}.deb`

async function upload(
  contents: PackageContents,
  { taskPool }: FormatTools,
  request: FormatWrite,
): Promise<FormatAnswer> {
  const { viewer, owner, body, hold, params } = request
  const { distribution = '', component = '' } = params
  if (!isGroupName(distribution) || !isGroupName(component))
    throw badRequest('the name of the distribution or of the component is invalid')
  const content = await hold.receive(body)
  const head = await readHead(contents, content, MAX_HEAD)
  const { name, version, architecture, control } = await readMetadata(taskPool, viewer, DEB_TASK, head)
  const file = fileOf({ ...request, params: { distribution, component, name, version, architecture } })
  await contents.publish(viewer, owner, {
    type,
    name,
    version,
    extends: true,
    files: [{ name: file, content, metadata: JSON.stringify({ control, architecture }) }],
  })
  return { status: 201 }
}
