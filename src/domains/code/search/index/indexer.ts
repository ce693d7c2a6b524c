import { zstdCompressSync } from 'node:zlib'
import type { Core } from '../../../../core/module.ts'
import { branchRef, type GitRepo } from '../../../../core/git/index.ts'
import type { SideDatabase, SideTx } from '../../../../core/db/side-database.ts'
import { KeyedMutex } from '../../../../core/platform/concurrency/lock-table.ts'
import { asId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import { repoQueries } from '../../../repositories/index.ts'
import type { AttributesFile } from '../../languages/classify.ts'
import type { FileClass } from '../../languages/classify-files.ts'
import { type LanguageProcess, readAttributes } from '../../languages/count-languages.ts'
import {
  deleteFiles,
  deleteIndexComplete,
  deleteIndexState,
  deleteUnusedTexts,
  findIndexState,
  type IndexedFile,
  type IndexedText,
  listDeletedRepos,
  listFilesOf,
  loadFileOids,
  putFiles,
  putIndexComplete,
  putIndexState,
  sumTextSizes,
} from './code-index.store.ts'
import { type FileChanges, listChanges, type SearchedFile } from './list-changes.ts'
import { readText } from './read-text.ts'

interface IndexLimits {
  /** Bytes. */
  readonly maxFileSize: number
  /** Bytes of all texts. */
  readonly maxTotalSize: number
}

interface IndexerDeps extends Pick<Core, 'database' | 'git' | 'log' | 'processes'> {
  readonly index: SideDatabase
  readonly languageProcess: LanguageProcess
  readonly limits: IndexLimits
}

/** The limits of one transaction: about 50 ms of processor time in the thread of the index. */
const BATCH_FILES = 64
const BATCH_BYTES = 512 * 1024
const DELETED_AT_ONCE = 500
const CLASSIFIED_BYTES = 32 * 1024

export type Indexer = ReturnType<typeof createIndexer>

/** Writes the index: each text once, and the files of default branches that have it. */
export function createIndexer(deps: IndexerDeps) {
  const { database, git, log, processes, index, limits } = deps
  const { locks } = processes
  const isSqlite = database.dialect.name === 'sqlite'
  const repoTurns = new KeyedMutex({ name: 'code index of repository', locks })
  // NOTE: one step at a time on all nodes, so that no step deletes a text to which another one is about to refer.
  const stepTurns = new KeyedMutex({ name: 'code index', locks })
  const step = (work: (tx: SideTx) => Promise<void>): Promise<void> =>
    stepTurns.run('step', () => index.transaction(work))

  async function forget(repoId: RepoId): Promise<void> {
    for (;;) {
      const files = await listFilesOf(index.read, repoId, DELETED_AT_ONCE)
      if (files.length === 0) break
      await step(async (tx) => {
        await deleteFiles(
          tx,
          repoId,
          files.map(({ path }) => path),
        )
        await deleteUnusedTexts(
          tx,
          files.map(({ oid }) => oid),
          isSqlite,
        )
      })
    }
    await step((tx) => deleteIndexState(tx, repoId))
  }

  async function refresh(repoId: RepoId, signal: AbortSignal): Promise<void> {
    const repo = await repoQueries.findById(database.read, repoId)
    if (repo === undefined) return forget(repoId)
    const opened = git.open(repo)
    const branch = repo.defaultBranch
    const oid = (await opened.refs.snapshot()).get(branchRef(branch))?.oid ?? ''
    const state = await findIndexState(index.read, repoId)
    if (state?.oid === oid && state.branch === branch) return
    // NOTE: until the end no commit is named, so that a run that was killed is continued by a comparison.
    await step((tx) => putIndexState(tx, repoId, { oid: '', branch, isPartial: false }))
    const indexed = await loadFileOids(index.read, repoId)
    const { maxFileSize } = limits
    const changes = await listChanges(opened, oid, indexed, { maxFileSize, signal })
    await deletePaths(repoId, changes.deleted, indexed)
    const isFull = await write(repoId, opened, { changes, indexed, signal })
    await step((tx) => putIndexState(tx, repoId, { oid, branch, isPartial: isFull || changes.isCut }))
    if (isFull) log.warn({ repo: repoId }, 'files were not indexed for code search: search.max_total_size is reached')
  }

  async function deletePaths(repoId: RepoId, paths: readonly string[], indexed: ReadonlyMap<string, string>) {
    for (let from = 0; from < paths.length; from += DELETED_AT_ONCE) {
      const some = paths.slice(from, from + DELETED_AT_ONCE)
      await step(async (tx) => {
        await deleteFiles(tx, repoId, some)
        await deleteUnusedTexts(
          tx,
          some.map((path) => indexed.get(path)!),
          isSqlite,
        )
      })
    }
  }

  interface Run {
    readonly changes: FileChanges
    readonly indexed: ReadonlyMap<string, string>
    readonly signal: AbortSignal
  }

  /** Returns whether files were omitted because the index is full. */
  async function write(repoId: RepoId, opened: GitRepo, { changes, indexed, signal }: Run): Promise<boolean> {
    if (changes.changed.length === 0) return false
    const attributes = await readAttributes(opened, changes.files.values())
    let total = await sumTextSizes(index.read)
    let isFull = false
    for (const batch of batchesOf(changes.changed)) {
      signal.throwIfAborted()
      const contents = await Promise.all(batch.map(async ({ oid }) => (await opened.objects.raw(oid)).content))
      const classes = await classify(attributes, batch, contents, signal)
      const files = batch.map(({ path, oid }, at): IndexedFile => {
        const { isForeign, language = '' } = classes[at]!
        const text = isForeign || total >= limits.maxTotalSize ? undefined : textOf(contents[at]!)
        isFull ||= !isForeign && total >= limits.maxTotalSize
        total += text?.size ?? 0
        return { path, oid, language, text }
      })
      const replaced = batch.flatMap(({ path }) => indexed.get(path) ?? [])
      await step(async (tx) => {
        await putFiles(tx, repoId, files, isSqlite)
        await deleteUnusedTexts(tx, replaced, isSqlite)
      })
    }
    return isFull
  }

  function classify(
    attributes: readonly AttributesFile[],
    batch: readonly SearchedFile[],
    contents: readonly Buffer[],
    signal: AbortSignal,
  ): Promise<FileClass[]> {
    const files = batch.map(({ path }, at) => ({ path, content: contents[at]!.toString('utf8', 0, CLASSIFIED_BYTES) }))
    return deps.languageProcess.use(signal, (ask) => ask<FileClass[]>({ kind: 'classify', attributes, files }))
  }

  function textOf(content: Buffer): IndexedText | undefined {
    const plain = readText(content)
    if (plain === undefined) return undefined
    return {
      plain,
      size: Buffer.byteLength(plain),
      stored: () => (isSqlite ? zstdCompressSync(plain) : plain),
    }
  }

  return {
    /** Updates the rows of a repository to the tip of its default branch; deletes those of a deleted repository. */
    refresh: (repoId: RepoId, signal: AbortSignal): Promise<void> =>
      repoTurns.run(String(repoId), () => refresh(repoId, signal)),
    /** Deletes the rows of a repository. */
    forget: (repoId: RepoId): Promise<void> => repoTurns.run(String(repoId), () => forget(repoId)),
    /** Notes whether all repositories have been indexed. */
    noteComplete: (isComplete: boolean): Promise<void> => step(isComplete ? putIndexComplete : deleteIndexComplete),
    /** Deletes the rows of deleted repositories. */
    async forgetDeleted(signal: AbortSignal): Promise<void> {
      for (const id of await listDeletedRepos(index.read)) {
        signal.throwIfAborted()
        await repoTurns.run(String(id), () => forget(asId(id)))
      }
    },
  }
}

function* batchesOf(files: readonly SearchedFile[]): Generator<SearchedFile[]> {
  let batch: SearchedFile[] = []
  let bytes = 0
  for (const file of files) {
    if (batch.length === BATCH_FILES || (batch.length > 0 && bytes + file.size > BATCH_BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(file)
    bytes += file.size
  }
  if (batch.length > 0) yield batch
}
