import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { members, parseJson } from '../../../../core/platform/json-members.ts'
import type { ListedFile } from '../../packages/listed-files.store.ts'
import type { IndexKind } from '../../registry/indexes/package-indexes.service.ts'

export const type = 'conda'

interface Subdir {
  /** Lines of JSON, the entries of `packages` and of `packages.conda`. */
  readonly packages: string[]
  readonly conda: string[]
}

/** `repodata.json` of each subdir of each channel. */
export const CONDA_INDEX: IndexKind = {
  type,
  async build({ files, put }) {
    for (const [folder, subdir] of await subdirsOf(files)) {
      const text = repodata(folder.slice(folder.lastIndexOf('/') + 1), subdir)
      await put(`${folder}/repodata.json`, text)
      await put(`${folder}/repodata.json.zst`, await promisify(zstdCompress)(text))
    }
  },
}

async function subdirsOf(files: AsyncIterable<ListedFile>): Promise<Map<string, Subdir>> {
  const subdirs = new Map<string, Subdir>()
  for await (const file of files) {
    const at = file.name.lastIndexOf('/')
    const [folder, name] = [file.name.slice(0, at), file.name.slice(at + 1)]
    const subdir = subdirs.get(folder) ?? { packages: [], conda: [] }
    subdirs.set(folder, subdir)
    const entry = { ...members(parseJson(file.metadata)?.value), md5: file.md5, sha256: file.sha256, size: file.size }
    const list = name.endsWith('.conda') ? subdir.conda : subdir.packages
    list.push(`${JSON.stringify(name)}:${JSON.stringify(entry)}`)
  }
  return subdirs
}

export const repodata = (name: string, { packages, conda }: Subdir = { packages: [], conda: [] }): string =>
  `{"info":{"subdir":${JSON.stringify(name)}},"packages":{${packages.join(',\n')}},"packages.conda":{${conda.join(',\n')}},` +
  '"removed":[],"repodata_version":1}\n'
