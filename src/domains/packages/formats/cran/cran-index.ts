import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { listOf, members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import type { ListedFile } from '../../packages/listed-files.store.ts'
import type { IndexKind } from '../../registry/indexes/package-indexes.service.ts'

export const type = 'cran'

/** `PACKAGES` of each folder of packages, with the newest version of each. */
export const CRAN_INDEX: IndexKind = {
  type,
  async build({ files, put }) {
    for (const [folder, packages] of await foldersOf(files)) {
      const text = [...packages.values()].map((file) => paragraphOf(file)).join('\n')
      await put(`${folder}/PACKAGES`, text)
      await put(`${folder}/PACKAGES.gz`, await promisify(gzip)(text))
    }
  },
}

async function foldersOf(files: AsyncIterable<ListedFile>): Promise<Map<string, Map<string, ListedFile>>> {
  const folders = new Map<string, Map<string, ListedFile>>()
  for await (const file of files) {
    const folder = file.name.slice(0, file.name.lastIndexOf('/'))
    const packages = folders.get(folder) ?? new Map<string, ListedFile>()
    folders.set(folder, packages)
    const former = packages.get(file.package)
    if (former === undefined || compareVersions(former.version, file.version) < 0) packages.set(file.package, file)
  }
  return folders
}

const paragraphOf = (file: ListedFile): string => {
  const lines = listOf(members(parseJson(file.metadata)?.value)['lines']).map((line) => textOf(line))
  return `${[...lines, `MD5sum: ${file.md5}`].join('\n')}\n`
}

/** Compares like `package_version` of R: sequences of numbers. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(/[.-]/).map(Number)) as [number[], number[]]
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? -1) - (right[at] ?? -1)
    if (difference !== 0) return difference
  }
  return 0
}
