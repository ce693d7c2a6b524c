import { LRUCache } from 'lru-cache'
import {
  type Commit,
  findTarget,
  getTarget,
  type Git,
  type GitRepo,
  isGitError,
  MODE,
  type Target,
  type TreeEntry,
} from '../../../../core/git/index.ts'
import { createPauses } from '../../../../core/platform/concurrency/pauses.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { type LfsPointer, MAX_POINTER_SIZE, parseLfsPointer } from '../../lfs/objects/pointer.ts'
import type { Repo } from '../../../repositories/index.ts'
import { type EditorProperties, readEditorConfig } from '../templates/editorconfig.ts'

/** Parses a `.gitmodules` file into URLs by path. Skips what it cannot parse. */
export function parseSubmodules(text: string): Map<string, string> {
  const urls = new Map<string, string>()
  let section: { path?: string; url?: string } | undefined
  const close = (): void => {
    if (section?.path !== undefined && section.url !== undefined) urls.set(section.path, section.url)
  }
  for (const line of text.split('\n')) {
    if (/^\s*\[/.test(line)) {
      close()
      section = /^\s*\[submodule\s+".*"\]/.test(line) ? {} : undefined
      continue
    }
    // NOTE: a regular expression would backtrack over a long line.
    const equals = line.indexOf('=')
    const name = equals === -1 ? '' : line.slice(0, equals).trim().toLowerCase()
    if (section && (name === 'path' || name === 'url')) section[name] = unquote(line.slice(equals + 1).trim())
  }
  close()
  return urls
}

const unquote = (text: string): string =>
  text.startsWith('"') && text.endsWith('"') && text.length > 1
    ? text.slice(1, -1).replaceAll(/\\(["\\])/g, '$1')
    : text

type EntryKind = 'file' | 'dir' | 'symlink' | 'submodule'

/** The parts of an entry that cost more than its name; only those that are true are read. */
interface EntryParts {
  readonly content: boolean
  readonly lfs: boolean
  readonly lastCommit: boolean
}

export interface EntryView {
  readonly path: string
  readonly kind: EntryKind
  readonly oid: string
  /** Bytes; 0 for directories and submodules. */
  readonly size: number
  readonly content: Buffer | undefined
  readonly target: string | undefined
  readonly submoduleUrl: string | undefined
  readonly lfs: LfsPointer | undefined
  readonly lastCommit: Commit | undefined
}

/** A file, or the entries of a directory. */
interface ContentsView {
  readonly file: EntryView | undefined
  readonly entries: readonly EntryView[] | undefined
}

/** Several files, read one after the other. */
interface ManyView {
  readonly target: Target
  /** Total bytes of all contents. */
  readonly bytes: number
  /** Undefined for a missing path. The generator reads one entry at a time: all of them may exceed the memory. */
  entries(): AsyncGenerator<EntryView | undefined, void, undefined>
}

export interface Contents {
  /** Throws NotFound for an unknown path. */
  read(repo: Repo, path: string, target: Target, parts: EntryParts): Promise<ContentsView>
  /** The entries in the order of the paths; stops at 30 entries or 100 MiB. Throws NotFound for an unknown ref. */
  readMany(repo: Repo, paths: readonly string[], ref: string | undefined): Promise<ManyView>
  /**
   * The properties of a file in the repository's `.editorconfig`; for an unknown ref, those on the default branch.
   * Throws NotFound if there is no such file.
   */
  editorProperties(repo: Repo, path: string, ref: string | undefined): Promise<EditorProperties>
  /** The branch, tag or commit that a ref names; the default branch if the ref is absent. */
  findTarget(repo: Repo, ref: string | undefined): Promise<Target | undefined>
}

const MAX_EDITORCONFIG = 256 * 1024
const MAX_MANY = 30
const ALL: EntryParts = { content: true, lfs: true, lastCommit: true }

export interface ContentsDeps {
  readonly git: Git
  /** Bytes of the largest file that an answer contains. */
  readonly maxBlobSize: number
  /** Bytes of all files of one answer. */
  readonly maxResponseSize: number
}

export function createContents({ git, maxBlobSize, maxResponseSize }: ContentsDeps): Contents {
  const reader = createEntryReader(maxBlobSize)
  return {
    async editorProperties(repo, path, ref) {
      const opened = git.open(repo)
      const target = (await findTarget(opened, repo, ref)) ?? (await getTarget(opened, repo, undefined))
      const entry = await opened.revisions.entryAt(target.commit, '.editorconfig')
      if (entry?.type !== 'blob') throw notFound('there is no .editorconfig')
      return readEditorConfig((await opened.objects.blob(entry.oid, MAX_EDITORCONFIG)).toString('utf8'), path)
    },
    findTarget: (repo, ref) => findTarget(git.open(repo), repo, ref),
    async read(repo, givenPath, target, parts) {
      const path = plainPath(givenPath)
      const opened = git.open(repo)
      const entry = await opened.revisions.entryAt(target.commit, path)
      if (entry === undefined) throw errors.entryNotFound(path)
      if (entry.type !== 'tree')
        return { file: await reader.one(opened, target, { path, entry }, parts), entries: undefined }
      return { file: undefined, entries: await reader.directory(opened, target, { path, entry }, parts) }
    },
    async readMany(repo, paths, ref) {
      const opened = git.open(repo)
      const target = await getTarget(opened, repo, ref)
      const locations: (EntryLocation | undefined)[] = []
      let bytes = 0
      for (const path of paths.slice(0, MAX_MANY).map(plainPath)) {
        const entry = path === '' ? undefined : await opened.revisions.entryAt(target.commit, path)
        const size = entry?.type === 'blob' ? (await opened.objects.info(entry.oid)).size : 0
        if (bytes + (size <= maxBlobSize ? size : 0) > maxResponseSize) break
        bytes += size <= maxBlobSize ? size : 0
        locations.push(entry && { path, entry })
      }
      async function* entries() {
        for (const location of locations)
          yield (
            location &&
            (await reader.one(opened, target, location, { ...ALL, content: location.entry.type !== 'tree' }))
          )
      }
      return { target, bytes, entries }
    },
  }
}

/** `a/b` for `/a//./b/`. NOTE: `..` is a plain name, which no tree contains. */
const plainPath = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')

interface EntryLocation {
  readonly path: string
  readonly entry: TreeEntry
  /** The last commit that changed the entry, if the caller knows it. */
  readonly lastCommit?: Commit
}

export interface EntryReader {
  /** The entry at a path. */
  one(git: GitRepo, target: Target, location: EntryLocation, parts: EntryParts): Promise<EntryView>
  /** The entries of the directory at a path, without contents. */
  directory(git: GitRepo, target: Target, location: EntryLocation, parts: EntryParts): Promise<EntryView[]>
}

/** The number of directory entries whose objects are read concurrently. */
const AT_ONCE = 64

/** Reads entries of a commit. The result depends only on the commit and the path. */
export function createEntryReader(maxBlobSize: number): EntryReader {
  const submodules = createSubmoduleReader()

  async function view(
    git: GitRepo,
    target: Target,
    location: EntryLocation,
    parts: EntryParts & { last: Commit | undefined },
  ): Promise<EntryView> {
    const { path, entry } = location
    const kind = kindOf(entry)
    const size = entry.type === 'blob' ? (await git.objects.info(entry.oid)).size : 0
    const bytes = needsBytes(kind, size, parts) ? await git.objects.blob(entry.oid, maxBlobSize) : undefined
    return {
      path,
      kind,
      oid: entry.oid,
      size,
      ...(kind === 'file' ? fileParts(bytes, parts) : NO_FILE_PARTS),
      target: kind === 'symlink' ? bytes?.toString('utf8') : undefined,
      submoduleUrl: kind === 'submodule' ? await submodules.urlOf(git, target.commit, path) : undefined,
      lastCommit: parts.last,
    }
  }

  function needsBytes(kind: EntryKind, size: number, parts: EntryParts): boolean {
    if (kind === 'symlink') return size <= maxBlobSize
    if (kind !== 'file') return false
    return (parts.content && size <= maxBlobSize) || (parts.lfs && MIN_POINTER_SIZE <= size && size <= MAX_POINTER_SIZE)
  }

  return {
    async one(git, target, location, parts) {
      const last = parts.lastCommit ? (location.lastCommit ?? (await lastCommitOf(git, target, location))) : undefined
      return view(git, target, location, { ...parts, last })
    },
    async directory(git, target, { path, entry }, parts) {
      const entries = await git.objects.tree(entry.oid)
      const lastOids = parts.lastCommit ? await git.lastCommits.ofDirectory(target.commit, path) : undefined
      const viewOf = async (child: TreeEntry): Promise<EntryView> => {
        const oid = lastOids?.get(child.name)
        const last = oid === undefined ? undefined : await git.objects.commit(oid)
        const location = { path: path === '' ? child.name : `${path}/${child.name}`, entry: child }
        return view(git, target, location, { ...parts, content: false, last })
      }
      const views: EntryView[] = []
      const pause = createPauses()
      for (let at = 0; at < entries.length; at += AT_ONCE) {
        views.push(...(await Promise.all(entries.slice(at, at + AT_ONCE).map(viewOf))))
        await pause()
      }
      return views
    },
  }
}

type FileParts = Pick<EntryView, 'content' | 'lfs'>

const NO_FILE_PARTS: FileParts = { content: undefined, lfs: undefined }

function fileParts(bytes: Buffer | undefined, { content, lfs }: EntryParts): FileParts {
  if (bytes === undefined) return NO_FILE_PARTS
  return { content: content ? bytes : undefined, lfs: lfs ? parseLfsPointer(bytes) : undefined }
}

async function lastCommitOf(git: GitRepo, target: Target, { path }: EntryLocation): Promise<Commit | undefined> {
  const oid = await git.lastCommits.ofPath(target.commit, path)
  return oid === undefined ? undefined : git.objects.commit(oid)
}

/** The size of the shortest pointer in bytes: a version line, an oid line and a size line. */
const MIN_POINTER_SIZE = 100

function kindOf(entry: TreeEntry): EntryKind {
  if (entry.type === 'tree') return 'dir'
  if (entry.type === 'commit') return 'submodule'
  return entry.mode === MODE.symlink ? 'symlink' : 'file'
}

interface SubmoduleReader {
  urlOf(git: GitRepo, commit: string, path: string): Promise<string | undefined>
}

const MAX_GITMODULES = 1024 * 1024

function createSubmoduleReader(): SubmoduleReader {
  const cache = new LRUCache<string, ReadonlyMap<string, string>>({ max: 500 })
  return {
    async urlOf(git, commit, path) {
      const file = await git.revisions.entryAt(commit, '.gitmodules')
      if (file?.type !== 'blob') return undefined
      const parsed = cache.get(file.oid) ?? parseSubmodules(await readText(git, file.oid))
      cache.set(file.oid, parsed)
      return parsed.get(path)
    },
  }
}

async function readText(git: GitRepo, oid: string): Promise<string> {
  try {
    return (await git.objects.blob(oid, MAX_GITMODULES)).toString('utf8')
  } catch (error) {
    if (isGitError(error, 'too-large')) return ''
    throw error
  }
}
