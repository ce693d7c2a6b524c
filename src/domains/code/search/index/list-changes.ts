import { type GitRepo, listFiles, MODE } from '../../../../core/git/index.ts'

export interface SearchedFile {
  readonly path: string
  readonly oid: string
  /** Bytes. */
  readonly size: number
}

export interface FileChanges {
  /** New, or with another content. */
  readonly changed: readonly SearchedFile[]
  /** Paths. */
  readonly deleted: readonly string[]
  /** The `.gitattributes` files of the commit are among these. */
  readonly files: ReadonlyMap<string, SearchedFile>
  /** There are more files than are indexed. */
  readonly isCut: boolean
}

/** Files of one repository beyond this number are not indexed. */
const MAX_FILES = 100_000

interface ListOptions {
  readonly maxFileSize: number
  readonly signal: AbortSignal
}

/** How the files of a commit differ from the indexed ones. An empty commit id means no files. */
export async function listChanges(
  git: GitRepo,
  commit: string,
  indexed: ReadonlyMap<string, string>,
  { maxFileSize, signal }: ListOptions,
): Promise<FileChanges> {
  const files = new Map<string, SearchedFile>()
  let isCut = false
  if (commit !== '')
    for await (const { mode, oid, size, path } of listFiles(git.command, commit, signal)) {
      if (mode === MODE.symlink || size === 0 || size > maxFileSize) continue
      isCut = files.size === MAX_FILES
      if (isCut) break
      files.set(path, { path, oid, size })
    }
  const deleted = [...indexed.keys()].filter((path) => !files.has(path))
  const changed = [...files.values()].filter(({ path, oid }) => indexed.get(path) !== oid)
  const isReclassified = [...deleted, ...changed.map(({ path }) => path)].some(isAttributes)
  return { changed: isReclassified ? [...files.values()] : changed, deleted, files, isCut }
}

const isAttributes = (path: string): boolean => /(?:^|\/)\.gitattributes$/.test(path)
