import { conflict } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageEntry, VersionEntry } from '../../packages/package-contents.store.ts'
import { readZip } from '../../registry/archives/zip.ts'
import type { CreateFormat, FormatAnswer, FormatRequest, FormatWrite } from '../../registry/format.ts'
import { latestOf, readGoModule, unescapeModulePath } from './go-module.ts'

const type = 'go'

/** Modules of Go, by the protocol of module proxies (behaviour/orgs-webhooks-actions#packages). */
export const createGoFormat: CreateFormat = (contents) => ({
  type,
  routes: [
    { method: 'PUT', access: 'write', path: /^\/upload$/, handle: (request) => upload(contents, request) },
    {
      method: 'GET',
      access: 'read',
      path: /^\/(?<module>.+)\/@v\/list$/,
      async handle(request) {
        const entry = await getModule(contents, request)
        const versions = await contents.listVersions(entry)
        const body = versions.map(({ version }) => `${version}\n`).join('')
        return { status: 200, body, etag: `${entry.id}-${entry.revision}` }
      },
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/(?<module>.+)\/@latest$/,
      handle: async (request) => info(await getVersion(contents, request)),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/(?<module>.+)\/@v\/(?<version>[^/]+)\.info$/,
      handle: async (request) => info(await getVersion(contents, request)),
    },
    {
      method: 'GET',
      access: 'read',
      path: /^\/(?<module>.+)\/@v\/(?<version>[^/]+)\.(?<kind>mod|zip)$/,
      handle: (request) => download(contents, request),
    },
  ],
})

async function upload(contents: PackageContents, { viewer, owner, body, hold }: FormatWrite): Promise<FormatAnswer> {
  const zip = await hold.receive(body)
  const { path, version, mod } = await readZip(contents, zip, readGoModule)
  await contents.publish(viewer, owner, {
    type,
    name: path,
    version,
    packageMetadata: requireSpelling(path),
    files: [
      { name: `${version}.zip`, content: zip },
      { name: `${version}.mod`, content: await hold.receive([mod]) },
    ],
  })
  return { status: 201 }
}

/** Names of packages ignore case, module paths do not: the first spelling is the only one. */
const requireSpelling =
  (path: string) =>
  (former: string): string => {
    if (former !== '' && former !== path) throw conflict(`there is a module ${former}, which differs only by case`)
    return path
  }

async function getModule(contents: PackageContents, { owner, params }: FormatRequest): Promise<PackageEntry> {
  const path = unescapeModulePath(params['module'] ?? '')
  const entry = path === undefined ? undefined : await contents.findPackage(owner, type, path)
  if (entry === undefined || entry.name !== path) throw errors.packageNotFound()
  return entry
}

/** The version of the address; the latest for `latest` and for none. */
async function getVersion(contents: PackageContents, request: FormatRequest): Promise<VersionEntry> {
  const entry = await getModule(contents, request)
  const { version = 'latest' } = request.params
  const wanted =
    version === 'latest'
      ? latestOf((await contents.listVersions(entry)).map((found) => found.version))
      : unescapeModulePath(version)
  const found = wanted === undefined ? undefined : await contents.findVersion(entry, wanted)
  if (found === undefined || found.version !== wanted) throw errors.packageNotFound()
  return found
}

const info = ({ version, createdAt }: VersionEntry): FormatAnswer => ({
  status: 200,
  body: { Version: version, Time: new Date(Math.floor(createdAt / 1000) * 1000).toISOString().replace('.000Z', 'Z') },
})

async function download(contents: PackageContents, request: FormatRequest): Promise<FormatAnswer> {
  const version = await getVersion(contents, request)
  const isZip = request.params['kind'] === 'zip'
  const name = `${version.version}.${isZip ? 'zip' : 'mod'}`
  const file = (await contents.listFiles(version)).find((found) => found.name === name)
  if (file === undefined) throw errors.packageNotFound()
  if (isZip) return { file, type: 'application/zip' }
  // The go command reads go.mod of many versions of which it downloads one.
  const { sha256, size, created_at } = file
  return { file: { name, sha256, size, created_at }, type: 'text/plain;charset=utf-8' }
}
