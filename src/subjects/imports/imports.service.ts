import { isOrgOwner } from '../../access/repo-grants.store.ts'
import { isSiteAdmin, type SignedIn } from '../../access/viewer.ts'
import { forbidden, invalid, isDomainError, unavailable } from '../../platform/errors.ts'
import { asId } from '../../platform/ids.ts'
import { InFlight } from '../../platform/in-flight.ts'
import { newStorageKey } from '../repos/index.ts'
import { findUserById, getOwnerInView, type User } from '../users/index.ts'
import { clearImport, importRepo } from './import-repo.ts'
import type { ImportedRepo, ImportDeps, NewImport } from './new-import.ts'
import { listUnfinishedImports } from './unfinished-import.store.ts'

interface ImportTarget {
  /** Name of the owner; else `ownerId`, else the viewer itself. */
  readonly owner?: string | undefined
  readonly ownerId?: number | undefined
}

export interface Imports {
  /**
   * Imports a repository; resolves when everything that can be imported is there. Continues when the client
   * disconnects, ends when the server stops. Throws invalid, forbidden and conflict.
   */
  importRepo(viewer: SignedIn, target: ImportTarget, input: NewImport): Promise<ImportedRepo>
  /**
   * Deletes what killed imports that began before this time (epoch milliseconds) left on disk. True when there was any.
   */
  clearUnfinished(startedBefore: number): Promise<boolean>
  /** Aborts running imports and waits for them. */
  close(): Promise<void>
}

export function createImports(deps: ImportDeps): Imports {
  const inFlight = new InFlight()
  /** Keys under which imports of this process write. */
  const running = new Set<string>()
  return {
    async importRepo(viewer, target, input) {
      const owner = await chooseOwner(deps, viewer, target)
      const storage = newStorageKey()
      running.add(storage)
      try {
        return await inFlight.run((signal) => importRepo(deps, { viewer, owner, storage, signal }, input))
      } catch (error) {
        throw inFlight.isStopping ? unavailable('the server is stopping') : error
      } finally {
        running.delete(storage)
      }
    },
    async clearUnfinished(startedBefore) {
      const left = await listUnfinishedImports(deps.database.read, startedBefore)
      // NOTE: when the clock was set back, this list has running imports of this process too.
      const dead = left.filter((storage) => !running.has(storage))
      for (const storage of dead) await clearImport(deps, storage)
      return dead.length > 0
    },
    close: () => inFlight.close(),
  }
}

/**
 * Administrators import for everybody, others for themselves and the organizations they own (reference repositories
 * §15).
 */
async function chooseOwner(
  { database: { read } }: ImportDeps,
  viewer: SignedIn,
  { owner: name = '', ownerId = 0 }: ImportTarget,
): Promise<User> {
  const own = name === '' && ownerId === 0
  const byId = name === '' ? await findUserById(read, own ? viewer.account.id : asId(ownerId)) : undefined
  const owner = await getOwnerInView(read, viewer, byId?.name ?? name).catch((error: unknown) => {
    throw isDomainError(error) ? invalid(`user does not exist [uid: ${ownerId}, name: ${name}]`) : error
  })
  if (isSiteAdmin(viewer) || owner.id === viewer.account.id) return owner
  if (owner.kind !== 'organization') throw forbidden('Given user is not an organization.')
  if (!(await isOrgOwner(read, owner.id, viewer.account.id)))
    throw forbidden('Given user is not owner of organization.')
  return owner
}
