import { Readable } from 'node:stream'
import type { Database } from '../../db/database.ts'
import {
  type Git,
  type GitRepo,
  isSafePath,
  type PackCache,
  type SpooledStream,
  tagRef,
  WireError,
} from '../../git/index.ts'
import { sha256Hex } from '../../platform/crypto.ts'
import { badRequest, notFound } from '../../platform/errors.ts'
import type { Repo } from '../repos/index.ts'
import { findCommitOid } from '../verification/index.ts'
import { countArchiveDownload } from './archive-download.store.ts'

type ArchiveFormat = 'zip' | 'tar.gz' | 'bundle'

/** The content of one commit as a file to take along. */
export interface ArchiveFile {
  readonly format: ArchiveFormat
  readonly commit: string
  /** The tag that was asked for, if it was one. */
  readonly tag: string | undefined
  /** Epoch seconds of the commit. */
  readonly committedAt: number
  /** `<repository>-<ref>.<format>`, slashes of the ref as dashes. */
  readonly fileName: string
  /** Names these bytes: equal keys, equal content. */
  readonly key: string
  /** Bytes, when the number is available before the first one is sent. */
  readonly size: number | undefined
  /** Call once; the signal ends the work when the client has left. */
  body(signal: AbortSignal): Readable
}

interface ArchiveQuery {
  /** `<ref>.<format>`; the ref is anything git resolves. */
  readonly file: string
  /** Only these files and directories; not for bundles. */
  readonly paths: readonly string[]
}

export interface Archives {
  /**
   * An archive by its file name (behaviour/repositories#archives). BadRequest for another format or a bad path,
   * NotFound for an unknown ref.
   */
  get(repo: Repo, query: ArchiveQuery): Promise<ArchiveFile>
  /** Counts a download for the tag that the archive was asked by; others are not counted. */
  countDownload(repo: Repo, archive: ArchiveFile): Promise<void>
}

interface ArchiveDeps {
  readonly database: Database
  readonly git: Git
  /** Computes what many ask for once; without it every archive is made anew. */
  readonly cache: PackCache | undefined
}

interface Wanted {
  readonly git: GitRepo
  readonly format: ArchiveFormat
  readonly commit: string
  readonly prefix: string
  readonly paths: readonly string[]
}

const FORMATS: readonly ArchiveFormat[] = ['zip', 'tar.gz', 'bundle']
const TICK_MS = 500

export function createArchives({ database, git, cache }: ArchiveDeps): Archives {
  return {
    async get(repo, { file, paths }) {
      const format = FORMATS.find((candidate) => file.endsWith(`.${candidate}`) && file.length > candidate.length + 1)
      if (format === undefined) throw badRequest(`unknown format: ${file}`)
      const ref = file.slice(0, -format.length - 1)
      if (format === 'bundle' && paths.length > 0) throw badRequest('a bundle cannot be limited to paths')
      const opened = git.open(repo)
      const commit = await findCommitOid(opened, ref)
      if (commit === undefined) throw notFound(`unrecognized repository reference: ${ref}`)
      const wanted: Wanted = {
        git: opened,
        format,
        commit,
        prefix: `${repo.name.toLowerCase()}/`,
        paths: await checkPaths(opened, commit, paths),
      }
      // A bundle is about as large as the repository, and cannot be taken up where the cache gave out.
      const keep = format === 'bundle' && repo.gitSize > (cache?.maxEntryBytes ?? 0) ? undefined : cache
      const key = sha256Hex(JSON.stringify([git.version, repo.storage, commit, format, wanted.prefix, wanted.paths]))
      return {
        format,
        commit,
        tag: (await opened.refs.snapshot()).get(tagRef(ref)) === undefined ? undefined : ref,
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
    async countDownload({ id }, { tag, format }) {
      if (tag === undefined || format === 'bundle') return
      const kind = format === 'zip' ? 'zip' : 'tar_gz'
      await database.transaction((tx) => countArchiveDownload(tx, { repoId: id, tag, kind }))
    },
  }
}

/** NOTE: git ends with an error for a path that matches nothing, when the answer has already begun. */
async function checkPaths(git: GitRepo, commit: string, paths: readonly string[]): Promise<string[]> {
  const clean = paths.map((path) => path.replace(/^\.?\/+|\/+$/g, '')).filter((path) => path !== '')
  for (const path of clean) {
    if (!isSafePath(path) || (await git.revisions.entryAt(commit, path)) === undefined)
      throw badRequest(`path not found in the archive: ${path}`)
  }
  return clean
}

function make(
  { git, format, commit, prefix, paths }: Wanted,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  if (format === 'bundle') return git.archives.bundle({ oid: commit, names: ['refs/heads/bundle', 'HEAD'], signal })
  return git.archives.archive({ format, oid: commit, prefix, paths, signal })
}

async function* cached(
  cache: PackCache,
  key: string,
  wanted: Wanted,
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
      // NOTE: the reader uses its buffer again, and its caller may read ahead.
      yield Buffer.from(chunk)
    }
  } catch (error) {
    // What outgrows the cache is made again for this reader alone: archives of a commit are the same to the byte, packs
    // are not.
    if (!(error instanceof WireError) || error.kind !== 'too-large' || (wanted.format === 'bundle' && sent > 0))
      throw error
    yield* after(sent, make(wanted, signal))
  }
}

async function* after(
  skip: number,
  source: AsyncGenerator<Buffer, void, undefined>,
): AsyncGenerator<Buffer, void, undefined> {
  let left = skip
  for await (const chunk of source) {
    if (left < chunk.length) yield chunk.subarray(left)
    left = Math.max(0, left - chunk.length)
  }
}

/** Ticks of a waiting reader are no bytes. */
async function* nonEmpty(source: AsyncGenerator<Buffer, void, undefined>): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of source) if (chunk.length > 0) yield chunk
}
