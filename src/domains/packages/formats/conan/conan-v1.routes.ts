import { conflict } from '../../../../core/platform/errors.ts'
import { listOf, members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageFile } from '../../packages/package.store.ts'
import type { FormatAnswer, FormatRequest, FormatRoute, FormatTools, FormatWrite } from '../../registry/format.ts'
import { readShort } from '../../registry/read-metadata.ts'
import { deleteBelow, downloadFile, uploadFile } from './conan-files.ts'
import { folderOf, recipeOf, REFERENCE, referencePath, requirePath } from './conan-reference.ts'
import { filesIn, listRecipeFiles, newest, NO_REVISION, packageRevisions, recipeRevisions } from './conan-revisions.ts'
import { describePackages, json } from './conan-search.ts'

const RECIPE = `^/v1/conans${REFERENCE}`
const RECIPE_OR_PACKAGE = `${RECIPE}(?:/packages/(?<pid>[^/]+))?`
const FILE = `^/v1/files${REFERENCE}/(?<rrev>[^/]+)/(?:export|package/(?<pid>[^/]+)/(?<prev>[^/]+))/(?<file>.+)$`
const MAX_BODY = 1024 * 1024

/** The first protocol, which knows no revisions: it reads the newest ones. */
export const conanV1Routes = (contents: PackageContents, tools: FormatTools): FormatRoute[] => [
  { method: 'GET', access: 'read', path: new RegExp(FILE), handle: (request) => downloadFile(contents, request) },
  { method: 'PUT', access: 'write', path: new RegExp(FILE), handle: (request) => uploadFile(contents, tools, request) },
  {
    method: 'GET',
    access: 'read',
    path: new RegExp(`${RECIPE}/search$`),
    async handle({ owner, params }) {
      const files = await listRecipeFiles(contents, owner, recipeOf(params))
      return describePackages(files, newest(recipeRevisions(files)).id, false)
    },
  },
  ...readRoutes(contents),
  {
    method: 'POST',
    access: 'write',
    path: new RegExp(`${RECIPE_OR_PACKAGE}/upload_urls$`),
    handle: (request) => showUploadUrls(contents, request),
  },
  ...deleteRoutes(contents),
]

interface Current {
  readonly folder: string
  readonly files: ReadonlyMap<string, PackageFile>
}

/** The newest revision of the recipe, or of a package. Throws NotFound. */
async function findCurrent(contents: PackageContents, { owner, params }: FormatRequest): Promise<Current> {
  const all = await listRecipeFiles(contents, owner, recipeOf(params))
  const rrev = newest(recipeRevisions(all)).id
  const { pid = '' } = params
  const prev = pid === '' ? '' : newest(packageRevisions(all, rrev, pid)).id
  const folder = folderOf({ rrev, pid, prev })
  return { folder, files: filesIn(all, folder) }
}

const addressOf = ({ base, params }: FormatRequest, folder: string, file: string): string =>
  `${base}/v1/files/${`${referencePath(recipeOf(params))}/${folder}${file}`.split('/').map(encodeURIComponent).join('/')}`

function readRoutes(contents: PackageContents): FormatRoute[] {
  const showUrls = async (request: FormatRequest, isShown: (file: string) => boolean): Promise<FormatAnswer> => {
    const { folder, files } = await findCurrent(contents, request)
    const names = [...files.keys()].filter((name) => isShown(name))
    return json(Object.fromEntries(names.map((name) => [name, addressOf(request, folder, name)])))
  }
  return [
    {
      method: 'GET',
      access: 'read',
      path: new RegExp(`${RECIPE_OR_PACKAGE}/download_urls$`),
      handle: (request) => showUrls(request, () => true),
    },
    {
      method: 'GET',
      access: 'read',
      path: new RegExp(`${RECIPE_OR_PACKAGE}/digest$`),
      handle: (request) => showUrls(request, (name) => name === 'conanmanifest.txt'),
    },
    {
      method: 'GET',
      access: 'read',
      path: new RegExp(`${RECIPE_OR_PACKAGE}$`),
      async handle(request) {
        const { files } = await findCurrent(contents, request)
        return json(Object.fromEntries([...files].map(([name, { md5 }]) => [name, md5])))
      },
    },
  ]
}

const readBody = async ({ body }: FormatWrite) =>
  members(parseJson((await readShort(body, MAX_BODY, 'the body')).toString('utf8'))?.value)

/**
 * Clients send only files that differ from those of the newest revision, which therefore must be the one that they
 * write.
 */
async function showUploadUrls(contents: PackageContents, request: FormatWrite): Promise<FormatAnswer> {
  const { owner, params } = request
  const recipe = recipeOf(params)
  const entry = await contents.findPackage(owner, recipe.type, recipe.name)
  const version = entry && (await contents.findVersion(entry, recipe.version))
  const files = version === undefined ? [] : await contents.listFiles(version)
  if (recipeRevisions(files).some(({ id }) => id !== NO_REVISION))
    throw conflict('this recipe has revisions: set general.revisions_enabled=1 in the configuration of Conan')
  const { pid = '' } = params
  const folder = folderOf({ rrev: NO_REVISION, pid, prev: NO_REVISION })
  const names = Object.keys(await readBody(request)).map((name) => requirePath(name))
  return json(Object.fromEntries(names.map((name) => [name, addressOf(request, folder, name)])))
}

function deleteRoutes(contents: PackageContents): FormatRoute[] {
  return [
    {
      method: 'DELETE',
      access: 'write',
      path: new RegExp(`${RECIPE}$`),
      handle: (request) => deleteBelow(contents, request, ''),
    },
    {
      method: 'POST',
      access: 'write',
      path: new RegExp(`${RECIPE}/packages/delete$`),
      async handle(request) {
        const ids = new Set(listOf((await readBody(request))['package_ids']).map((id) => textOf(id)))
        return deleteNamed(contents, request, (name) => {
          const [, folder, id = ''] = name.split('/')
          return folder === 'package' && (ids.size === 0 || ids.has(id))
        })
      },
    },
    {
      method: 'POST',
      access: 'write',
      path: new RegExp(`${RECIPE}/remove_files$`),
      async handle(request) {
        const sent = listOf((await readBody(request))['files']).map((name) => textOf(name))
        if (sent.length === 0) throw errors.packageFileNameInvalid()
        const names = new Set(sent.map((name) => `${NO_REVISION}/export/${name}`))
        return deleteNamed(contents, request, (name) => names.has(name))
      },
    },
  ]
}

async function deleteNamed(
  contents: PackageContents,
  { viewer, owner, params }: FormatWrite,
  matches: (name: string) => boolean,
): Promise<FormatAnswer> {
  await contents.deleteFiles(viewer, owner, recipeOf(params), matches)
  return { status: 200 }
}
