import type { Core, Services } from '../../../core/module.ts'
import { findShortOid, type GitRepo, ignoringMissing, MODE, type TreeEntry } from '../../../core/git/index.ts'
import { notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { isText } from '../../../core/platform/http/media-type.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { trimEndOf } from '../../../core/platform/trim.ts'
import { type CommitView, lfsPointers, pushQueries } from '../../code/index.ts'
import type { Repo } from '../../repositories/index.ts'

type RefKind = 'branch' | 'tag' | 'commit'

/** A path in a commit, and the ref by which the address names the commit. */
export interface SourceLocation {
  readonly kind: RefKind
  readonly ref: string
  readonly commit: string
  /** Empty for the root. */
  readonly path: string
}

export interface TextFile {
  readonly name: string
  readonly oid: string
  readonly text: string
}

export type Source =
  | { readonly kind: 'directory'; readonly entries: readonly TreeEntry[] }
  | { readonly kind: 'submodule'; readonly oid: string }
  | {
      readonly kind: 'file'
      readonly size: number
      readonly isSymlink: boolean
      readonly lfs: NonNullable<ReturnType<typeof lfsPointers.parse>> | undefined
      /** Undefined for a binary or large file. */
      readonly text: string | undefined
    }

interface CommitRows {
  readonly items: readonly CommitView[]
  readonly hasMore: boolean
}

const NO_PARTS = { stat: false, files: false, verification: false }
const MAX_TEXT = 256 * 1024
/** The maximum number of segments in the name of a ref. */
const MAX_REF_PARTS = 20
const HEADS = 'refs/heads/'
const TAGS = 'refs/tags/'
const ADDRESS = /^(branch|tag|commit)\/([^/].*)$/s

interface SourceDeps extends Pick<Core, 'database' | 'git'> {
  readonly commitViews: Services['commitViews']
}

export type Sources = ReturnType<typeof createSources>

/** Reads the content of the pages about files and commits. */
export function createSources({ database, git, commitViews }: SourceDeps) {
  return {
    /**
     * `address` is `{branch|tag|commit}/{ref}/{path}`; the ref is the longest prefix that names one. Throws NotFound.
     */
    async locate(repo: Repo, address: string): Promise<SourceLocation> {
      const [, kind, given] = ADDRESS.exec(address) ?? []
      const rest = given && trimEndOf(given, '/')
      if (!rest) throw errors.pageNotFound()
      const opened = git.open(repo)
      const found = await (kind === 'commit'
        ? locateCommit(opened, rest)
        : locateRef(opened, kind as 'branch' | 'tag', rest, (names) =>
            kind === 'branch'
              ? pushQueries.mapRenamedBranches(database.read, repo.id, names)
              : Promise.resolve(new Map()),
          ))
      if (found === undefined) throw notFound(`no such ${kind}: ${rest}`)
      return found
    },
    /** The root of the default branch; undefined if it does not exist. */
    async findDefault(repo: Repo): Promise<SourceLocation | undefined> {
      const opened = git.open(repo)
      const ref = (await opened.refs.snapshot()).get(HEADS + repo.defaultBranch)
      return ref && { kind: 'branch', ref: repo.defaultBranch, commit: ref.oid, path: '' }
    },
    /** Directories come first. Throws NotFound. */
    async read(repo: Repo, { commit, path }: SourceLocation): Promise<Source> {
      const opened = git.open(repo)
      const entry = await opened.revisions.entryAt(commit, path)
      if (entry === undefined) throw errors.entryNotFound(path)
      if (entry.type === 'commit') return { kind: 'submodule', oid: entry.oid }
      if (entry.type === 'tree')
        return { kind: 'directory', entries: sortEntries(await opened.objects.tree(entry.oid)) }
      return readFile(opened, entry)
    },
    /** The README of a directory, if it is a text of at most 256 KiB. */
    async findReadme(repo: Repo, entries: readonly TreeEntry[]): Promise<TextFile | undefined> {
      const entry = chooseReadme(entries)
      const file = entry && (await readFile(git.open(repo), entry))
      return file?.kind === 'file' && file.text !== undefined
        ? { name: entry!.name, oid: entry!.oid, text: file.text }
        : undefined
    },
    /**
     * Commits that changed the path, newest first. NOTE: without a total, which would require reading the whole
     * history.
     */
    async listCommits(
      repo: Repo,
      { commit: tip, path }: SourceLocation,
      { offset: skip, limit }: Paging,
    ): Promise<CommitRows> {
      const opened = git.open(repo)
      const log = { tip, ...(path !== '' && { path }) }
      const commits = await opened.history.list(log, { skip, limit: limit + 1 })
      const items = await commitViews.load(opened, commits.slice(0, limit), NO_PARTS)
      return { items, hasMore: commits.length > limit }
    },
    /** Names of the first `limit` branches, starting with the default branch, and their total number. */
    async listBranches(repo: Repo, limit: number): Promise<Page<string>> {
      const refs = (await git.open(repo).refs.snapshot()).list(HEADS)
      const names = refs.slice(0, limit + 1).map(({ name }) => name.slice(HEADS.length))
      const others = names.filter((name) => name !== repo.defaultBranch)
      const hasDefault = refs.some(({ name }) => name === HEADS + repo.defaultBranch)
      return { items: [...(hasDefault ? [repo.defaultBranch] : []), ...others].slice(0, limit), total: refs.length }
    },
  }
}

async function locateCommit(git: GitRepo, rest: string): Promise<SourceLocation | undefined> {
  const [ref = '', ...path] = rest.split('/')
  const commit = await findShortOid(git, ref)
  return commit === undefined ? undefined : { kind: 'commit', ref, commit, path: path.join('/') }
}

async function locateRef(
  git: GitRepo,
  kind: 'branch' | 'tag',
  rest: string,
  renamed: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<SourceLocation | undefined> {
  const parts = rest.split('/')
  const names = parts.slice(0, MAX_REF_PARTS).map((_, index) => parts.slice(0, index + 1).join('/'))
  const snapshot = await git.refs.snapshot()
  const find = async (current: ReadonlyMap<string, string>): Promise<SourceLocation | undefined> => {
    for (const [index, name] of [...names.entries()].toReversed()) {
      const ref = current.get(name) ?? name
      const oid = snapshot.get(`${kind === 'branch' ? HEADS : TAGS}${ref}`)?.oid
      const commit = oid && (await ignoringMissing(() => git.revisions.peel(oid, 'commit')))
      if (commit) return { kind, ref, commit, path: parts.slice(index + 1).join('/') }
    }
    return undefined
  }
  return (await find(new Map())) ?? find(await renamed(names))
}

async function readFile(git: GitRepo, entry: TreeEntry): Promise<Source> {
  const { size } = await git.objects.info(entry.oid)
  const content = size <= MAX_TEXT ? await git.objects.blob(entry.oid, MAX_TEXT) : undefined
  return {
    kind: 'file',
    size,
    isSymlink: entry.mode === MODE.symlink,
    lfs: content && content.length <= lfsPointers.maxSize ? lfsPointers.parse(content) : undefined,
    text: content && isText(content) ? decode(content) : undefined,
  }
}

/** Decodes UTF-8, or Latin-1 if the content is not valid UTF-8. */
function decode(content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return new TextDecoder('latin1').decode(content)
  }
}

const sortEntries = (entries: readonly TreeEntry[]): readonly TreeEntry[] => [
  ...entries.filter(({ type }) => type === 'tree'),
  ...entries.filter(({ type }) => type !== 'tree'),
]

/** Formats that can be rendered are preferred. */
const READMES = ['readme.md', 'readme.markdown', 'readme.org', 'readme', 'readme.txt', 'readme.rst']

function chooseReadme(entries: readonly TreeEntry[]): TreeEntry | undefined {
  const files = entries.filter(({ type, mode }) => type === 'blob' && mode !== MODE.symlink)
  const named = (name: string): TreeEntry | undefined => files.find((entry) => entry.name.toLowerCase() === name)
  return READMES.map(named).find((entry) => entry !== undefined)
}
