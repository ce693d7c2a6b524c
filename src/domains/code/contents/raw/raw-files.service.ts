import { Readable } from 'node:stream'
import type { Database } from '../../../../core/db/database.ts'
import {
  branchRef,
  findCommitOid,
  findShortOid,
  findTarget,
  type Git,
  type GitRepo,
  ignoringMissing,
  isOid,
  MODE,
  tagRef,
} from '../../../../core/git/index.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { type LfsPointer, MAX_POINTER_SIZE, parseLfsPointer } from '../../lfs/objects/pointer.ts'
import { mapRenamedBranches } from '../../pushes/renamed-branch.store.ts'
import type { Repo } from '../../../repositories/index.ts'

/** The bytes of a file and the data for its headers. */
export interface RawFile {
  readonly path: string
  readonly oid: string
  /** Bytes. */
  readonly size: number
  readonly isSymlink: boolean
  /** Epoch seconds of the last commit that changed the path. */
  readonly modified: number
  readonly lfs: LfsPointer | undefined
  /** The first bytes, enough to detect the type; the whole content of small files. */
  readonly head: Buffer
  /** The bytes from `start` to `end` inclusive, in memory or as a stream. */
  body(range: { readonly start: number; readonly end: number }, signal?: AbortSignal): Promise<Buffer | Readable>
}

export type RawKind = 'branch' | 'tag' | 'commit'

interface NamedRef {
  readonly text: string
  /** The current name of a branch that was renamed. */
  renamed(): Promise<string | undefined>
}

interface Located {
  readonly commit: string
  readonly path: string
}

const SNIFF_BYTES = 1024
const MAX_BUFFERED_BYTES = 512 * 1024

export type RawFiles = ReturnType<typeof createRawFiles>

export function createRawFiles({ database, git }: { database: Database; git: Git }) {
  /** Current names of renamed branches, by old names that are leading segments of the text. */
  const oldNames = (repo: Repo, text: string): Promise<Map<string, string>> =>
    mapRenamedBranches(database.read, repo.id, leadingNames(text))

  return {
    /**
     * Returns the file at a path, whose first segments may name the ref. Throws NotFound for a missing path, a
     * directory or a submodule (behaviour/git-data-and-transport#raw-files-languages-and-archives).
     */
    async get(repo: Repo, path: string, ref: string | undefined): Promise<RawFile> {
      const opened = git.open(repo)
      const found = await fromCandidates(
        opened,
        await candidates(
          opened,
          repo,
          path,
          ref && { text: ref, renamed: async () => (await oldNames(repo, `${ref}/`)).get(ref) },
        ),
      )
      const file = found ?? (await findTyped(opened, 'branch', path, await oldNames(repo, path)))
      if (file === undefined) throw errors.fileNotFound(path)
      return file
    },
    /** Returns the file of a web URL: `rest` is the name of a ref of this kind and a path. Throws NotFound. */
    async getTyped(repo: Repo, kind: RawKind, rest: string): Promise<RawFile> {
      const opened = git.open(repo)
      const file =
        (await findTyped(opened, kind, rest)) ??
        (kind === 'branch' ? await findTyped(opened, kind, rest, await oldNames(repo, rest)) : undefined)
      if (!file) throw errors.fileNotFound(rest)
      return file
    },
    /**
     * The kind of ref that the first segments of a path name: full id, then branch, tag, short id. Throws NotFound if
     * there is no such file.
     */
    async kindOf(repo: Repo, rest: string): Promise<RawKind> {
      const opened = git.open(repo)
      const kinds = startsWithId(opened, rest) ? (['commit'] as const) : (['branch', 'tag', 'commit'] as const)
      for (const kind of kinds) {
        if (await ignoringMissing(() => findTyped(opened, kind, rest))) return kind
      }
      if (await findTyped(opened, 'branch', rest, await oldNames(repo, rest))) return 'branch'
      throw errors.fileNotFound(rest)
    },
    /** A blob by its full id. Throws NotFound. */
    async getBlob(repo: Repo, oid: string): Promise<RawFile> {
      const opened = git.open(repo)
      const info = await opened.objects.findInfo(oid)
      if (info?.type !== 'blob') throw notFound(`no blob ${oid}`)
      return describe(opened, { path: oid, oid, size: info.size, isSymlink: false, modified: 0 })
    },
  }
}

/** Finds branches by their current and by their old names. */
async function findTyped(
  git: GitRepo,
  kind: RawKind,
  rest: string,
  renamed: ReadonlyMap<string, string> = NONE,
): Promise<RawFile | undefined> {
  const snapshot = await git.refs.snapshot()
  const oidOf = (name: string): string | undefined => {
    const prefix = kind === 'branch' ? 'refs/heads/' : 'refs/tags/'
    return (snapshot.get(prefix + name) ?? snapshot.get(`${prefix}${renamed.get(name) ?? name}`))?.oid
  }
  const found = kind === 'commit' ? await byLeadingCommit(git, rest) : splitRef(rest, oidOf)
  return found && fromCandidates(git, [{ commit: await git.revisions.peel(found.commit, 'commit'), path: found.path }])
}

/**
 * The locations to look up a path, in order: only the given ref; without one, the default branch, then the ref that the
 * path starts with.
 */
async function candidates(git: GitRepo, repo: Repo, path: string, ref: NamedRef | '' | undefined): Promise<Located[]> {
  const found: Located[] = []
  const named = ref ? await namedCommit(git, repo, ref) : undefined
  if (named !== undefined) return [{ commit: named, path }]
  const fallback = await findTarget(git, repo, undefined)
  if (fallback) found.push({ commit: fallback.commit, path })
  const snapshot = await git.refs.snapshot()
  const byRef = (name: string): string | undefined => (snapshot.get(branchRef(name)) ?? snapshot.get(tagRef(name)))?.oid
  const leading = (startsWithId(git, path) ? undefined : splitRef(path, byRef)) ?? (await byLeadingCommit(git, path))
  if (leading) found.push({ commit: await git.revisions.peel(leading.commit, 'commit'), path: leading.path })
  return found
}

async function namedCommit(git: GitRepo, repo: Repo, { text, renamed }: NamedRef): Promise<string | undefined> {
  const found = (await findTarget(git, repo, text))?.commit ?? (await findCommitOid(git, text))
  if (found !== undefined) return found
  const branch = await renamed()
  return branch === undefined ? undefined : findCommitOid(git, `refs/heads/${branch}`)
}

async function fromCandidates(git: GitRepo, candidates: readonly Located[]): Promise<RawFile | undefined> {
  for (const { commit, path } of candidates) {
    const entry = await git.revisions.entryAt(commit, path)
    if (entry?.type !== 'blob') continue
    const [info, last] = await Promise.all([git.objects.info(entry.oid), git.lastCommits.ofPath(commit, path)])
    const modified = last === undefined ? 0 : (await git.objects.commit(last)).committer.time
    return describe(git, { path, oid: entry.oid, size: info.size, isSymlink: entry.mode === MODE.symlink, modified })
  }
  return undefined
}

const NONE: ReadonlyMap<string, string> = new Map()
const MAX_PARTS = 20

/** The leading segments of a path that may name a branch: `a`, `a/b` of `a/b/c`. */
function leadingNames(path: string): string[] {
  const parts = path.split('/', MAX_PARTS)
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** The maximum number of segments in the name of a ref. */
const MAX_REF_PARTS = 512

/** Splits a path after the longest leading part that names a ref. */
function splitRef(path: string, oidOf: (name: string) => string | undefined): Located | undefined {
  const parts = path.split('/')
  for (let length = Math.min(parts.length - 1, MAX_REF_PARTS); length > 0; length--) {
    const commit = oidOf(parts.slice(0, length).join('/'))
    if (commit !== undefined) return { commit, path: parts.slice(length).join('/') }
  }
  return undefined
}

async function byLeadingCommit(git: GitRepo, path: string): Promise<Located | undefined> {
  const first = firstOf(path)
  const commit = await (first === 'HEAD' ? findCommitOid(git, first) : findShortOid(git, first))
  return commit === undefined ? undefined : { commit, path: path.slice(first.length + 1) }
}

const firstOf = (path: string): string => path.slice(0, Math.max(0, path.indexOf('/')))

/** A full id in the first segment takes precedence over a ref of the same name. */
const startsWithId = ({ objectFormat }: GitRepo, path: string): boolean => isOid(firstOf(path), objectFormat)

async function describe(
  git: GitRepo,
  file: Pick<RawFile, 'path' | 'oid' | 'size' | 'isSymlink' | 'modified'>,
): Promise<RawFile> {
  const bytes = file.size <= MAX_BUFFERED_BYTES ? await git.objects.blob(file.oid, MAX_BUFFERED_BYTES) : undefined
  const head = bytes?.subarray(0, SNIFF_BYTES) ?? (await firstBytes(git, file.oid))
  return {
    ...file,
    head,
    lfs: bytes && bytes.length <= MAX_POINTER_SIZE ? parseLfsPointer(bytes) : undefined,
    async body({ start, end }, signal) {
      if (bytes) return bytes.subarray(start, end + 1)
      return Readable.from(slice(git.objects.blobStream(file.oid, signal), start, end), { objectMode: false })
    },
  }
}

async function firstBytes(git: GitRepo, oid: string): Promise<Buffer> {
  for await (const chunk of git.objects.blobStream(oid)) return chunk.subarray(0, SNIFF_BYTES)
  return Buffer.alloc(0)
}

async function* slice(
  stream: AsyncGenerator<Buffer, void, undefined>,
  start: number,
  end: number,
): AsyncGenerator<Buffer, void, undefined> {
  let at = 0
  for await (const chunk of stream) {
    const from = Math.max(0, start - at)
    const to = Math.min(chunk.length, end + 1 - at)
    if (to > from) yield chunk.subarray(from, to)
    at += chunk.length
    if (at > end) return
  }
}
