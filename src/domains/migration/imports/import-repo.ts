import { isSiteAdmin, type SignedIn } from '../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import { RemoteError, type ObjectFormat } from '../../../core/git/index.ts'
import { invalid } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { isOutgoingError } from '../../../core/platform/outgoing/index.ts'
import { repoQueries, accessQueries, repoCreation, mirrorQueries, branchQueries } from '../../repositories/index.ts'
import type { User } from '../../accounts/index.ts'
import { type ImportContext, type WritePart, type ImportPart, type ImportRequest, readRequest } from './read-request.ts'
import type { ImportedRepo, ImportDeps, ImportTask, NewImport } from './new-import.ts'
import { ForgeError } from './forge-error.ts'
import type { Source } from './source.ts'
import { deleteUnfinishedImport, insertUnfinishedImport } from './unfinished-import.store.ts'
import { labelsPart } from './parts/labels.part.ts'
import { largeFilesPart } from './parts/large-files.part.ts'
import { releasesPart } from './parts/releases.part.ts'
import { repoFactsPart } from './parts/repo-facts.part.ts'
import { flag } from '../../../core/db/flag.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { type FoundRemote, wikiAddress } from '../mirrors/remote-access.ts'
import { pushRules } from '../../code/index.ts'

interface FetchedGit {
  readonly defaultBranch: string
  readonly remoteHead: string
  readonly objectFormat: ObjectFormat
  readonly branches: readonly { readonly name: string; readonly oid: string }[]
  /** Undefined if no wiki was fetched. */
  readonly wikiBranch: string | undefined
  /** Bytes. */
  readonly size: number
  /** Location after redirects. */
  readonly location: Pick<ImportRequest, 'url' | 'credentials'>
}

const BRANCHES = 'refs/heads/'

/** Fetches branches, tags, notes and, on request, the wiki. Throws RemoteError and OutgoingError. */
async function fetchGit(
  deps: ImportDeps,
  request: ImportRequest,
  { storage, signal }: { readonly storage: string; readonly signal: AbortSignal },
): Promise<FetchedGit> {
  const { git, access, rules } = deps
  const { remote, found } = await access.list(request.url, request.credentials, signal)
  const defaultBranch = chooseBranch(found, rules.defaultBranch)
  await git.remotes.import(remote, found, { ...access.transfer(signal), storage, defaultBranch })
  const wikiBranch = request.wiki
    ? await fetchWiki(deps, request, { storage: `${storage}.wiki`, signal, objectFormat: found.objectFormat })
    : undefined
  const snapshot = await git.open({ storage, objectFormat: found.objectFormat }).refs.snapshot()
  const branches = snapshot.list(BRANCHES).map(({ name, oid }) => ({ name: name.slice(BRANCHES.length), oid }))
  const { bytes } = await git.measureRepo(storage)
  return {
    defaultBranch,
    remoteHead: found.head ?? '',
    objectFormat: found.objectFormat,
    branches,
    wikiBranch,
    size: bytes,
    location: { url: remote.url, credentials: remote.credentials },
  }
}

/**
 * Returns undefined if there is no wiki: servers report that with different errors, so no error counts as a failure.
 */
async function fetchWiki(
  { git, access, rules, log }: ImportDeps,
  request: ImportRequest,
  { storage, signal, objectFormat }: { storage: string; signal: AbortSignal; objectFormat: string },
): Promise<string | undefined> {
  try {
    const { remote, found } = await access.list(wikiAddress(request.url), request.credentials, signal)
    if (found.refs.size === 0 || found.objectFormat !== objectFormat) return undefined
    const branch = chooseBranch(found, rules.defaultBranch)
    await git.remotes.import(remote, found, { ...access.transfer(signal), storage, defaultBranch: branch })
    return branch
  } catch (error) {
    if (!(error instanceof RemoteError) && !isOutgoingError(error)) throw error
    log.info({ problem: error.message }, 'no wiki imported')
    return undefined
  }
}

function chooseBranch(found: FoundRemote['found'], fallback: string): string {
  const branches = [...found.refs.keys()]
    .filter((name) => name.startsWith(BRANCHES))
    .map((name) => name.slice(BRANCHES.length))
  return pushRules.firstDefaultBranch(branches, found.head ?? fallback) ?? found.head ?? fallback
}

/**
 * Imports a repository: fetches everything to a new storage key, then inserts the repository in one transaction. A
 * failed import leaves nothing; `deleteUnfinished` deletes the files of a killed process. Throws Invalid (with the
 * messages of the API, behaviour/repositories#imports-and-pull-mirrors), Forbidden, Conflict for a duplicate name.
 */
export async function importRepo(deps: ImportDeps, task: ImportTask, input: NewImport): Promise<ImportedRepo> {
  const { actor, owner, storage } = task
  const request = await readRequest(deps, input).catch((error: unknown) => {
    throw toDomainError(deps, error)
  })
  repoCreation.requireName(input.name, 'RepoName')
  await requireQuota(deps, actor, owner)
  if (await repoQueries.findByName(deps.database.read, owner, input.name)) throw repoCreation.nameConflict()
  const unfinished = { storage, started_at: deps.clock.now(), holder: deps.processes.self }
  await deps.database.transaction((tx) => insertUnfinishedImport(tx, unfinished))
  try {
    return await fetchAndInsert(deps, { ...task, input, request })
  } catch (error) {
    await deleteImportFiles(deps, storage)
    throw toDomainError(deps, error)
  }
}

interface Import extends ImportTask {
  readonly input: NewImport
  readonly request: ImportRequest
}

const MAX_WARNINGS = 50

async function fetchAndInsert(
  deps: ImportDeps,
  { signal, request, storage, ...others }: Import,
): Promise<ImportedRepo> {
  const { database, git, access, log } = deps
  const cleanups: (() => Promise<void>)[] = []
  const warnings: string[] = request.leftOut === undefined ? [] : [request.leftOut]
  try {
    const fetched = await fetchGit(deps, request, { storage, signal })
    const context: ImportContext = {
      request,
      location: fetched.location,
      repo: git.open({ storage, objectFormat: fetched.objectFormat }),
      ...createBudget(access.transfer(signal).maxBytes - fetched.size),
      signal,
      onEnd: (task) => cleanups.push(task),
      warn: (text) => void (warnings.length < MAX_WARNINGS && warnings.push(text)),
    }
    const writers: WritePart[] = []
    for (const part of chooseParts(deps, { ...others, location: fetched.location, request }))
      writers.push(await part(context))
    const id = await database.transaction(async (tx) => {
      await requireBelowLimit(tx, deps, others.actor, others.owner)
      const made = await insertImported(tx, deps, { ...others, request, storage, fetched })
      for (const write of writers) await write(tx, made)
      await deleteUnfinishedImport(tx, storage)
      return made
    })
    if (warnings.length > 0) log.warn({ repo: id, warnings }, 'parts of the repository were not imported')
    return { repo: await accessQueries.getCreatedRepo(database.read, id), warnings }
  } finally {
    for (const cleanUp of cleanups) await cleanUp()
  }
}

function createBudget(maxBytes: number): Pick<ImportContext, 'remainingBytes' | 'countBytes'> {
  let left = maxBytes
  return {
    remainingBytes: () => left,
    countBytes(bytes) {
      left -= bytes
      if (left < 0) throw new RemoteError('failed', 'the repository with its files is larger than this server takes')
    },
  }
}

/** Deletes the files and the record of an import without a repository. */
export async function deleteImportFiles(
  { database, git }: Pick<ImportDeps, 'database' | 'git'>,
  storage: string,
): Promise<void> {
  await git.removeRepo(storage)
  await git.removeRepo(`${storage}.wiki`)
  await database.transaction((tx) => deleteUnfinishedImport(tx, storage))
}

async function requireQuota(deps: ImportDeps, actor: SignedIn, owner: User): Promise<void> {
  await requireBelowLimit(deps.database.read, deps, actor, owner)
  await deps.quota.require(owner, 'size:repos:all')
}

async function requireBelowLimit(db: Db, { rules }: ImportDeps, actor: SignedIn, owner: User): Promise<void> {
  if (!isSiteAdmin(actor) && (await repoCreation.limitProblem(db, owner, rules.maxCreation)) !== undefined) {
    throw invalid(
      `You have already reached your limit of ${owner.maxRepoCreation >= 0 ? owner.maxRepoCreation : rules.maxCreation} repositories.`,
    )
  }
}

/** Turns failures of the remote into errors for the caller; returns other errors unchanged. */
function toDomainError({ database }: ImportDeps, error: unknown): unknown {
  if (database.dialect.isUniqueViolation(error)) return repoCreation.nameConflict()
  if (isOutgoingError(error, 'refused')) return errors.importHostForbidden(error.message)
  if (isOutgoingError(error)) return errors.importFailed(error.message)
  if (!(error instanceof RemoteError) && !(error instanceof ForgeError)) return error
  if (error.kind === 'auth' || error.kind === 'missing') return errors.importAuthFailed(error.message)
  if (error.kind === 'busy') return invalid('Remote visit addressed rate limitation.')
  if (error.kind === 'two-factor') return invalid('Remote visit required two factors authentication.')
  return errors.importFailed(error.message)
}

interface Choice extends Pick<ImportTask, 'actor'> {
  readonly input: NewImport
  readonly request: ImportRequest
  /** Location after redirects. */
  readonly location: Pick<ImportRequest, 'url' | 'credentials'>
}

/** Parts to import besides git data, in the order of fetching. A new part is added here. */
function chooseParts(deps: ImportDeps, { actor, input, request, location }: Choice): ImportPart[] {
  const { clock, attachments, releaseRules, largeFiles } = deps
  const source = request.interval === undefined ? openSource(deps, request, location) : undefined
  const parts: ImportPart[] = []
  if (source !== undefined) parts.push(repoFactsPart(source, { clock, description: input.description }))
  if (source !== undefined && request.parts.has('labels')) parts.push(labelsPart(source, clock))
  if (source !== undefined && request.parts.has('releases'))
    parts.push(releasesPart(source, { attachments, rules: releaseRules, clock, importerId: actor.account.id }))
  if (request.lfs && largeFiles !== undefined) parts.push(largeFilesPart(largeFiles))
  return parts
}

/** The token is sent only to the server of the requested address, not to a redirect target. */
function openSource(
  { sources }: ImportDeps,
  { forge, token, url, parts }: ImportRequest,
  location: Choice['location'],
): Source | undefined {
  if (forge.open === undefined || !/^https?:/.test(location.url)) return undefined
  const isSame = new URL(location.url).origin === new URL(url).origin
  return forge.open(sources, { ...location, token: isSame ? token : '', withIssues: parts.has('issues') })
}

interface Insertion extends Omit<ImportTask, 'signal'> {
  readonly input: NewImport
  readonly request: ImportRequest
  readonly fetched: FetchedGit
}

/** Inserts the rows of a repository whose git data has been fetched. */
async function insertImported(
  tx: Tx,
  { clock, rules, access, events, jobs }: ImportDeps,
  { actor, owner, input, request, storage, fetched }: Insertion,
): Promise<RepoId> {
  const at = clock.now()
  const isMirror = request.interval !== undefined
  const id = await repoCreation.insert(tx, {
    owner_id: owner.id,
    name: input.name,
    lower_name: input.name.toLowerCase(),
    description: input.description ?? '',
    default_branch: fetched.defaultBranch,
    wiki_branch: fetched.wikiBranch ?? rules.defaultBranch,
    object_format: fetched.objectFormat,
    storage,
    is_private: flag(rules.forcePrivate || (input.isPrivate ?? false)),
    is_mirror: flag(isMirror),
    original_url: request.url,
    units: isMirror ? rules.units.mirror : rules.units.normal,
    git_size: fetched.size,
    watchers_count: rules.autoWatch ? 1 : 0,
    is_empty: flag(fetched.branches.length === 0),
    branches_count: fetched.branches.length,
    pushed_at: fetched.branches.length === 0 ? 0 : at,
    created_at: at,
    updated_at: at,
  })
  await branchQueries.upsert(tx, { repoId: id, pusherId: actor.account.id, at }, fetched.branches)
  if (request.interval !== undefined) {
    await mirrorQueries.insert(tx, {
      repo_id: id,
      interval: request.interval,
      synced_at: at,
      next_sync_at: request.interval === 0 ? 0 : at + request.interval,
      remote_url: request.url,
      credentials: access.seal(request.credentials),
      remote_head: fetched.remoteHead,
      has_wiki: flag(fetched.wikiBranch !== undefined),
      has_lfs: flag(request.lfs),
      lfs_endpoint: access.sealEndpoint(request.lfsEndpoint),
    })
  }
  await repoCreation.record(tx, events, { id, name: input.name, actor, owner, at, watch: rules.autoWatch })
  await jobs.enqueue(tx, 'repo.maintain', { repo_id: id }, { key: String(id) })
  return id
}
