import { isOrgOwner } from '../../access/repo-grants.store.ts'
import { isSiteAdmin, type SignedIn } from '../../access/viewer.ts'
import { forbidden, invalid, isDomainError, unavailable } from '../../platform/errors.ts'
import { asId } from '../../platform/ids.ts'
import { InFlight } from '../../platform/in-flight.ts'
import { newStorageKey } from '../repos/creation/create-repo.ts'
import { getOwnerInView } from '../repos/lookup.ts'
import { findUserById, type User } from '../users/user.store.ts'
import { clearImport, migrateRepo } from './import-repo.ts'
import type { Migrated, MigrateDeps, NewMigration } from './new-migration.ts'
import { listUnfinishedImports } from './unfinished-import.store.ts'

export interface MigrationTarget {
  /** Name of the owner; else `ownerId`, else the viewer itself. */
  readonly owner?: string | undefined
  readonly ownerId?: number | undefined
}

export interface Migrations {
  /**
   * Imports a repository and gives it back when everything that can be brought is there. Goes on when the client
   * leaves, ends when the server stops. Throws invalid, forbidden and conflict.
   */
  migrate(viewer: SignedIn, target: MigrationTarget, input: NewMigration): Promise<Migrated>
  /**
   * Removes what imports that began before (epoch milliseconds) and were killed have left on disk. True when there was
   * any.
   */
  clearUnfinished(startedBefore: number): Promise<boolean>
  /** Ends what runs and waits for it. */
  close(): Promise<void>
}

export type MigrationDeps = MigrateDeps

export function createMigrations(deps: MigrationDeps): Migrations {
  const inFlight = new InFlight()
  /** Keys under which imports of this process write. */
  const running = new Set<string>()
  return {
    async migrate(viewer, target, input) {
      const owner = await chooseOwner(deps, viewer, target)
      const storage = newStorageKey()
      running.add(storage)
      try {
        return await inFlight.run((signal) => migrateRepo(deps, { viewer, owner, storage, signal }, input))
      } catch (error) {
        throw inFlight.isStopping ? unavailable('the server is stopping') : error
      } finally {
        running.delete(storage)
      }
    },
    async clearUnfinished(startedBefore) {
      const left = await listUnfinishedImports(deps.database.read, startedBefore)
      // NOTE: a clock that was set back must not take away what is being written.
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
  { database: { read } }: MigrationDeps,
  viewer: SignedIn,
  { owner: name = '', ownerId = 0 }: MigrationTarget,
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
