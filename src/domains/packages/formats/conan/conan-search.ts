import { members, parseJson } from '../../../../core/platform/json-members.ts'
import { compileGlob } from '../../../../core/platform/patterns/glob.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageFile } from '../../packages/package.store.ts'
import type { FormatAnswer, FormatRequest } from '../../registry/format.ts'
import { type } from './conan-reference.ts'
import { filesIn, packageIds, packageRevisions } from './conan-revisions.ts'

/** COMPAT: clients compare the type as a whole (test/packages/registry/conan.test.ts). */
export const json = (body: object): FormatAnswer => ({ status: 200, type: 'application/json', body })

const MAX_PATTERN = 300

/** References of recipes that a pattern matches as a whole, or up to the version or user. */
export async function searchRecipes(contents: PackageContents, { owner, query }: FormatRequest): Promise<FormatAnswer> {
  const pattern = query.get('q') || '*'
  if (pattern.length > MAX_PATTERN) throw badRequest(`q has more than ${MAX_PATTERN} characters`)
  const isExact = query.get('ignorecase')?.toLowerCase() === 'false'
  const folded = (text: string): string => (isExact ? text : text.toLowerCase())
  const matches = compileGlob(folded(pattern))
  const names = new Map((await contents.listPackages(owner, type)).map(({ id, name }) => [id, name]))
  const results = (await contents.listAllVersions(owner, type)).flatMap(({ packageId, version }) => {
    const reference = `${names.get(packageId)}/${version}`
    return beginnings(folded(reference)).some((text) => matches(text)) ? [reference] : []
  })
  return json({ results: results.toSorted() })
}

/** `a`, `a/1`, `a/1@u` and `a/1@u/c` of `a/1@u/c`. */
const beginnings = (reference: string): string[] =>
  [...reference.matchAll(/[/@]|$/g)].map(({ index }) => reference.slice(0, index))

/** What the newest revisions of packages were built with, by the ids of the packages. */
export function describePackages(files: readonly PackageFile[], rrev: string, isListOnly: boolean): FormatAnswer {
  const described = packageIds(files, rrev).flatMap((pid) => {
    const [revision] = packageRevisions(files, rrev, pid)
    if (revision === undefined) return []
    const info = filesIn(files, `${rrev}/package/${pid}/${revision.id}/`).get('conaninfo.txt')
    return [[pid, isListOnly ? {} : members(parseJson(info?.metadata ?? '')?.value)] as const]
  })
  return json(Object.fromEntries(described))
}
