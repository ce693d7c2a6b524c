import { findRepoById, findRepoByName, type Repo } from '../../db/stores/repo.store.ts'
import { deleteUnfinishedImport, insertUnfinishedImport } from '../../db/stores/unfinished-import.store.ts'
import type { User } from '../../db/stores/user.store.ts'
import { RemoteError } from '../../git/index.ts'
import { invalid } from '../../platform/errors.ts'
import { isOutgoingError } from '../../platform/outgoing/index.ts'
import { isSiteAdmin, type SignedIn } from '../../policy/viewer.ts'
import { limitReached, repoNameTaken, requireRepoName } from '../repos/index.ts'
import { fetchGit } from './fetch-git.ts'
import type { ImportPart, WritePart } from './import-part.ts'
import { insertImported } from './insert-imported.ts'
import { largeFilesPart } from './large-files.part.ts'
import type { MigrateDeps, Migrating, NewMigration } from './new-migration.ts'
import { readRequest, type Source } from './read-request.ts'

/**
 * Takes a repository over: everything is fetched beside what people see, then one transaction makes the repository.
 * Whatever goes wrong nothing is left to see; what a killed process leaves on disk, `clearUnfinished` removes.
 * Throws invalid (the texts of reference repositories §15), forbidden, conflict (the name is taken).
 */
export async function migrateRepo(deps: MigrateDeps, migrating: Migrating, input: NewMigration): Promise<Repo> {
  const { viewer, owner, storage } = migrating
  const source = await readRequest(deps, input).catch((error: unknown) => {
    throw explained(deps, error)
  })
  requireRepoName(input.name, 'RepoName')
  await requireRoom(deps, viewer, owner)
  if (await findRepoByName(deps.database.read, owner, input.name)) throw repoNameTaken()
  await deps.database.transaction((tx) => insertUnfinishedImport(tx, storage, deps.clock.now()))
  try {
    return await fetchAndInsert(deps, { ...migrating, input, source })
  } catch (error) {
    await clearImport(deps, storage)
    throw explained(deps, error)
  }
}

interface Import extends Migrating {
  readonly input: NewMigration
  readonly source: Source
}

async function fetchAndInsert(deps: MigrateDeps, { signal, source, storage, ...rest }: Import): Promise<Repo> {
  const { database, git, access } = deps
  const endings: (() => Promise<void>)[] = []
  try {
    const fetched = await fetchGit(deps, source, { storage, signal })
    const repo = git.open({ storage, objectFormat: fetched.objectFormat })
    const room = access.transfer(signal).maxBytes - fetched.size
    const writers: WritePart[] = []
    for (const part of chooseParts(deps, source)) writers.push(await part({ source, place: fetched.place, repo, room, signal, onEnd: (task) => endings.push(task) }))
    const id = await database.transaction(async (tx) => {
      const made = await insertImported(tx, deps, { ...rest, source, storage, fetched })
      for (const write of writers) await write(tx, made)
      await deleteUnfinishedImport(tx, storage)
      return made
    })
    return (await findRepoById(database.read, id))!
  } finally {
    for (const end of endings) await end()
  }
}

/** What comes beside git data, in the order in which it is fetched. */
function chooseParts({ largeFiles }: MigrateDeps, source: Source): ImportPart[] {
  return source.lfs && largeFiles !== undefined ? [largeFilesPart(largeFiles)] : []
}

/** Removes what an import without a repository has put on disk. */
export async function clearImport({ database, git }: Pick<MigrateDeps, 'database' | 'git'>, storage: string): Promise<void> {
  await git.removeRepo(storage)
  await git.removeRepo(`${storage}.wiki`)
  await database.transaction((tx) => deleteUnfinishedImport(tx, storage))
}

async function requireRoom({ database, rules }: MigrateDeps, viewer: SignedIn, owner: User): Promise<void> {
  if (isSiteAdmin(viewer) || (await limitReached(database.read, owner, rules.maxCreation)) === undefined) return
  throw invalid(`You have already reached your limit of ${owner.maxRepoCreation >= 0 ? owner.maxRepoCreation : rules.maxCreation} repositories.`)
}

function explained({ database }: MigrateDeps, error: unknown): unknown {
  if (database.dialect.isUniqueViolation(error)) return repoNameTaken()
  if (isOutgoingError(error)) return invalid(error.kind === 'refused' ? 'You can not import from disallowed hosts.' : `Migration failed: ${error.message}.`)
  if (!(error instanceof RemoteError)) return error
  if (error.kind === 'auth' || error.kind === 'missing') return invalid(`Authentication failed: ${error.message}.`)
  if (error.kind === 'busy') return invalid('Remote visit addressed rate limitation.')
  return invalid(`Migration failed: ${error.message}.`)
}
