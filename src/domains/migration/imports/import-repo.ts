import { isDomainError, notFound } from '../../../core/platform/errors.ts'
import { isOutgoingError } from '../../../core/platform/outgoing/index.ts'
import type { GitRepo } from '../../../core/git/index.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { accessQueries, repoQueries } from '../../repositories/index.ts'
import { fetchChanges } from './fetch-changes.ts'
import { fetchGit, type GitLocation } from './fetch-git.ts'
import { ForgeError } from './forge-error.ts'
import { countingClient, createBudget, type ImportBudget } from './import-budget.ts'
import { ImportCanceledError, ImportTakenOverError, toDomainError } from './import-errors.ts'
import { fetchLargeFiles } from './import-large-files.ts'
import { abandonImport, finishChanges, finishImport, insertHidden } from './import-rows.ts'
import { findMappedUsers, type MappedUsers, warningOf } from './mapped-users.ts'
import type { ImportDeps, ImportedRepo, ImportOwner, NewImport } from './new-import.ts'
import type { PhaseContext } from './phase.ts'
import { changePhases, importPhases } from './phases.ts'
import { type ImportProgress, trackProgress } from './progress.ts'
import { type ImportRequest, readRequest } from './read-request.ts'
import { importKeysOf } from './records/import-key.store.ts'
import type { RepoImport } from './records/repo-import.store.ts'
import { runPhases } from './run-phases.ts'
import type { Source } from './source.ts'

export interface ImportTask extends ImportOwner {
  readonly input: NewImport
  readonly begun: RepoImport
  readonly signal: AbortSignal
  /** The present rights of the actor. Throws Forbidden, Invalid and Unauthenticated if it may no longer import. */
  renew(): Promise<ImportOwner>
}

/**
 * Imports a repository: fetches the git data to a new storage key, inserts the repository hidden, runs the phases, and
 * transfers it to its owner in one transaction. An asynchronous import continues after the last step that was
 * committed; a shutdown deletes nothing. Any other import that fails is deleted completely. Throws DomainError with the
 * messages of the API (behaviour/repositories#imports-and-pull-mirrors).
 */
export async function runImport(deps: ImportDeps, task: ImportTask): Promise<ImportedRepo> {
  try {
    return await importAll(deps, { ...task, request: await readRequest(deps, task.input) })
  } catch (error) {
    const { signal, begun } = task
    if (begun.isAsync && isInterruption(signal, error)) throw error
    const cause: unknown = signal.reason instanceof ImportCanceledError ? signal.reason : error
    const failure = toDomainError(deps, cause)
    await abandonImport(deps, begun.storage, {
      state: cause instanceof ImportCanceledError ? 'canceled' : 'failed',
      error: isDomainError(failure) ? failure.message : 'the import failed because of an error of this server',
    })
    throw failure
  }
}

/** The server stops, its database is unavailable, or another process runs the import: it continues later. */
export const isInterruption = (signal: AbortSignal, error: unknown): boolean =>
  isDomainError(error, 'unavailable') ||
  error instanceof ImportTakenOverError ||
  (signal.aborted && !(signal.reason instanceof ImportCanceledError))

interface Import extends ImportTask {
  readonly request: ImportRequest
}

async function importAll(deps: ImportDeps, task: Import): Promise<ImportedRepo> {
  const { database, access, attachments, largeFiles, log } = deps
  const { request, signal, begun, actor } = task
  const progress = trackProgress(deps, begun)
  const hold = attachments.hold()
  const largeFileHold = request.lfs ? largeFiles?.lfsObjects.hold() : undefined
  try {
    const mappedUsers = await findMappedUsers(database.read, actor, task.input)
    const unmapped = begun.phase === '' ? warningOf(mappedUsers) : undefined
    if (unmapped !== undefined) progress.warn(unmapped)
    const place = await openDestination(deps, task, progress)
    const { repoId, repo, location } = place
    const budget = createBudget(access.transfer(signal).maxBytes - place.size)
    const source = request.interval === undefined ? openSource(deps, task, { location, progress, budget }) : undefined
    if (source !== undefined) {
      if (begun.isAsync && begun.repoId === undefined && request.changed === undefined)
        await progress.setTotal(await countItems(source, signal))
      const context = createContext(task, { source, repoId, repo, hold, budget, progress, mappedUsers })
      await importParts(deps, context, { begun, progress })
    }
    if (largeFiles !== undefined && largeFileHold !== undefined) {
      const endpoint = request.lfsEndpoint
      await fetchLargeFiles(largeFiles, { location, endpoint, repo, budget, hold: largeFileHold, signal })
    }
    const renewed = await task.renew()
    await progress.commit(async (tx) => {
      await largeFileHold?.link(tx, repoId)
      const finish = request.changed === undefined ? finishImport : finishChanges
      await finish(tx, deps, { ...task, ...renewed, repoId, progress })
      return { value: undefined }
    })
    const warnings = progress.warnings()
    if (warnings.length > 0) log.warn({ repo: repoId, warnings }, 'parts of the repository were not imported')
    return { repo: await accessQueries.getCreatedRepo(database.read, repoId), warnings }
  } finally {
    await hold.release()
    await largeFileHold?.release()
  }
}

async function importParts(
  deps: ImportDeps,
  context: PhaseContext,
  { begun, progress }: { readonly begun: RepoImport; readonly progress: ImportProgress },
): Promise<void> {
  const { request, source, signal } = context
  if (request.changed === undefined) await runPhases(importPhases(deps), context, { begun, progress })
  else await runPhases(changePhases(deps), context, { begun: { ...begun, phase: '', cursor: '' }, progress })
  // NOTE: lists are answered with 404 by services that lack them, and by all once the token has lost its rights.
  if (request.parts.size > 0) await source.facts(signal)
}

/** The git data of a hidden repository. */
interface Place {
  readonly repoId: RepoId
  readonly repo: GitRepo
  readonly location: GitLocation
  /** Bytes. */
  readonly size: number
}

async function openDestination(deps: ImportDeps, task: Import, progress: ImportProgress): Promise<Place> {
  const { request, input, owner, begun, signal } = task
  if (request.changed !== undefined) {
    const copy = await repoQueries.findByName(deps.database.read, owner, input.name)
    if (copy === undefined) throw notFound('the repository that changes are brought into does not exist any more')
    return { repoId: copy.id, size: 0, ...(await fetchChanges(deps, { copy, request, signal })) }
  }
  return begun.repoId === undefined ? fetchRepo(deps, task, progress) : reopenRepo(deps, task)
}

async function fetchRepo(deps: ImportDeps, task: Import, progress: ImportProgress): Promise<Place> {
  const { git } = deps
  const { request, signal, actor, input, begun } = task
  const { storage } = begun
  // What a run that was killed has fetched.
  await git.removeRepo(storage)
  await git.removeRepo(`${storage}.wiki`)
  const fetched = await fetchGit(deps, request, { storage, signal })
  const repoId = await progress.commit(async (tx) => {
    const id = await insertHidden(tx, deps, { actor, input, request, storage, fetched })
    return { value: id, values: { repo_id: id } }
  })
  const { location, size, objectFormat } = fetched
  return { repoId, repo: git.open({ storage, objectFormat }), location, size }
}

/** Throws RemoteError and OutgoingError. */
async function reopenRepo({ database, git, access }: ImportDeps, { request, begun, signal }: Import): Promise<Place> {
  const found = (await repoQueries.findById(database.read, begun.repoId!))!
  const { remote } = await access.list(request.url, request.credentials, signal)
  const location = { url: remote.url, credentials: remote.credentials }
  return { repoId: found.id, repo: git.open(found), location, size: found.gitSize }
}

/** The numbers that the service states; none where it fails to. */
async function countItems(source: Source, signal: AbortSignal): Promise<Readonly<Record<string, number>>> {
  try {
    return await source.counts(signal)
  } catch (error) {
    if (!(error instanceof ForgeError) && !isOutgoingError(error)) throw error
    return {}
  }
}

interface ContextParts extends Pick<PhaseContext, 'hold' | 'repo' | 'repoId' | 'source'> {
  readonly budget: ImportBudget
  readonly progress: ImportProgress
  readonly mappedUsers: MappedUsers
}

const MAX_AUTHOR_LENGTH = 255

function createContext(
  { actor, owner, input, request, signal }: Import,
  { budget, progress, mappedUsers, ...parts }: ContextParts,
): PhaseContext {
  const mapped: PhaseContext['mapped'] = ({ login, email, isElsewhere = false }) =>
    isElsewhere
      ? undefined
      : (mappedUsers.byName.get(login.toLowerCase()) ?? mappedUsers.byEmail.get(email.toLowerCase()))
  return {
    ...parts,
    fullName: `${owner.name}/${input.name}`,
    request,
    actor,
    author(user) {
      const userId = mapped(user)
      if (userId !== undefined) return { userId, original_author: '', original_author_id: 0 }
      return {
        userId: actor.account.id,
        original_author: user.login.slice(0, MAX_AUTHOR_LENGTH),
        original_author_id: Number.isSafeInteger(user.id) ? user.id : 0,
      }
    },
    mapped,
    warn: progress.warn,
    countBytes: budget.countBytes,
    keys: importKeysOf(parts.repoId),
    signal,
  }
}

/** Milliseconds that an asynchronous import waits for a rate limit; nobody waits for its answer. */
const LONG_WAIT = 4 * 3_600_000

/** The token is sent only to the server of the requested address, not to a redirect target. */
function openSource(
  { sources, rules }: ImportDeps,
  { request, input, begun }: Import,
  { location, progress, budget }: Pick<ContextParts, 'budget' | 'progress'> & { readonly location: GitLocation },
): Source | undefined {
  const { forge, token, url, parts } = request
  if (forge.open === undefined || !/^https?:/.test(location.url)) return undefined
  const isSame = new URL(location.url).origin === new URL(url).origin
  const patience = begun.isAsync ? { ...sources.patience, maxWait: LONG_WAIT } : sources.patience
  return forge.open(
    { ...sources, patience, client: countingClient(sources.client, budget) },
    {
      ...location,
      token: isSame ? token : '',
      awsKeys: isSame ? input.awsKeys : undefined,
      withIssues: parts.has('issues'),
      withConfidential: rules.forcePrivate || (input.isPrivate ?? false),
      startedAt: begun.createdAt,
      only: request.changed,
      warn: progress.warn,
    },
  )
}
