import { errors } from '../../../errors.ts'
import type { User } from '../../../accounts/index.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageFile } from '../../packages/package.store.ts'
import type { Recipe } from './conan-reference.ts'

export interface Revision {
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
}

const MANIFEST = 'conanmanifest.txt'
/** Old clients, which do not know revisions, write this one. */
export const NO_REVISION = '0'

/** The files of a recipe, of all revisions and packages, in upload order. Throws NotFound without any. */
export async function listRecipeFiles(contents: PackageContents, owner: User, recipe: Recipe): Promise<PackageFile[]> {
  const entry = await contents.findPackage(owner, recipe.type, recipe.name)
  const version = entry && (await contents.findVersion(entry, recipe.version))
  if (version === undefined) throw errors.packageNotFound()
  return contents.listFiles(version)
}

/** Newest first. Clients send the manifest last, so that a revision without one is not complete. */
function revisionsOf(files: readonly PackageFile[], before: string, after: string): Revision[] {
  const end = `${after}${MANIFEST}`
  return files
    .filter(({ name }) => name.startsWith(before) && name.endsWith(end))
    .map(({ name, created_at: at }) => ({ id: name.slice(before.length, -end.length), at }))
    .filter(({ id }) => id !== '' && !id.includes('/'))
    .toReversed()
}

export const recipeRevisions = (files: readonly PackageFile[]): Revision[] => revisionsOf(files, '', '/export/')

export const packageRevisions = (files: readonly PackageFile[], rrev: string, pid: string): Revision[] =>
  revisionsOf(files, `${rrev}/package/${pid}/`, '/')

/** Throws NotFound without one. */
export function newest([first]: readonly Revision[]): Revision {
  if (first === undefined) throw errors.packageNotFound()
  return first
}

/** Files of a folder by their names in it. */
export const filesIn = (files: readonly PackageFile[], folder: string): Map<string, PackageFile> =>
  new Map(files.flatMap((file) => (file.name.startsWith(folder) ? [[file.name.slice(folder.length), file]] : [])))

/** Ids of the packages of a revision of the recipe, sorted. */
export function packageIds(files: readonly PackageFile[], rrev: string): string[] {
  const folder = `${rrev}/package/`
  const ids = [...filesIn(files, folder).keys()].map((name) => name.slice(0, name.indexOf('/')))
  return [...new Set(ids)].toSorted()
}
