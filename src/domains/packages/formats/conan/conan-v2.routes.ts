import { errors } from '../../../errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { FormatAnswer, FormatRequest, FormatRoute, FormatTools } from '../../registry/format.ts'
import { deleteBelow, downloadFile, uploadFile } from './conan-files.ts'
import { folderOf, recipeOf, REFERENCE } from './conan-reference.ts'
import {
  filesIn,
  listRecipeFiles,
  newest,
  packageRevisions,
  recipeRevisions,
  type Revision,
} from './conan-revisions.ts'
import { describePackages, json } from './conan-search.ts'

const RECIPE = `^/v2/conans${REFERENCE}`
const REVISION = `${RECIPE}/revisions/(?<rrev>[^/]+)`
const RECIPE_OR_PACKAGE = `${RECIPE}(?:/revisions/(?<rrev>[^/]+)/packages/(?<pid>[^/]+))?`
const FILES = `${REVISION}(?:/packages/(?<pid>[^/]+)/revisions/(?<prev>[^/]+))?/files`

/** The second protocol. */
export const conanV2Routes = (contents: PackageContents, tools: FormatTools): FormatRoute[] => [
  {
    method: 'GET',
    access: 'read',
    path: new RegExp(`${RECIPE_OR_PACKAGE}/latest$`),
    handle: async (request) => json(presentRevision(newest(await listRevisions(contents, request)))),
  },
  {
    method: 'GET',
    access: 'read',
    path: new RegExp(`${RECIPE_OR_PACKAGE}/revisions$`),
    async handle(request) {
      const revisions = await listRevisions(contents, request)
      newest(revisions)
      return json({ revisions: revisions.map((revision) => presentRevision(revision)) })
    },
  },
  { method: 'GET', access: 'read', path: new RegExp(`${FILES}$`), handle: (request) => listFiles(contents, request) },
  {
    method: 'GET',
    access: 'read',
    path: new RegExp(`${FILES}/(?<file>.+)$`),
    handle: (request) => downloadFile(contents, request),
  },
  {
    method: 'PUT',
    access: 'write',
    path: new RegExp(`${FILES}/(?<file>.+)$`),
    handle: (request) => uploadFile(contents, tools, request),
  },
  {
    method: 'GET',
    access: 'read',
    path: new RegExp(`${RECIPE}(?:/revisions/(?<rrev>[^/]+))?/search$`),
    async handle({ owner, params, query }) {
      const files = await listRecipeFiles(contents, owner, recipeOf(params))
      const rrev = params['rrev'] || newest(recipeRevisions(files)).id
      if (filesIn(files, `${rrev}/`).size === 0) throw errors.packageNotFound()
      return describePackages(files, rrev, query.get('list_only') === 'True')
    },
  },
  ...deleteRoutes(contents),
]

const presentRevision = ({ id, at }: Revision) => ({ revision: id, time: new Date(at).toISOString() })

async function listRevisions(contents: PackageContents, { owner, params }: FormatRequest): Promise<Revision[]> {
  const files = await listRecipeFiles(contents, owner, recipeOf(params))
  const { rrev = '', pid = '' } = params
  return pid === '' ? recipeRevisions(files) : packageRevisions(files, rrev, pid)
}

async function listFiles(contents: PackageContents, { owner, params }: FormatRequest): Promise<FormatAnswer> {
  const files = filesIn(await listRecipeFiles(contents, owner, recipeOf(params)), folderOf(params))
  if (files.size === 0) throw errors.packageNotFound()
  return json({ files: Object.fromEntries([...files.keys()].map((name) => [name, {}])) })
}

/** Delete a recipe, one of its revisions, all packages of a revision, one package, or one revision of a package. */
const deleteRoutes = (contents: PackageContents): FormatRoute[] => [
  {
    method: 'DELETE',
    access: 'write',
    path: new RegExp(`${RECIPE}$`),
    handle: (request) => deleteBelow(contents, request, ''),
  },
  {
    method: 'DELETE',
    access: 'write',
    path: new RegExp(`${REVISION}(?<packages>/packages(?:/(?<pid>[^/]+)(?:/revisions/(?<prev>[^/]+))?)?)?$`),
    async handle(request) {
      const { rrev, packages, pid, prev } = request.params
      const parts = [rrev, packages && 'package', pid, prev].filter((part) => part)
      return deleteBelow(contents, request, `${parts.join('/')}/`)
    },
  },
]
