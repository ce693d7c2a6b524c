import { accessQueries, repoCreation, repoQueries } from '../../repositories/index.ts'
import { fetchGit, type GitLocation } from './fetch-git.ts'
import { createBudget, type ImportBudget } from './import-budget.ts'
import { toDomainError } from './import-errors.ts'
import { abandonImport, finishImport, insertHidden, requireQuota } from './import-rows.ts'
import { fetchLargeFiles } from './import-large-files.ts'
import type { ImportDeps, ImportedRepo, ImportTask, NewImport } from './new-import.ts'
import type { PhaseContext } from './phase.ts'
import { importPhases } from './phases.ts'
import { type ImportProgress, trackProgress } from './progress.ts'
import { type ImportRequest, readRequest } from './read-request.ts'
import { importKeysOf } from './records/import-key.store.ts'
import { insertRepoImport, type RepoImport } from './records/repo-import.store.ts'
import { insertUnfinishedImport } from './records/unfinished-import.store.ts'
import { runPhases } from './run-phases.ts'
import type { Source } from './source.ts'

/**
 * Imports a repository: fetches the git data to a new storage key, inserts the repository so that nobody sees it, runs
 * the phases, and gives it to its owner in one transaction. A failed import leaves nothing; `deleteUnfinished` deletes
 * what a killed process leaves. Throws Invalid (with the messages of the API,
 * behaviour/repositories#imports-and-pull-mirrors), Forbidden, Conflict for a duplicate name.
 */
export async function importRepo(deps: ImportDeps, task: ImportTask, input: NewImport): Promise<ImportedRepo> {
  try {
    const request = await readRequest(deps, input)
    const begun = await beginImport(deps, task, { input, request })
    return await runImport(deps, { ...task, input, request, begun })
  } catch (error) {
    throw toDomainError(deps, error)
  }
}

interface Requested {
  readonly input: NewImport
  readonly request: ImportRequest
}

/** Records the import, which takes its name. */
async function beginImport(
  deps: ImportDeps,
  { actor, owner, storage }: ImportTask,
  { input, request }: Requested,
): Promise<RepoImport> {
  const { database, clock, processes } = deps
  repoCreation.requireName(input.name, 'RepoName')
  await requireQuota(deps, actor, owner)
  if (await repoQueries.findByName(database.read, owner, input.name)) throw repoCreation.nameConflict()
  const at = clock.now()
  const warnings = request.leftOut === undefined ? [] : [request.leftOut]
  return database.transaction(async (tx) => {
    await insertUnfinishedImport(tx, { storage, started_at: at, holder: processes.self })
    return insertRepoImport(tx, {
      storage,
      is_async: 0,
      actor_id: actor.account.id,
      owner_id: owner.id,
      name: input.name,
      request: '',
      warnings: JSON.stringify(warnings),
      warnings_count: warnings.length,
      at,
    })
  })
}

interface Import extends ImportTask, Requested {
  readonly begun: RepoImport
}

async function runImport(deps: ImportDeps, task: Import): Promise<ImportedRepo> {
  const { database, git, access, attachments, largeFiles, log } = deps
  const { request, signal, storage, begun } = task
  const progress = trackProgress(deps, begun)
  const hold = attachments.hold()
  const largeFileHold = largeFiles?.lfsObjects.hold()
  try {
    const fetched = await fetchGit(deps, request, { storage, signal })
    const { location, size, objectFormat } = fetched
    const budget = createBudget(access.transfer(signal).maxBytes - size)
    const repoId = await progress.commit(async (tx) => {
      const id = await insertHidden(tx, deps, { ...task, fetched })
      return { value: id, values: { repo_id: id } }
    })
    const repo = git.open({ storage, objectFormat })
    const source = request.interval === undefined ? openSource(deps, request, location) : undefined
    if (source !== undefined) {
      const context = createContext(task, { source, repoId, repo, hold, budget, progress })
      await runPhases(importPhases(deps), context, { begun, progress })
    }
    if (request.lfs && largeFiles !== undefined && largeFileHold !== undefined)
      await fetchLargeFiles(largeFiles, {
        location,
        endpoint: request.lfsEndpoint,
        repo,
        budget,
        hold: largeFileHold,
        signal,
      })
    await progress.commit(async (tx) => {
      if (request.lfs) await largeFileHold?.link(tx, repoId)
      await finishImport(tx, deps, { ...task, repoId })
      return { value: undefined }
    })
    const warnings = progress.warnings().texts
    if (warnings.length > 0) log.warn({ repo: repoId, warnings }, 'parts of the repository were not imported')
    return { repo: await accessQueries.getCreatedRepo(database.read, repoId), warnings }
  } catch (error) {
    await abandonImport(deps, storage, { state: 'failed', error: '' })
    throw error
  } finally {
    await hold.release()
    await largeFileHold?.release()
  }
}

interface ContextParts extends Pick<PhaseContext, 'hold' | 'repo' | 'repoId' | 'source'> {
  readonly budget: ImportBudget
  readonly progress: ImportProgress
}

const MAX_AUTHOR_LENGTH = 255

function createContext({ actor, request, signal }: Import, { budget, progress, ...parts }: ContextParts): PhaseContext {
  return {
    ...parts,
    request,
    actor,
    author: ({ id, login }) => ({
      userId: actor.account.id,
      original_author: login.slice(0, MAX_AUTHOR_LENGTH),
      original_author_id: Number.isSafeInteger(id) ? id : 0,
    }),
    mapped: () => undefined,
    warn: progress.warn,
    countBytes: budget.countBytes,
    keys: importKeysOf(parts.repoId),
    signal,
  }
}

/** The token is sent only to the server of the requested address, not to a redirect target. */
function openSource(
  { sources }: ImportDeps,
  { forge, token, url, parts }: ImportRequest,
  location: GitLocation,
): Source | undefined {
  if (forge.open === undefined || !/^https?:/.test(location.url)) return undefined
  const isSame = new URL(location.url).origin === new URL(url).origin
  return forge.open(sources, { ...location, token: isSame ? token : '', withIssues: parts.has('issues') })
}
