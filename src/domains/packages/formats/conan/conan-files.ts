import { isDomainError } from '../../../../core/platform/errors.ts'
import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents, ReceivedFile } from '../../packages/package-contents.service.ts'
import type { FormatAnswer, FormatRequest, FormatTools, FormatWrite } from '../../registry/format.ts'
import { readMetadata, readShort } from '../../registry/read-metadata.ts'
import { folderOf, recipeOf, requirePath } from './conan-reference.ts'
import { NO_REVISION } from './conan-revisions.ts'
import type { ConanInfo } from './conaninfo.task.ts'

const INFO_TASK: TaskKind<string, ConanInfo> = {
  url: new URL('conaninfo.task.ts', import.meta.url).href,
  deadline: 5_000,
}
const MAX_INFO = 64 * 1024

export async function downloadFile(contents: PackageContents, { owner, params }: FormatRequest): Promise<FormatAnswer> {
  return { file: await contents.getFile(owner, recipeOf(params), `${folderOf(params)}${params['file']}`) }
}

/** Stores a file of a revision. A file that is there already is accepted again if it is the same. */
export async function uploadFile(
  contents: PackageContents,
  tools: FormatTools,
  request: FormatWrite,
): Promise<FormatAnswer> {
  const { viewer, owner, params, headers, body, hold } = request
  const recipe = recipeOf(params)
  const path = requirePath(params['file'] ?? '')
  const name = `${folderOf(params)}${path}`
  // The client asks whether the server has these bytes; "no" lets it send them.
  if (headers['x-checksum-deploy'] === 'true') throw errors.packageNotFound()
  const entry = await contents.findPackage(owner, recipe.type, recipe.name)
  if (entry !== undefined && entry.name !== recipe.name) throw errors.packageNameTaken(entry.name)
  const content = await hold.receive(body)
  const sum = headers['x-checksum-sha1']
  if (typeof sum === 'string' && sum.toLowerCase() !== content.sha1) throw errors.packageHashMismatch()
  const replaces = params['rrev'] === NO_REVISION || path.startsWith('metadata/')
  const isThere = async (): Promise<boolean> =>
    !replaces && (await contents.findFile(owner, recipe, name))?.sha256 === content.sha256
  if (await isThere()) return { status: 201 }
  const metadata = path === 'conaninfo.txt' ? await readInfo(contents, tools, request, content) : ''
  try {
    await contents.publish(viewer, owner, { ...recipe, extends: true, files: [{ name, content, metadata, replaces }] })
  } catch (error) {
    // Another client may have sent it at the same time.
    if (!isDomainError(error, 'conflict') || !(await isThere())) throw error
  }
  return { status: 201 }
}

async function readInfo(
  contents: PackageContents,
  { taskPool }: FormatTools,
  { viewer }: FormatWrite,
  content: ReceivedFile,
): Promise<string> {
  const text = (await readShort(await contents.open(content), MAX_INFO, 'conaninfo.txt')).toString('utf8')
  return JSON.stringify(await readMetadata(taskPool, viewer, INFO_TASK, text))
}

/** Deletes all files below a folder of the recipe; with an empty name, all files of the recipe. */
export async function deleteBelow(
  contents: PackageContents,
  { viewer, owner, params }: FormatWrite,
  folder: string,
): Promise<FormatAnswer> {
  await contents.deleteFiles(viewer, owner, recipeOf(params), (name) => name.startsWith(folder))
  return { status: 200 }
}
