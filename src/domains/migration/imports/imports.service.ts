import { isOrgOwner } from '../../../core/access/repo-grants.store.ts'
import { isSiteAdmin, type SignedIn } from '../../../core/access/viewer.ts'
import { engineErrors, forbidden, invalid, isDomainError } from '../../../core/platform/errors.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { InFlight } from '../../../core/platform/concurrency/in-flight.ts'
import { repoCreation } from '../../repositories/index.ts'
import { type User, userQueries, ownerQueries } from '../../accounts/index.ts'
import { importRepo } from './import-repo.ts'
import { abandonImport } from './import-rows.ts'
import type { ImportedRepo, ImportDeps, NewImport } from './new-import.ts'
import { listUnfinishedImports } from './records/unfinished-import.store.ts'

/** The maximum duration of an import; older records belong to imports that have ended in any process. */
const LONGEST_MS = 24 * 3_600_000

interface ImportTarget {
  /** Name of the owner; if absent `ownerId`, if both are absent the actor. */
  readonly owner?: string | undefined
  readonly ownerId?: number | undefined
}

export type Imports = ReturnType<typeof createImports>

export function createImports(deps: ImportDeps) {
  const inFlight = new InFlight()
  /** Storage keys of the imports of this process. */
  const running = new Set<string>()
  return {
    /**
     * Imports a repository; resolves when the import is complete. It continues if the client disconnects and is aborted
     * if the server stops. Throws Invalid, Forbidden, Conflict and Unavailable.
     */
    async importRepo(actor: SignedIn, target: ImportTarget, input: NewImport): Promise<ImportedRepo> {
      const owner = await chooseOwner(deps, actor, target)
      const storage = repoCreation.newStorageKey()
      running.add(storage)
      try {
        return await inFlight.run((signal) => importRepo(deps, { actor, owner, storage, signal }, input))
      } catch (error) {
        throw inFlight.isStopping ? engineErrors.serverStopping() : error
      } finally {
        running.delete(storage)
      }
    },
    /** Deletes the files of killed imports that began before this time (epoch milliseconds). True if there were any. */
    async deleteUnfinished(startedBefore: number): Promise<boolean> {
      const unfinished = await listUnfinishedImports(deps.database.read, startedBefore)
      const ended = new Set(deps.processes.ended(unfinished.map(({ holder }) => holder)))
      const isKilled = ({ holder, started_at }: (typeof unfinished)[number]): boolean =>
        ended.has(holder) ||
        (holder === '' && !deps.processes.acrossMachines) ||
        started_at < deps.clock.now() - LONGEST_MS
      // NOTE: if the clock was set back, the list includes running imports of this process.
      const dead = unfinished.filter((row) => !running.has(row.storage) && isKilled(row))
      for (const { storage } of dead)
        await abandonImport(deps, storage, { state: 'failed', error: 'the server was killed' })
      return dead.length > 0
    },
    /** Aborts running imports and waits for them. */
    close: (): Promise<void> => inFlight.close(),
  }
}

/**
 * Administrators import for every account; others for themselves and the organizations that they own
 * (behaviour/repositories#imports-and-pull-mirrors).
 */
async function chooseOwner(
  { database: { read } }: ImportDeps,
  actor: SignedIn,
  { owner: name = '', ownerId = 0 }: ImportTarget,
): Promise<User> {
  const own = name === '' && ownerId === 0
  const byId = name === '' ? await userQueries.findById(read, own ? actor.account.id : asId(ownerId)) : undefined
  const owner = await ownerQueries.getInView(read, actor, byId?.name ?? name).catch((error: unknown) => {
    throw isDomainError(error) ? invalid(`user does not exist [uid: ${ownerId}, name: ${name}]`) : error
  })
  if (isSiteAdmin(actor) || owner.id === actor.account.id) return owner
  if (owner.kind !== 'organization') throw forbidden('Given user is not an organization.')
  if (!(await isOrgOwner(read, owner.id, actor.account.id))) throw forbidden('Given user is not owner of organization.')
  return owner
}
