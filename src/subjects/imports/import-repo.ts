import { isSiteAdmin, type SignedIn } from '../../access/viewer.ts'
import { RemoteError } from '../../git/index.ts'
import { invalid } from '../../platform/errors.ts'
import { isOutgoingError } from '../../platform/outgoing/index.ts'
import { taken } from '../repos/creation/create-repo.ts'
import { limitReached } from '../repos/creation/owner-limits.ts'
import { requireRepoName } from '../repos/creation/repo-name.ts'
import { findRepoById, findRepoByName } from '../repos/repo.store.ts'
import type { User } from '../users/user.store.ts'
import { chooseParts } from './choose-parts.ts'
import { fetchGit } from './fetch-git.ts'
import type { ImportContext, WritePart } from './import-part.ts'
import { insertImported } from './insert-imported.ts'
import type { Migrated, MigrateDeps, Migrating, NewMigration } from './new-migration.ts'
import { type MigrationRequest, readRequest } from './read-request.ts'
import { ForgeError } from './source.ts'
import { deleteUnfinishedImport, insertUnfinishedImport } from './unfinished-import.store.ts'

/**
 * Takes a repository over: everything is fetched beside what people see, then one transaction makes the repository.
 * Whatever goes wrong nothing is left to see; what a killed process leaves on disk, `clearUnfinished` removes.
 * Throws invalid (the texts of reference repositories §15), forbidden, conflict (the name is taken).
 */
export async function migrateRepo(deps: MigrateDeps, migrating: Migrating, input: NewMigration): Promise<Migrated> {
  const { viewer, owner, storage } = migrating
  const request = await readRequest(deps, input).catch((error: unknown) => {
    throw explained(deps, error)
  })
  requireRepoName(input.name, 'RepoName')
  await requireRoom(deps, viewer, owner)
  if (await findRepoByName(deps.database.read, owner, input.name)) throw taken()
  await deps.database.transaction((tx) => insertUnfinishedImport(tx, storage, deps.clock.now()))
  try {
    return await fetchAndInsert(deps, { ...migrating, input, request })
  } catch (error) {
    await clearImport(deps, storage)
    throw explained(deps, error)
  }
}

interface Import extends Migrating {
  readonly input: NewMigration
  readonly request: MigrationRequest
}

/** More would not be read. */
const MOST_WARNINGS = 50

async function fetchAndInsert(deps: MigrateDeps, { signal, request, storage, ...rest }: Import): Promise<Migrated> {
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
      warn: (text) => void (warnings.length < MOST_WARNINGS && warnings.push(text)),
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
  { database, git }: Pick<MigrateDeps, 'database' | 'git'>,
  storage: string,
): Promise<void> {
  await git.removeRepo(storage)
  await git.removeRepo(`${storage}.wiki`)
  await database.transaction((tx) => deleteUnfinishedImport(tx, storage))
}

async function requireRoom({ database, rules, quota }: MigrateDeps, viewer: SignedIn, owner: User): Promise<void> {
  if (!isSiteAdmin(viewer) && (await limitReached(database.read, owner, rules.maxCreation)) !== undefined) {
    throw invalid(
      `You have already reached your limit of ${owner.maxRepoCreation >= 0 ? owner.maxRepoCreation : rules.maxCreation} repositories.`,
    )
  }
  await quota.require(owner, 'size:repos:all')
}

function explained({ database }: MigrateDeps, error: unknown): unknown {
  if (database.dialect.isUniqueViolation(error)) return taken()
  if (isOutgoingError(error, 'refused')) return invalid('You can not import from disallowed hosts.')
  if (isOutgoingError(error)) return invalid(`Migration failed: ${error.message}.`)
  if (!(error instanceof RemoteError) && !(error instanceof ForgeError)) return error
  if (error.kind === 'auth' || error.kind === 'missing') return invalid(`Authentication failed: ${error.message}.`)
  if (error.kind === 'busy') return invalid('Remote visit addressed rate limitation.')
  if (error.kind === 'two-factor') return invalid('Remote visit required two factors authentication.')
  return invalid(`Migration failed: ${error.message}.`)
}
