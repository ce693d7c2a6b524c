import { badRequest } from '../../../../core/platform/errors.ts'
import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { CreateFormat, FormatAnswer, FormatRequest, FormatTools, FormatWrite } from '../../registry/format.ts'
import { isGroupName } from '../../registry/group-name.ts'
import { readHead, readMetadata } from '../../registry/read-metadata.ts'
import { keyRoutes } from '../../registry/signing/key-routes.ts'
import { fileName, pathOf, rpmIndex, storedXml, type } from './rpm-index.ts'
import type { RpmPackage } from './rpm.task.ts'

const GROUP = String.raw`(?:/(?<group>.+))?`
const RPM_TASK: TaskKind<Uint8Array, RpmPackage> = {
  url: new URL('rpm.task.ts', import.meta.url).href,
  deadline: 10_000,
}
/** The headers come first; the rest of a package is not read. */
const MAX_HEAD = 15 * 1024 * 1024
const PACKAGE = String.raw`${GROUP}/package/(?<name>[^/]+)/(?<version>[^/]+)/(?<arch>[^/]+)`

/** RPM packages, for dnf and its relatives (behaviour/orgs-webhooks-actions#packages). */
export const createRpmFormat: CreateFormat = (contents, tools) => {
  const index = rpmIndex(tools.signingKeys, tools.clock)
  return {
    type,
    index: () => index,
    suffixes: ['.repo'],
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
        path: new RegExp(`^${PACKAGE}(?:/[^/]+)?$`),
        handle: async (request) => ({
          file: await contents.getFile(request.owner, refOf(request), fileOf(request)),
          type: 'application/x-rpm',
        }),
      },
      {
        method: 'DELETE',
        access: 'write',
        path: new RegExp(`^${PACKAGE}$`),
        async handle(request) {
          await contents.deleteFile(request.viewer, request.owner, refOf(request), fileOf(request))
          return { status: 204 }
        },
      },
      {
        method: 'GET',
        access: 'read',
        path: new RegExp(
          String.raw`^${GROUP}/repodata/(?<file>repomd\.xml(?:\.asc)?|(?:primary|filelists|other)\.xml\.gz)$`,
        ),
        handle: async ({ owner, params: { group = '', file = '' } }) => ({
          file: await tools.indexes.get(owner, index, `${pathOf(group)}/${file}`),
          type: file.endsWith('.gz') ? 'application/gzip' : file.endsWith('.asc') ? 'text/plain' : 'application/xml',
        }),
      },
      {
        method: 'GET',
        access: 'read',
        path: new RegExp(String.raw`^${GROUP}\.repo$`),
        handle: async (request) => ({ status: 200, body: repoFile(request) }),
      },
    ],
  }
}

const refOf = ({ params: { name = '', version = '' } }: FormatRequest) => ({ type, name, version })

const inGroup = (group: string, file: string): string => (group === '' ? file : `${group}/${file}`)

const fileOf = ({ params: { group = '', name = '', version = '', arch = '' } }: FormatRequest): string =>
  inGroup(group, fileName({ name, version, arch }))

/** A file for `dnf config-manager`. The index is signed, and has the sums of the packages. */
function repoFile({ owner, params: { group = '' }, base }: FormatRequest): string {
  const id = `ingot-${owner.name}${group === '' ? '' : `-${group.replaceAll('/', '-')}`}`
  return `[${id}]
name=${id}
baseurl=${base}${group === '' ? '' : `/${group}`}
enabled=1
gpgcheck=0
repo_gpgcheck=1
gpgkey=${base}/repository.key
`
}

const MAX_DEPTH = 8

async function upload(contents: PackageContents, tools: FormatTools, request: FormatWrite): Promise<FormatAnswer> {
  const { viewer, owner, body, hold, query } = request
  const { group = '' } = request.params
  const names = group === '' ? [] : group.split('/')
  if (names.length > MAX_DEPTH || !names.every((name) => isGroupName(name)))
    throw badRequest('the name of the group is invalid')
  if (query.get('sign') === 'true') throw badRequest('the server signs indexes, not packages: omit sign=true')
  const content = await hold.receive(body)
  const head = await readHead(contents, content, MAX_HEAD)
  const read = await readMetadata(tools.taskPool, viewer, RPM_TASK, head)
  await contents.publish(viewer, owner, {
    type,
    name: read.name,
    version: read.version,
    extends: true,
    files: [
      {
        name: inGroup(group, fileName(read)),
        content,
        metadata: JSON.stringify(storedXml(read, group, content, tools.clock.now())),
      },
    ],
  })
  return { status: 201 }
}
