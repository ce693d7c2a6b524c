import { isSiteAdmin, type SignedIn } from '../../access/viewer.ts'
import { RemoteError } from '../../git/index.ts'
import { invalid } from '../../platform/errors.ts'
import { isOutgoingError } from '../../platform/outgoing/index.ts'
import { findRepoById, findRepoByName, repoLimitProblem, repoNameConflict, requireRepoName } from '../repos/index.ts'
import type { User } from '../users/index.ts'
import { chooseParts } from './choose-parts.ts'
import { fetchGit } from './fetch-git.ts'
import type { ImportContext, WritePart } from './import-part.ts'
import { insertImported } from './insert-imported.ts'
import type { ImportedRepo, ImportDeps, ImportTask, NewImport } from './new-import.ts'
import { type ImportRequest, readRequest } from './read-request.ts'
import { ForgeError } from './source.ts'
import { deleteUnfinishedImport, insertUnfinishedImport } from './unfinished-import.store.ts'

/**
 * Imports a repository: everything is fetched to a new place on disk, then one transaction inserts the repository. After
 * a failure nothing of it is visible; what a killed process leaves on disk, `clearUnfinished` deletes.
 * Throws invalid (the texts of reference repositories §15), forbidden, conflict (the name is taken).
 */
export async function importRepo(deps: ImportDeps, task: ImportTask, input: NewImport): Promise<ImportedRepo> {
  const { viewer, owner, storage } = task
  const request = await readRequest(deps, input).catch((error: unknown) => {
    throw explained(deps, error)
  })
  requireRepoName(input.name, 'RepoName')
  await requireRoom(deps, viewer, owner)
  if (await findRepoByName(deps.database.read, owner, input.name)) throw repoNameConflict()
  await deps.database.transaction((tx) => insertUnfinishedImport(tx, storage, deps.clock.now()))
  try {
    return await fetchAndInsert(deps, { ...task, input, request })
  } catch (error) {
    await clearImport(deps, storage)
    throw explained(deps, error)
  }
}

interface Import extends ImportTask {
  readonly input: NewImport
  readonly request: ImportRequest
}

/** More would not be read. */
const MAX_WARNINGS = 50

async function fetchAndInsert(deps: ImportDeps, { signal, request, storage, ...rest }: Import): Promise<ImportedRepo> {
  const { database, git, access, log } = deps
  const endings: (() => Promise<void>)[] = []
  const warnings: string[] = request.leftOut === undefined ? [] : [request.leftOut]
  try {
    const fetched = await fetchGit(deps, request, { storage, signal })
    const context: ImportContext = {
      request,
      place: fetched.place,
      repo: git.open({ storage, objectFormat: fetched.objectFormat }),
      ...createBudget(access.transfer(signal).maxBytes - fetched.size),
      signal,
      onEnd: (task) => endings.push(task),
      warn: (text) => void (warnings.length < MAX_WARNINGS && warnings.push(text)),
    }
    const writers: WritePart[] = []
    for (const part of chooseParts(deps, { ...rest, place: fetched.place, request })) writers.push(await part(context))
    const id = await database.transaction(async (tx) => {
      const made = await insertImported(tx, deps, { ...rest, request, storage, fetched })
      for (const write of writers) await write(tx, made)
      await deleteUnfinishedImport(tx, storage)
      return made
    })
    if (warnings.length > 0) log.warn({ repo: id, warnings }, 'not everything was imported')
    return { repo: (await findRepoById(database.read, id))!, warnings }
  } finally {
    for (const end of endings) await end()
  }
}

function createBudget(most: number): Pick<ImportContext, 'room' | 'spend'> {
  let left = most
  return {
    room: () => left,
    spend(bytes) {
      left -= bytes
      if (left < 0) throw new RemoteError('failed', 'the repository with its files is larger than this server takes')
    },
  }
}

/** Removes what an import without a repository has put on disk. */
export async function clearImport(
  { database, git }: Pick<ImportDeps, 'database' | 'git'>,
  storage: string,
): Promise<void> {
  await git.removeRepo(storage)
  await git.removeRepo(`${storage}.wiki`)
  await database.transaction((tx) => deleteUnfinishedImport(tx, storage))
}

async function requireRoom({ database, rules, quota }: ImportDeps, viewer: SignedIn, owner: User): Promise<void> {
  if (!isSiteAdmin(viewer) && (await repoLimitProblem(database.read, owner, rules.maxCreation)) !== undefined) {
    throw invalid(
      `You have already reached your limit of ${owner.maxRepoCreation >= 0 ? owner.maxRepoCreation : rules.maxCreation} repositories.`,
    )
  }
  await quota.require(owner, 'size:repos:all')
}

function explained({ database }: ImportDeps, error: unknown): unknown {
  if (database.dialect.isUniqueViolation(error)) return repoNameConflict()
  if (isOutgoingError(error, 'refused')) return invalid('You can not import from disallowed hosts.')
  if (isOutgoingError(error)) return invalid(`Migration failed: ${error.message}.`)
  if (!(error instanceof RemoteError) && !(error instanceof ForgeError)) return error
  if (error.kind === 'auth' || error.kind === 'missing') return invalid(`Authentication failed: ${error.message}.`)
  if (error.kind === 'busy') return invalid('Remote visit addressed rate limitation.')
  if (error.kind === 'two-factor') return invalid('Remote visit required two factors authentication.')
  return invalid(`Migration failed: ${error.message}.`)
}
