import type { Core } from '../../../core/module.ts'
import { Readable } from 'node:stream'
import {
  type GitRepo,
  ignoringMissing,
  isSafePath,
  type PackCache,
  type SpooledStream,
  tagRef,
  WireError,
} from '../../../core/git/index.ts'
import { sha256Hex } from '../../../core/platform/crypto/crypto.ts'
import { badRequest, notFound } from '../../../core/platform/errors.ts'
import type { Repo } from '../../repositories/index.ts'
import { countArchiveDownload } from './archive-download.store.ts'

type ArchiveFormat = 'zip' | 'tar.gz' | 'bundle'

/** The cost of an archive in the rate limit of requests without credentials. */
export const ARCHIVE_COST = 5

/** The content of one commit as a file. */
export interface ArchiveFile {
  readonly format: ArchiveFormat
  readonly commit: string
  /** The requested tag; undefined for other refs. */
  readonly tag: string | undefined
  /** Committer time, epoch seconds. */
  readonly committedAt: number
  /** `<repository>-<ref>.<format>`, with dashes in place of the slashes of the ref. */
  readonly fileName: string
  /** Identifies the content: equal keys, equal bytes. */
  readonly key: string
  /** Bytes; undefined when the number is unknown before the archive is created. */
  readonly size: number | undefined
  /** Call at most once. The signal stops git when the client disconnects. */
  body(signal: AbortSignal): Readable
}

interface ArchiveQuery {
  /** `<ref>.<format>`; the ref is anything git resolves. */
  readonly file: string
  /** Limits the archive to these files and directories; not for bundles. */
  readonly paths: readonly string[]
}

interface ArchiveDeps extends Pick<Core, 'database' | 'git'> {
  /** Concurrent requests for one archive create it once. If undefined, every request creates its own archive. */
  readonly cache: PackCache | undefined
}

interface ArchiveRequest {
  readonly git: GitRepo
  readonly format: ArchiveFormat
  readonly commit: string
  readonly prefix: string
  readonly paths: readonly string[]
}

const FORMATS: readonly ArchiveFormat[] = ['zip', 'tar.gz', 'bundle']
const TICK_MS = 500

export type Archives = ReturnType<typeof createArchives>

export function createArchives({ database, git, cache }: ArchiveDeps) {
  return {
    /** Throws BadRequest for an unknown format or path, NotFound for an unknown ref (behaviour/repositories#archives). */
    async get(repo: Repo, { file, paths }: ArchiveQuery): Promise<ArchiveFile> {
      const format = FORMATS.find((candidate) => file.endsWith(`.${candidate}`) && file.length > candidate.length + 1)
      if (format === undefined) throw badRequest(`unknown format: ${file}`)
      const ref = file.slice(0, -format.length - 1)
      if (format === 'bundle' && paths.length > 0) throw badRequest('a bundle cannot be limited to paths')
      const opened = git.open(repo)
      const found = await ignoringMissing(() => opened.revisions.findLoose(ref))
      const commit = found && (await ignoringMissing(() => opened.revisions.peel(found.oid, 'commit')))
      if (commit === undefined) throw notFound(`unrecognized repository reference: ${ref}`)
      const wanted: ArchiveRequest = {
        git: opened,
        format,
        commit,
        prefix: `${repo.name.toLowerCase()}/`,
        paths: await requirePaths(opened, commit, paths),
      }
      // A bundle is about as large as the repository, and creating it again returns other bytes once it outgrows the
      // cache.
      const keep = format === 'bundle' && repo.gitSize > (cache?.maxEntryBytes ?? 0) ? undefined : cache
      const key = sha256Hex(JSON.stringify([git.version, repo.storage, commit, format, wanted.prefix, wanted.paths]))
      return {
        format,
        commit,
        tag: found?.ref === tagRef(ref) ? ref : undefined,
        committedAt: (await opened.objects.commit(commit)).committer.time,
        fileName: `${repo.name}-${ref.replaceAll('/', '-')}.${format}`,
        key,
        size: keep?.sizeOf(key),
        body: (signal) =>
          Readable.from(nonEmpty(keep ? cached(keep, key, wanted, signal) : make(wanted, signal)), {
            objectMode: false,
          }),
      }
    },
    /** Counts a download of the archive of a tag; does nothing for other refs and for bundles. */
    async countDownload({ id }: Repo, { tag, format }: ArchiveFile): Promise<void> {
      if (tag === undefined || format === 'bundle') return
      const kind = format === 'zip' ? 'zip' : 'tar_gz'
      await database.transaction((tx) => countArchiveDownload(tx, { repoId: id, tag, kind }))
    },
  }
}

/** Throws BadRequest for unknown paths. NOTE: git itself would fail only after the response has started. */
async function requirePaths(git: GitRepo, commit: string, paths: readonly string[]): Promise<string[]> {
  const clean = paths.map((path) => path.replace(/^\.?\/+|(?<!\/)\/+$/g, '')).filter((path) => path !== '')
  for (const path of clean) {
    if (!isSafePath(path) || (await git.revisions.entryAt(commit, path)) === undefined)
      throw badRequest(`path not found in the archive: ${path}`)
  }
  return clean
}

function make(
  { git, format, commit, prefix, paths }: ArchiveRequest,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  if (format === 'bundle') return git.archives.bundle({ oid: commit, names: ['refs/heads/bundle', 'HEAD'], signal })
  return git.archives.archive({ format, oid: commit, prefix, paths, signal })
}

async function* cached(
  cache: PackCache,
  key: string,
  wanted: ArchiveRequest,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const stream: SpooledStream = cache.answer(key, async (sink, stop) => {
    for await (const chunk of make(wanted, stop)) await sink(chunk)
  })
  let sent = 0
  try {
    for await (const chunk of stream.read(0, TICK_MS)) {
      if (signal.aborted) return
      sent += chunk.length
      // NOTE: the reader reuses its buffer, and its consumer may read ahead.
      yield Buffer.from(chunk)
    }
  } catch (error) {
    // An archive that outgrows the cache is created again for this reader: archives of a commit are identical to the
    // byte, bundles are not.
    if (!(error instanceof WireError) || error.kind !== 'too-large' || (wanted.format === 'bundle' && sent > 0))
      throw error
    yield* skipBytes(sent, make(wanted, signal))
  }
}

async function* skipBytes(
  skip: number,
  source: AsyncGenerator<Buffer, void, undefined>,
): AsyncGenerator<Buffer, void, undefined> {
  let left = skip
  for await (const chunk of source) {
    if (left < chunk.length) yield chunk.subarray(left)
    left = Math.max(0, left - chunk.length)
  }
}

/** Drops the empty chunks that the cache yields while it waits. */
async function* nonEmpty(source: AsyncGenerator<Buffer, void, undefined>): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of source) if (chunk.length > 0) yield chunk
}
