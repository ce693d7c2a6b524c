import type { Database } from '../../../../core/db/database.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import { forbidden, invalid, notFound } from '../../../../core/platform/errors.ts'
import type { RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { deleteLfsLock, insertLfsLock, type LfsLock, type LfsLockFilter, listLfsLocks } from '../lfs.store.ts'

const MAX_PATH = 4096

export type LfsLocks = ReturnType<typeof createLfsLocks>

export function createLfsLocks({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
  const { read } = database
  return {
    /** Locks in the order of their creation. */
    list: (repoId: RepoId, filter: LfsLockFilter, limit: number): Promise<readonly LfsLock[]> =>
      listLfsLocks(read, repoId, filter, limit),

    /** Returns the lock, and whether it existed before. Throws Invalid for an invalid path. */
    async create(
      repoId: RepoId,
      ownerId: UserId,
      given: string,
    ): Promise<{ readonly lock: LfsLock; readonly existed: boolean }> {
      const path = cleanPath(given)
      return database.transaction(async (tx) => {
        // NOTE: a failed insert also consumes an id, and clients see the ids.
        const [existing] = await listLfsLocks(tx, repoId, { path }, 1)
        if (existing !== undefined) return { lock: existing, existed: true }
        const isNew = await insertLfsLock(tx, { repoId, ownerId, path, at: clock.now() })
        const [lock] = await listLfsLocks(tx, repoId, { path }, 1)
        return { lock: lock!, existed: !isNew }
      })
    },

    /** Throws NotFound, and Forbidden for the lock of another user unless `force` is true. */
    release: (repoId: RepoId, userId: UserId, id: number, force: boolean): Promise<LfsLock> =>
      database.transaction(async (tx) => {
        const [lock] = await listLfsLocks(tx, repoId, { id }, 1)
        if (lock === undefined) throw notFound('lock does not exist')
        if (lock.ownerId !== userId && !force)
          throw forbidden('You must be the owner of the lock, or force its release')
        await deleteLfsLock(tx, repoId, id)
        return lock
      }),
  }
}

/** Returns `a/b` for `/a//./b`; rejects paths outside of the repository. */
function cleanPath(given: string): string {
  const parts = given.split('/').filter((part) => part !== '' && part !== '.')
  const path = parts.join('/')
  if (path === '' || path.length > MAX_PATH || parts.includes('..') || path.includes('\0'))
    throw invalid('[path]: not a path in the repository')
  return path
}
