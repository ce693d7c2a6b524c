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
    /** In the order in which they were made. */
    list: (repoId: RepoId, filter: LfsLockFilter, limit: number): Promise<readonly LfsLock[]> =>
      listLfsLocks(read, repoId, filter, limit),

    /** The lock, and whether it was there before. Throws invalid for a path that is none. */
    async create(
      repoId: RepoId,
      ownerId: UserId,
      given: string,
    ): Promise<{ readonly lock: LfsLock; readonly existed: boolean }> {
      const path = cleanPath(given)
      return database.transaction(async (tx) => {
        // NOTE: an insert that fails uses up a number all the same, and clients see these.
        const [existing] = await listLfsLocks(tx, repoId, { path }, 1)
        if (existing !== undefined) return { lock: existing, existed: true }
        const isNew = await insertLfsLock(tx, { repoId, ownerId, path, at: clock.now() })
        const [lock] = await listLfsLocks(tx, repoId, { path }, 1)
        return { lock: lock!, existed: !isNew }
      })
    },

    /** Throws NotFound, and forbidden when it is another user's and `force` is false. */
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

/** `a/b` from `/a//./b`; nothing outside of the repository. */
function cleanPath(given: string): string {
  const parts = given.split('/').filter((part) => part !== '' && part !== '.')
  const path = parts.join('/')
  if (path === '' || path.length > MAX_PATH || parts.includes('..') || path.includes('\0'))
    throw invalid('[path]: not a path in the repository')
  return path
}
